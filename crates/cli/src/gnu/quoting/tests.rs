//! Quoted words against what GNU sort 9.1 was seen to write.

use super::*;

#[test]
fn names_are_quoted_where_a_shell_needs_it() {
    let c = Locale::c();
    let quoting = Quoter::new(&c);
    let cases: [(&[u8], &str); 20] = [
        (b"plain", "plain"),
        (b"a b", "'a b'"),
        (b"a:b", "'a:b'"),
        (b"a'b", "\"a'b\""),
        (b"a$b", "'a$b'"),
        (b"a\nb", "'a'$'\\n''b'"),
        (b"", "''"),
        (b"a=b", "'a=b'"),
        (b"~a", "'~a'"),
        (b"a~", "a~"),
        (b"#a", "'#a'"),
        (b"a#", "a#"),
        (b"a\x01b", "'a'$'\\001''b'"),
        (b"a'b\"c", "'a'\\''b\"c'"),
        (b"a]", "a]"),
        (b"{", "'{'"),
        (b"a{b", "a{b"),
        (b"a,b%c@d", "a,b%c@d"),
        (b"!a", "'!a'"),
        (b"\xff", "''$'\\377'"),
    ];
    for (name, quoted) in cases {
        let found = quoting.file(name);
        assert_eq!(String::from_utf8_lossy(&found), quoted, "{name:?}");
    }
    assert_eq!(quoting.file_always(b"f"), b"'f'");
}

#[test]
fn text_is_always_quoted_and_escaped() {
    let c = Locale::c();
    let quoting = Quoter::new(&c);
    let cases: [(&[u8], &str); 6] = [
        (b"ab", "'ab'"),
        (b"a'b\tc", "'a\\'b\\tc'"),
        (b"a\\", "'a\\\\'"),
        (b"a\x7f", "'a\\177'"),
        (b"a\"b", "'a\"b'"),
        (b"\xc3\xbc", "'\\303\\274'"),
    ];
    for (text, quoted) in cases {
        assert_eq!(String::from_utf8_lossy(&quoting.text(text)), quoted, "{text:?}");
    }
}

#[test]
fn letters_and_marks_of_utf8_are_shown() {
    let Some(locale) = Locale::named("C.UTF-8") else {
        println!("LEFT OUT: this machine has no locale C.UTF-8");
        return;
    };
    let quoting = Quoter::new(&locale);
    assert_eq!(quoting.text("ü'".as_bytes()), "‘ü'’".as_bytes());
    assert_eq!(quoting.text(b"a\xfc"), "‘a\\374’".as_bytes());
    assert_eq!(quoting.file("ü".as_bytes()), "ü".as_bytes());
}
