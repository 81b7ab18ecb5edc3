//! That the mark stands under its place.

use super::*;

#[test]
fn the_mark_stands_under_its_place() {
    let shown = |text, at| Mistake::new(at, "wrong").shown_in(text);
    assert_eq!(shown("a = 5", 2), "wrong\n  a = 5\n    ^");
    assert_eq!(shown("", 0), "wrong\n  \n  ^");
    assert_eq!(shown("a >", 3), "wrong\n  a >\n     ^");
    assert_eq!(shown("größe = 5", 8), "wrong\n  größe = 5\n        ^", "characters, not bytes");
    assert_eq!(shown("a\tb\n= 5", 4), "wrong\n  a b = 5\n      ^", "on one line");
}

#[test]
fn of_long_texts_the_surroundings_are_shown() {
    let text: String = ('0'..='9').cycle().take(200).collect();
    let marked = |at: usize| {
        let words = Mistake::new(at, "wrong").shown_in(&text);
        let lines: Vec<&str> = words.lines().collect();
        assert!(lines[1].len() <= 2 + 3 + SHOWN + 3, "{words}");
        let column = lines[2].len() - 1;
        (lines[1].chars().nth(column), lines[1].starts_with("  ..."), lines[1].ends_with("..."))
    };
    assert_eq!(marked(7), (Some('7'), false, true));
    assert_eq!(marked(95), (Some('5'), true, true));
    assert_eq!(marked(199), (Some('9'), true, false));
    assert_eq!(marked(200), (None, true, false));
}
