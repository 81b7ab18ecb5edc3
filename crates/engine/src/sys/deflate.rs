//! libdeflate, which expands deflated data (RFC 1951) that is at hand as a whole.

use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;

use libdeflate_sys::{
    libdeflate_alloc_decompressor, libdeflate_crc32, libdeflate_decompressor,
    libdeflate_deflate_decompress_ex, libdeflate_free_decompressor,
};

/// Memory of libdeflate, for one piece of data at a time.
pub struct Inflater(NonNull<libdeflate_decompressor>);

// SAFETY: the memory has no ties to a thread, and is used through `&mut self` alone.
unsafe impl Send for Inflater {}
// SAFETY: nothing can be done with `&self`.
unsafe impl Sync for Inflater {}

impl Default for Inflater {
    fn default() -> Self {
        // SAFETY: it takes nothing, and returns null where there is no memory.
        let made = NonNull::new(unsafe { libdeflate_alloc_decompressor() });
        Self(made.unwrap_or_else(|| panic!("there is no memory for a decompressor")))
    }
}

impl Drop for Inflater {
    fn drop(&mut self) {
        // SAFETY: it was made by `libdeflate_alloc_decompressor`, and is not used any more.
        unsafe { libdeflate_free_decompressor(self.0.as_ptr()) };
    }
}

impl fmt::Debug for Inflater {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inflater").finish_non_exhaustive()
    }
}

/// Bytes that [`Inflater::expand`] took and made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inflated {
    /// Bytes of the deflated data.
    pub taken: usize,
    /// Bytes of the expanded data.
    pub made: usize,
}

impl Inflater {
    /// Expands the deflated data that `packed` begins with into `out`; `None` if it is damaged or
    /// `out` is too short. What follows the data is not looked at.
    pub fn expand(&mut self, packed: &[u8], out: &mut [u8]) -> Option<Inflated> {
        let (mut taken, mut made) = (0, 0);
        // SAFETY: libdeflate reads within `packed` and writes within `out` and the two numbers,
        // and checks the data while it does so.
        let result = unsafe {
            libdeflate_deflate_decompress_ex(
                self.0.as_ptr(),
                packed.as_ptr().cast::<c_void>(),
                packed.len(),
                out.as_mut_ptr().cast::<c_void>(),
                out.len(),
                &raw mut taken,
                &raw mut made,
            )
        };
        let is_done = result == libdeflate_sys::libdeflate_result_LIBDEFLATE_SUCCESS;
        is_done.then_some(Inflated { taken, made })
    }
}

/// Returns the CRC-32 of gzip.
pub fn crc32(bytes: &[u8]) -> u32 {
    // SAFETY: libdeflate reads within `bytes`.
    unsafe { libdeflate_crc32(0, bytes.as_ptr().cast::<c_void>(), bytes.len()) }
}
