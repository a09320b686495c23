//! Large zeroed arrays of bytes, in huge pages where the system offers them.

use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU8;

use memmap2::MmapMut;

/// A zeroed array of bytes. Its pages take memory only once they are written.
#[derive(Debug)]
pub struct Bytes(MmapMut);

impl Bytes {
    /// An array of `length` zeros.
    ///
    /// # Errors
    ///
    /// If the system refuses the memory.
    pub fn zeroed(length: usize) -> io::Result<Bytes> {
        let map = MmapMut::map_anon(length)?;
        // Huge pages avoid most address translations; failing to get them is harmless.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Bytes(map))
    }

    /// The bytes as atomics, for many threads to write to. The mutable borrow excludes all other
    /// access meanwhile.
    pub fn as_atomics(&mut self) -> &[AtomicU8] {
        let bytes: *mut [u8] = &mut *self.0;
        // SAFETY: `AtomicU8` has the size, alignment and bit validity of `u8`, and the result
        // borrows `self` mutably, so that all access for its lifetime goes through the atomics.
        unsafe { &*(bytes as *const [AtomicU8]) }
    }
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}
