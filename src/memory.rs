//! Large zeroed arrays, in memory that the system hands out when it is first written.

use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::slice;
use std::sync::atomic::AtomicU8;

#[cfg(not(target_family = "wasm"))]
use memmap2::MmapMut;

/// Types for which bytes that are all zero are a valid value.
///
/// # Safety
///
/// Bytes that are all zero must be a valid value, values must need no drop, and an address that is
/// a multiple of 64 must be aligned for them.
pub unsafe trait Zeroable {}

// SAFETY: every byte is a number.
unsafe impl Zeroable for u8 {}

/// A zeroed array of bytes.
pub type Bytes = Zeroed<u8>;

impl Bytes {
    /// The bytes as atomics, for many threads to write to. The mutable borrow excludes all other
    /// access meanwhile.
    pub fn as_atomics(&mut self) -> &[AtomicU8] {
        let bytes: *mut [u8] = &mut **self;
        // SAFETY: `AtomicU8` has the size, alignment and bit validity of `u8`, and the result
        // borrows `self` mutably, so that all access for its lifetime goes through the atomics.
        unsafe { &*(bytes as *const [AtomicU8]) }
    }
}

/// Pages of the system.
#[cfg(not(target_family = "wasm"))]
type Memory = MmapMut;

/// Cache lines on the heap, where the system has no pages.
#[cfg(target_family = "wasm")]
type Memory = Vec<HeapLine>;

#[cfg(target_family = "wasm")]
#[derive(Clone, Debug)]
#[repr(align(64))]
struct HeapLine([u8; 64]);

/// At least this many zeros.
#[cfg(not(target_family = "wasm"))]
fn memory(bytes: usize) -> io::Result<Memory> {
    MmapMut::map_anon(bytes)
}

/// At least this many zeros.
#[cfg(target_family = "wasm")]
fn memory(bytes: usize) -> io::Result<Memory> {
    let (mut memory, lines) = (Vec::new(), bytes.div_ceil(64));
    let reserved = memory.try_reserve_exact(lines);
    reserved.map_err(|_| io::ErrorKind::OutOfMemory)?;
    memory.resize(lines, HeapLine([0; 64]));
    Ok(memory)
}

/// A zeroed array. Where the system has pages, they take memory only once they are written.
#[derive(Debug)]
pub struct Zeroed<T> {
    memory: Memory,
    length: usize,
    items: PhantomData<T>,
}

impl<T: Zeroable> Zeroed<T> {
    /// An array of `length` zeros, in huge pages where the system offers them.
    ///
    /// # Errors
    ///
    /// If the system refuses the memory.
    pub fn new(length: usize) -> io::Result<Zeroed<T>> {
        let array = Zeroed::in_small_pages(length)?;
        // Huge pages avoid most address translations; failing to get them is harmless.
        #[cfg(target_os = "linux")]
        let _ = array.memory.advise(memmap2::Advice::HugePage);
        Ok(array)
    }

    /// An array of `length` zeros in pages of the usual size, for arrays of which only some places
    /// are written: the system clears a page at its first use.
    ///
    /// # Errors
    ///
    /// If the system refuses the memory.
    pub fn in_small_pages(length: usize) -> io::Result<Zeroed<T>> {
        let bytes = length.checked_mul(size_of::<T>());
        Ok(Zeroed {
            memory: memory(bytes.ok_or(io::ErrorKind::OutOfMemory)?)?,
            length,
            items: PhantomData,
        })
    }
}

impl<T: Zeroable> Deref for Zeroed<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: the memory is aligned to cache lines or pages and has room for `length` items,
        // all of which are zeros or were written as items; it is borrowed as long as they are.
        unsafe { slice::from_raw_parts(self.memory.as_ptr().cast(), self.length) }
    }
}

impl<T: Zeroable> DerefMut for Zeroed<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `deref`, and the memory is borrowed mutably.
        unsafe { slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), self.length) }
    }
}
