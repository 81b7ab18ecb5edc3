//! Widths as `sort --debug` of GNU was seen to underline them.

use super::*;

#[test]
fn bytes_of_c_have_a_column_but_for_controls() {
    let columns = |text: &[u8]| Locale::c().columns(text);
    assert_eq!(columns(b"a\x01\x80\xc3\xa4"), 4);
    assert_eq!(columns(b"\0\x1b\x7f"), 0);
    assert_eq!(columns(b""), 0);
}

#[test]
fn characters_of_utf8_are_as_wide_as_shown() {
    let Some(locale) = Locale::named("C.UTF-8") else {
        println!("LEFT OUT: this machine has no locale C.UTF-8");
        return;
    };
    let cases: [(&[u8], usize); 11] = [
        ("a\u{e4}".as_bytes(), 2),
        ("\u{65e5}e\u{301}".as_bytes(), 3),
        ("\u{1f600}".as_bytes(), 2),
        ("\u{200b}\u{2028}\u{85}".as_bytes(), 0),
        // Nobody has given these a meaning, nor a width.
        ("\u{378}\u{ffff}".as_bytes(), 2),
        (b"a\x01\x1b\x7f\x80z\0", 3),
        (b"\xe6\x97 b", 4),
        (b"\xed\xa0\x80", 3),
        (b"\xfe\xff", 2),
        (b"\xc1\xbf", 2),
        (b"\0a\0", 1),
    ];
    for (text, expected) in cases {
        assert_eq!(locale.columns(text), expected, "{}", text.escape_ascii());
    }
}

#[test]
fn what_the_end_cuts_off_has_one_column() {
    let Some(locale) = Locale::named("C.UTF-8").filter(|_| cfg!(target_env = "gnu")) else {
        println!("LEFT OUT: this machine has no locale C.UTF-8 of glibc");
        return;
    };
    let cut: [&[u8]; 9] = [
        b"\xe6",
        b"\xe6\x97",
        b"\xf0\x9f\x98",
        // Beginnings of what would turn out to be no character.
        b"\xe0\x80",
        b"\xed\xa0",
        b"\xf4\x90",
        b"\xf5\x80",
        b"\xfb\xbf",
        // Not even that: a whole one, beyond the last that has a meaning.
        b"\xf5\x80\x80\x80",
    ];
    for text in cut {
        assert_eq!(locale.columns(text), 1, "{}", text.escape_ascii());
        assert_eq!(locale.columns(&[b"a", text].concat()), 2, "{}", text.escape_ascii());
    }
}

#[test]
fn bytes_of_latin_1_are_characters() {
    let Some(locale) = Locale::named("de_DE.ISO-8859-1") else {
        println!("LEFT OUT: this machine has no locale de_DE.ISO-8859-1");
        return;
    };
    assert_eq!(locale.columns(b"a\xe4\xff\x80\x9f\x01"), 3);
}

#[test]
fn threads_keep_the_locale_they_had() {
    let Some(locale) = Locale::named("C.UTF-8") else {
        println!("LEFT OUT: this machine has no locale C.UTF-8");
        return;
    };
    // SAFETY: a null locale asks which one the thread has, and changes nothing.
    let current = || unsafe { libc::uselocale(std::ptr::null_mut()) };
    let before = current();
    assert_eq!(locale.columns("\u{65e5}".as_bytes()), 2);
    assert_eq!(current(), before);
}
