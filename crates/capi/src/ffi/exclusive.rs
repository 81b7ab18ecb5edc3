//! A value that one call at a time uses; no call waits for another.
//!
//! Leaving is a plain store. A mutex would also ask for waiting threads, which costs a second
//! atomic exchange for each record that is pushed or taken.

use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

/// A value that one call at a time uses.
pub struct Exclusive<T> {
    is_used: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: only the thread that has set the flag reaches the value, until it resets the flag.
unsafe impl<T: Send> Sync for Exclusive<T> {}

impl<T> Exclusive<T> {
    /// Returns a value that is not in use.
    pub const fn new(value: T) -> Self {
        Self { is_used: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// Returns the value, unless another call uses it.
    #[inline]
    pub fn enter(&self) -> Option<Entered<'_, T>> {
        (!self.is_used.swap(true, Ordering::Acquire)).then(|| Entered(self, PhantomData))
    }
}

impl<T> fmt::Debug for Exclusive<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exclusive").field("is_used", &self.is_used).finish_non_exhaustive()
    }
}

/// The value in use by this call.
#[derive(Debug)]
pub struct Entered<'e, T>(&'e Exclusive<T>, PhantomData<&'e mut T>);

impl<T> Deref for Entered<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this call has set the flag.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Entered<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this call has set the flag, and the borrow is unique.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Entered<'_, T> {
    fn drop(&mut self) {
        self.0.is_used.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests;
