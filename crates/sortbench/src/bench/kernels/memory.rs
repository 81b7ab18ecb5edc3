//! Memory for a measurement: as many values as it needs, in huge pages where there are any, all of
//! it touched before a clock runs.
//!
//! Clearing fresh pages takes longer than most of what is measured here, and is no part of it.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use sortwell::unstable::io::{Arena, Region};
use sortwell::{ByteSize, Result};

/// A number of values of one kind, all zeros at first. The first lies at the beginning of a page.
#[derive(Debug)]
pub struct AlignedValues<T> {
    region: Region,
    count: usize,
    kind: PhantomData<T>,
}

impl<T: Pod> AlignedValues<T> {
    /// Returns memory for `count` values.
    ///
    /// # Errors
    ///
    /// That the system has no more.
    pub fn of(count: usize) -> Result<Self> {
        Ok(Self { region: touched(count * size_of::<T>())?, count, kind: PhantomData })
    }

    /// Returns the memory, which begins with the values.
    pub fn into_region(self) -> Region {
        self.region
    }
}

impl<T: Pod> Deref for AlignedValues<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.region[..self.count * size_of::<T>()])
    }
}

impl<T: Pod> DerefMut for AlignedValues<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.region[..self.count * size_of::<T>()])
    }
}

/// Returns `bytes` bytes of memory that have been touched.
///
/// # Errors
///
/// That the system has no more.
pub fn touched(bytes: usize) -> Result<Region> {
    let mut region = Arena::new(ByteSize(bytes as u64))?;
    region.touch();
    Ok(region)
}

#[cfg(test)]
mod tests;
