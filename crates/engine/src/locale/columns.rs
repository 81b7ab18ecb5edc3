//! Width of text on a terminal, according to the C library.
//!
//! A character is as wide as the library's table says, and a control has no width. A byte that no
//! character begins with has one column, and so has what the end of the text cuts off of a
//! character, however much of it is there. What is a character is the library's own knowledge too:
//! glibc takes `f5 80 80 80` for one, and `e0 80` at the end for a part of one. Where characters
//! are single bytes, each has one column if it is no control, even a Thai vowel that stands above
//! the letter before it: GNU programs look for no more there, and so they say it here.

use std::ffi::c_int;

use libc::{c_char, locale_t, size_t, wchar_t};

use super::Locale;

unsafe extern "C" {
    fn mbrtowc(
        to: *mut wchar_t,
        from: *const c_char,
        size: size_t,
        state: *mut ConversionState,
    ) -> size_t;
    fn wcwidth(character: wchar_t) -> c_int;
    fn iswcntrl_l(character: u32, locale: locale_t) -> c_int;
    fn iscntrl_l(byte: c_int, locale: locale_t) -> c_int;
    /// Returns the value of `MB_CUR_MAX`: the most bytes of a character of the thread's locale.
    fn __ctype_get_mb_cur_max() -> size_t;
}

/// State of the library for a partly seen character (`mbstate_t`); all zero is the beginning of
/// one. The library's own is 8 bytes, or 128 in some.
#[repr(C, align(8))]
struct ConversionState([u8; 128]);

impl ConversionState {
    const INITIAL: Self = Self([0; 128]);
}

/// The library's answers that are no lengths, as it defines them.
const IS_NONE: size_t = size_t::MAX;
const IS_CUT: size_t = size_t::MAX - 1;

/// Guard that sets this thread's locale until it is dropped: these functions have no variant with a
/// locale argument.
struct Chosen(locale_t);

impl Chosen {
    /// Sets the thread's locale until it is dropped.
    ///
    /// # Safety
    ///
    /// `locale` must live for as long as what is returned.
    unsafe fn new(locale: locale_t) -> Self {
        // SAFETY: a live locale object, as the caller promises.
        Self(unsafe { libc::uselocale(locale) })
    }
}

impl Drop for Chosen {
    fn drop(&mut self) {
        // SAFETY: this is what the thread had before, which must outlive it in any case.
        unsafe { libc::uselocale(self.0) };
    }
}

impl Locale {
    /// Returns how many columns of a terminal a text takes.
    pub fn columns(&self, text: &[u8]) -> usize {
        let Some(locale) = self.raw() else {
            return text.iter().filter(|byte| !byte.is_ascii_control()).count();
        };
        // SAFETY: the object belongs to `self`, which outlives this call.
        let _chosen = unsafe { Chosen::new(locale) };
        // SAFETY: it reads the thread's locale, which is a live object.
        if unsafe { __ctype_get_mb_cur_max() } == 1 {
            // SAFETY: values of bytes may be asked about, of a live locale object.
            let is_control = |byte: u8| unsafe { iscntrl_l(c_int::from(byte), locale) != 0 };
            return text.iter().filter(|&&byte| !is_control(byte)).count();
        }
        let mut columns = 0;
        let mut rest = text;
        while !rest.is_empty() {
            let mut character = 0;
            let mut state = ConversionState::INITIAL;
            let from = rest.as_ptr().cast();
            // SAFETY: there are `rest.len()` bytes to read, and room for a character and a state.
            let length = unsafe { mbrtowc(&raw mut character, from, rest.len(), &raw mut state) };
            match length {
                IS_CUT => return columns + 1,
                IS_NONE => {
                    columns += 1;
                    rest = &rest[1..];
                }
                _ => {
                    columns += width(character, locale);
                    // Of NUL the library says that it has no bytes.
                    rest = &rest[length.clamp(1, rest.len())..];
                }
            }
        }
        columns
    }
}

/// Returns the width of a character in `locale`, which is the thread's and lives. One that the
/// library has no width for is shown in some way, unless it is a control.
fn width(character: wchar_t, locale: locale_t) -> usize {
    // SAFETY: any number may be asked about, of a live locale object.
    let (width, is_control) =
        unsafe { (wcwidth(character), iswcntrl_l(character as u32, locale) != 0) };
    usize::try_from(width).unwrap_or(usize::from(!is_control))
}

#[cfg(test)]
mod tests;
