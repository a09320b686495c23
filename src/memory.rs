//! Large zeroed arrays, in memory that the system hands out when it is first written.

use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU8;

#[cfg(target_family = "wasm")]
pub use heap::Zeroed;
#[cfg(not(target_family = "wasm"))]
pub use mapped::Zeroed;

/// Types of which zeros are a value.
///
/// # Safety
///
/// Bytes that are all zero must be a valid value, values must need no drop, and the start of a page must be
/// aligned for them.
pub unsafe trait Zeroable: Default {}

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

/// Memory of the system.
#[cfg(not(target_family = "wasm"))]
mod mapped {
    use std::marker::PhantomData;
    use std::slice;

    use memmap2::MmapMut;

    use super::*;

    /// A zeroed array. Its pages take memory only once they are written.
    #[derive(Debug)]
    pub struct Zeroed<T> {
        map: MmapMut,
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
            let _ = array.map.advise(memmap2::Advice::HugePage);
            Ok(array)
        }

        /// An array of `length` zeros in pages of the usual size, for arrays that are written here and there:
        /// the system clears a page at its first use.
        ///
        /// # Errors
        ///
        /// If the system refuses the memory.
        pub fn in_small_pages(length: usize) -> io::Result<Zeroed<T>> {
            let bytes = length.checked_mul(size_of::<T>());
            let map = MmapMut::map_anon(bytes.ok_or(io::ErrorKind::OutOfMemory)?)?;
            Ok(Zeroed {
                map,
                items: PhantomData,
            })
        }
    }

    impl<T: Zeroable> Deref for Zeroed<T> {
        type Target = [T];
        fn deref(&self) -> &[T] {
            let length = self.map.len() / size_of::<T>();
            // SAFETY: the map is aligned to pages and has room for `length` items, all of which are zeros or
            // were written as items; it is borrowed as long as they are.
            unsafe { slice::from_raw_parts(self.map.as_ptr().cast(), length) }
        }
    }

    impl<T: Zeroable> DerefMut for Zeroed<T> {
        fn deref_mut(&mut self) -> &mut [T] {
            let length = self.map.len() / size_of::<T>();
            // SAFETY: as for `deref`, and the map is borrowed mutably.
            unsafe { slice::from_raw_parts_mut(self.map.as_mut_ptr().cast(), length) }
        }
    }
}

/// Memory of the heap, where there is no system.
#[cfg(target_family = "wasm")]
mod heap {
    use super::*;

    /// A zeroed array.
    #[derive(Debug)]
    pub struct Zeroed<T>(Vec<T>);

    impl<T: Zeroable> Zeroed<T> {
        /// An array of `length` zeros.
        ///
        /// # Errors
        ///
        /// If there is not enough memory.
        pub fn new(length: usize) -> io::Result<Zeroed<T>> {
            let mut items = Vec::new();
            let reserved = items.try_reserve_exact(length);
            reserved.map_err(|_| io::ErrorKind::OutOfMemory)?;
            items.resize_with(length, T::default);
            Ok(Zeroed(items))
        }

        /// The same as [`Zeroed::new`].
        ///
        /// # Errors
        ///
        /// As for [`Zeroed::new`].
        pub fn in_small_pages(length: usize) -> io::Result<Zeroed<T>> {
            Zeroed::new(length)
        }
    }

    impl<T> Deref for Zeroed<T> {
        type Target = [T];
        fn deref(&self) -> &[T] {
            &self.0
        }
    }

    impl<T> DerefMut for Zeroed<T> {
        fn deref_mut(&mut self) -> &mut [T] {
            &mut self.0
        }
    }
}
