//! The C library's locale: its collation, and what it says of numbers, months and single bytes.
//!
//! A [`Locale`] is made once and lent to all threads; the C library never changes one after it was
//! made. The locale named C needs no library at all, and everything else this file cannot get from
//! the library falls back to it. Which environment variable counts is the library's own knowledge
//! ([`Locale::from_environment`]), so that we can not differ from other programs in it.
//!
//! Both ways to compare treat a text with NULs as its pieces between them, one after the other, as
//! strings of the C library end there. The C library's keys have no NUL in them, so that 0 1
//! between two of them sorts an earlier end first, and 0 0 is left for callers that mark where a
//! key ends.
//!
//! Invariant: keys are in the order of [`Locale::compare`]. With glibc they are made from
//! its tables (`levels`), which was tried when it was decided on. Elsewhere, and where tables and
//! library disagree, they are those of `strxfrm_l`, whose order is for the library to answer for.

mod codes;
mod columns;
mod levels;
mod weights;

use std::cmp::Ordering;
use std::ffi::{CStr, CString, OsString, c_char, c_int};
use std::ptr::NonNull;
use std::sync::OnceLock;

use levels::{KeyOut, Levels};
use weights::Weights;

use libc::locale_t;

unsafe extern "C" {
    fn strxfrm_l(to: *mut c_char, from: *const c_char, size: usize, locale: locale_t) -> usize;
    fn strcoll_l(a: *const c_char, b: *const c_char, locale: locale_t) -> c_int;
    fn toupper_l(byte: c_int, locale: locale_t) -> c_int;
    fn isblank_l(byte: c_int, locale: locale_t) -> c_int;
    fn isalnum_l(byte: c_int, locale: locale_t) -> c_int;
    fn isprint_l(byte: c_int, locale: locale_t) -> c_int;
    fn iswprint_l(character: u32, locale: locale_t) -> c_int;
}

/// Pieces up to here are copied to the stack to get the NUL that the C library wants at their end.
const PIECE_BYTES_ON_STACK: usize = 256;

/// Room asked for at first for the key of a piece: UTF-8 locales of glibc write four levels of
/// weights, some 3 to 5 bytes a letter together. Too little costs a second call.
const KEY_BYTES_PER_BYTE: usize = 5;

/// Memory that such a key takes for each byte of its text: the copy with a NUL, five bytes of the
/// library's own, and the key, which may be made in too little room first.
const LIBRARY_BYTES_PER_BYTE: usize = 1 + 5 + 2 * KEY_BYTES_PER_BYTE;

/// Bytes of a text in order of its bytes that are written at once.
const PIECE_BYTES: usize = 4 << 10;

/// The parts of a locale that a sort looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocaleCategory {
    /// Classes of bytes: blanks, letters, printable.
    CharacterType,
    /// The order of text.
    Collation,
    /// Names of months.
    Time,
}

/// The parts that a sort looks at. Each is a file or more to the library.
const PARTS: c_int =
    libc::LC_CTYPE_MASK | libc::LC_COLLATE_MASK | libc::LC_NUMERIC_MASK | libc::LC_TIME_MASK;

/// Variables that select the other parts.
const OTHERS: [&str; 8] = [
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_PAPER",
    "LC_NAME",
    "LC_ADDRESS",
    "LC_TELEPHONE",
    "LC_MEASUREMENT",
    "LC_IDENTIFICATION",
];

/// Returns the parts to open of the locale that variables ask for: all, where one of the others may
/// be of a locale that the system does not have.
fn parts_in_force(value: impl Fn(&str) -> Option<OsString>) -> c_int {
    let is_set = |name: &str| value(name).is_some_and(|value| !value.is_empty());
    let has_others = !is_set("LC_ALL") && OTHERS.into_iter().any(is_set);
    if has_others { libc::LC_ALL_MASK } else { PARTS }
}

/// Classes of single bytes in a locale. In UTF-8 no byte past 127 is a character of its own, and
/// none of those is a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteClasses {
    /// Blanks: they separate fields and are skipped before numbers.
    pub is_blank: [bool; 256],
    /// Letters and digits.
    pub is_alphanumeric: [bool; 256],
    /// Bytes with a visible form, blank included.
    pub is_printable: [bool; 256],
    /// Each byte's upper case.
    pub upper: [u8; 256],
}

/// A locale of the C library, or the locale C itself.
#[derive(Debug)]
pub struct Locale {
    /// `None` is the locale C. Owned: freed once, when dropped.
    handle: Option<NonNull<libc::c_void>>,
    /// Made for the first key; `None` in it where the library's keys have to do. What it points to
    /// lives as long as `handle`.
    levels: OnceLock<Option<Levels>>,
}

// SAFETY: a locale object is only read after `newlocale` returned it; POSIX lets threads share it.
unsafe impl Send for Locale {}
// SAFETY: as above; no function called here changes the object.
unsafe impl Sync for Locale {}

impl Drop for Locale {
    fn drop(&mut self) {
        if let Some(handle) = self.handle {
            // SAFETY: `handle` came from `newlocale`, and nobody else has it.
            unsafe { libc::freelocale(handle.as_ptr().cast()) };
        }
    }
}

impl Locale {
    /// Returns the locale C: bytes in order of their value, ASCII letters, no thousands separator.
    pub const fn c() -> Self {
        Self { handle: None, levels: OnceLock::new() }
    }

    /// Returns a locale by its name. `None` where the system has none of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::open(name, PARTS)
    }

    fn open(name: &str, parts: c_int) -> Option<Self> {
        if matches!(name, "C" | "POSIX") {
            return Some(Self::c());
        }
        let name = CString::new(name).ok()?;
        // SAFETY: `name` ends with a NUL and outlives the call; a null base asks for a new object.
        let handle = unsafe { libc::newlocale(parts, name.as_ptr(), std::ptr::null_mut()) };
        NonNull::new(handle.cast())
            .map(|handle| Self { handle: Some(handle), levels: OnceLock::new() })
    }

    /// Returns the locale that `LC_ALL`, else each `LC_` variable, else `LANG` asks for. `None`
    /// where any of those in force names a locale the system does not have: then programs use C
    /// throughout.
    pub fn from_environment() -> Option<Self> {
        Self::open("", parts_in_force(|variable| std::env::var_os(variable)))
    }

    /// Returns the name a category goes by, as in the variable that asked for it.
    pub fn name(&self, category: LocaleCategory) -> String {
        let number = match category {
            LocaleCategory::CharacterType => libc::LC_CTYPE,
            LocaleCategory::Collation => libc::LC_COLLATE,
            LocaleCategory::Time => libc::LC_TIME,
        };
        // glibc answers to the last item of every category with the category's name.
        let name = self.item(number << 16 | 0xffff);
        if name.is_empty() { "C".to_owned() } else { String::from_utf8_lossy(&name).into_owned() }
    }

    /// Returns whether a category is that of the locale C under one of its two names.
    pub fn is_c(&self, category: LocaleCategory) -> bool {
        matches!(self.name(category).as_str(), "C" | "POSIX")
    }

    /// Returns whether text sorts by the values of its bytes: in C, and in C.UTF-8, whose order of
    /// code points is that of the bytes.
    pub fn sorts_by_bytes(&self) -> bool {
        let name = self.name(LocaleCategory::Collation).to_ascii_lowercase();
        matches!(name.as_str(), "c" | "posix" | "c.utf-8" | "c.utf8")
    }

    /// Returns whether text is UTF-8.
    pub fn is_utf8(&self) -> bool {
        self.item(libc::CODESET) == b"UTF-8"
    }

    /// Returns whether a character has a picture.
    pub fn is_printable(&self, character: char) -> bool {
        match self.raw() {
            // SAFETY: `locale` is a live locale object; any number may be asked about.
            Some(locale) => unsafe { iswprint_l(u32::from(character), locale) != 0 },
            None => character == ' ' || character.is_ascii_graphic(),
        }
    }

    /// Returns the byte between a number's whole part and its fraction. Numeric comparison does not
    /// support a separator of several bytes; it counts as a point.
    pub fn decimal_point(&self) -> u8 {
        match self.item(libc::RADIXCHAR).as_slice() {
            &[byte] => byte,
            _ => b'.',
        }
    }

    /// Returns the separator between groups of digits, where it is a single byte.
    pub fn thousands_separator(&self) -> Option<u8> {
        match self.item(libc::THOUSEP).as_slice() {
            &[byte] => Some(byte),
            _ => None,
        }
    }

    /// Returns the short names of the months from January on; `None` for the locale C.
    pub fn month_abbreviations(&self) -> Option<[Vec<u8>; 12]> {
        if self.is_c(LocaleCategory::Time) {
            return None;
        }
        let mut item = libc::ABMON_1;
        Some(std::array::from_fn(|_| {
            let name = self.item(item);
            item += 1;
            name
        }))
    }

    /// Returns the classes of each byte.
    pub fn byte_classes(&self) -> ByteClasses {
        let Some(locale) = self.raw() else { return ByteClasses::c() };
        let mut classes = ByteClasses::c();
        for byte in 0..=u8::MAX {
            let (place, number) = (usize::from(byte), c_int::from(byte));
            // SAFETY: `locale` is a live locale object and `number` is the value of a byte.
            unsafe {
                classes.is_blank[place] = isblank_l(number, locale) != 0;
                classes.is_alphanumeric[place] = isalnum_l(number, locale) != 0;
                classes.is_printable[place] = isprint_l(number, locale) != 0;
                classes.upper[place] = u8::try_from(toupper_l(number, locale)).unwrap_or(byte);
            }
        }
        classes
    }

    /// Appends a key for `text`: keys of two texts, compared as bytes (a shorter one first where it
    /// begins the longer one), are in the order of the texts. A byte 0 in a key has a 1 after it.
    /// Where no more than the first `limit` bytes of it are wanted, others may be left out.
    pub fn append_key(&self, text: &[u8], limit: usize, key: &mut Vec<u8>) {
        self.write_key(text, &mut KeyOut::beginning(key, limit));
    }

    /// Shows that key piece by piece to `show`, until that says that it wants no more.
    pub fn show_key(&self, text: &[u8], show: &mut dyn FnMut(&[u8]) -> bool) {
        let mut buffer = Vec::new();
        let mut out = KeyOut::shown(&mut buffer, show);
        self.write_key(text, &mut out);
        out.flush();
    }

    /// Returns the bytes of memory that making the key of a long text takes for `bytes` bytes of
    /// it: none where it is made piece by piece.
    pub fn key_memory(&self, bytes: usize) -> usize {
        let is_made_whole = self.levels().is_none() && self.handle.is_some();
        if is_made_whole { bytes.saturating_mul(LIBRARY_BYTES_PER_BYTE) } else { 0 }
    }

    fn write_key(&self, text: &[u8], out: &mut KeyOut<'_>) {
        let mut rest = text;
        loop {
            let length = self.write_piece(rest, out);
            if length == rest.len() || !out.is_wanted() {
                return;
            }
            out.key.extend_from_slice(&[0, 1]);
            rest = &rest[length + 1..];
            if !out.is_wanted() {
                return;
            }
        }
    }

    /// Writes a key for a text up to its first NUL. Returns the number of bytes before the NUL;
    /// where no more is wanted, perhaps fewer.
    fn write_piece(&self, text: &[u8], out: &mut KeyOut<'_>) -> usize {
        if let Some(levels) = self.levels() {
            return levels.append_key(text, out);
        }
        // Not by `memchr`, which first asks the processor what it can do: in a virtual machine that
        // takes as long as a few lines do.
        let length = match text.contains(&0) {
            true => text.iter().take_while(|&&byte| byte != 0).count(),
            false => text.len(),
        };
        let piece = &text[..length];
        match self.raw() {
            Some(locale) => append_piece(piece, out.key, locale),
            None => {
                for bytes in piece.chunks(PIECE_BYTES) {
                    out.key.extend_from_slice(bytes);
                    if !out.is_wanted() {
                        break;
                    }
                }
            }
        }
        length
    }

    /// Returns the tables that keys are made from, unless the library makes them.
    fn levels(&self) -> Option<&Levels> {
        let make = || {
            // SAFETY: the locale object lives, and as long as what is made: both belong to `self`.
            let weights = unsafe { Weights::of(self.raw()?) }?;
            Levels::new(weights, |a, b| self.compare(a, b))
        };
        self.levels.get_or_init(make).as_ref()
    }

    /// Returns the order of two texts, by the C library's comparison.
    pub fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let Some(locale) = self.raw() else { return a.cmp(b) };
        let (mut a, mut b) = (a.split(|&byte| byte == 0), b.split(|&byte| byte == 0));
        loop {
            let (a, b) = match (a.next(), b.next()) {
                (Some(a), Some(b)) => (a, b),
                (a, b) => return a.is_some().cmp(&b.is_some()),
            };
            let order = with_end(a, |a| {
                // SAFETY: both strings end with a NUL, and `locale` is a live locale object.
                with_end(b, |b| unsafe { strcoll_l(a.as_ptr(), b.as_ptr(), locale) })
            });
            if order != 0 {
                return order.cmp(&0);
            }
        }
    }

    /// Returns the object as C functions take it.
    fn raw(&self) -> Option<locale_t> {
        self.handle.map(|handle| handle.as_ptr().cast())
    }

    /// Returns one of the locale's strings; empty for strings that the locale C does not have.
    fn item(&self, item: libc::nl_item) -> Vec<u8> {
        let Some(locale) = self.raw() else {
            return if item == libc::RADIXCHAR { b".".to_vec() } else { Vec::new() };
        };
        // SAFETY: `locale` is a live locale object; items it does not know are empty strings, and
        // each ends with a NUL and lives as long as the object.
        unsafe {
            let text = libc::nl_langinfo_l(item, locale);
            if text.is_null() { Vec::new() } else { CStr::from_ptr(text).to_bytes().to_vec() }
        }
    }
}

impl ByteClasses {
    /// Returns the classes of the locale C, and of all UTF-8 locales.
    pub fn c() -> Self {
        let class = |is: fn(&u8) -> bool| std::array::from_fn(|byte| is(&(byte as u8)));
        Self {
            is_blank: class(|byte| matches!(byte, b' ' | b'\t')),
            is_alphanumeric: class(u8::is_ascii_alphanumeric),
            is_printable: class(|byte| (b' '..=b'~').contains(byte)),
            upper: std::array::from_fn(|byte| (byte as u8).to_ascii_uppercase()),
        }
    }
}

/// Lends a text without NULs as a string of the C library.
fn with_end<T>(text: &[u8], use_it: impl FnOnce(&CStr) -> T) -> T {
    let mut buffer = [0; PIECE_BYTES_ON_STACK];
    let mut longer;
    let ended = if text.len() < buffer.len() {
        buffer[..text.len()].copy_from_slice(text);
        &buffer[..=text.len()]
    } else {
        longer = Vec::with_capacity(text.len() + 1);
        longer.extend_from_slice(text);
        longer.push(0);
        &longer
    };
    // The caller split at NULs, so the first is the one just written.
    use_it(CStr::from_bytes_until_nul(ended).unwrap_or_default())
}

/// Appends the key of a text without NULs.
fn append_piece(piece: &[u8], key: &mut Vec<u8>, locale: locale_t) {
    if piece.is_empty() {
        return;
    }
    with_end(piece, |piece_ended| {
        let mut room = piece.len() * KEY_BYTES_PER_BYTE + 16;
        loop {
            key.reserve(room);
            let spare = key.spare_capacity_mut();
            let size = spare.len();
            // SAFETY: the string ends with a NUL, `spare` may be written for `size` bytes, and
            // `locale` is a live locale object.
            let length =
                unsafe { strxfrm_l(spare.as_mut_ptr().cast(), piece_ended.as_ptr(), size, locale) };
            if length < size {
                // SAFETY: the call wrote `length` bytes and a NUL into the spare room.
                unsafe { key.set_len(key.len() + length) };
                return;
            }
            room = length + 1;
        }
    });
}

#[cfg(test)]
mod tests;
