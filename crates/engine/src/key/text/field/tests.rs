//! Where keys lie; the tables of blanks and separators are what `sort --debug` underlines.

use super::*;

fn at(field: usize, byte: usize) -> Position {
    Position { field, byte, skips_blanks: false }
}

fn behind_blanks(field: usize, byte: usize) -> Position {
    Position { skips_blanks: true, ..at(field, byte) }
}

fn check(separator: Separator, table: &[(&str, Position, End, &str)]) {
    for &(text, start, end, expected) in table {
        let found = Fields::new(text.as_bytes(), separator).slice(start, end);
        assert_eq!(found, (expected.as_bytes(), Escapes::None), "{text:?} {start:?} {end:?}");
    }
}

#[test]
fn fields_between_blanks() {
    check(
        Separator::Blanks,
        &[
            ("a b c", at(1, 0), End::Field(1), " b"),
            ("  x y", at(1, 0), End::Field(1), " y"),
            ("  x y", at(0, 0), End::Field(0), "  x"),
            ("foo", at(1, 0), End::Field(1), ""),
            ("a b", at(2, 0), End::Record, ""),
            ("a \t b\nc", at(1, 0), End::Record, " \t b\nc"),
            ("a \t b\nc", at(2, 0), End::Record, "\nc"),
            ("a  ", at(1, 0), End::Field(1), "  "),
            ("  xy zz", at(0, 1), End::At(at(0, 3)), " x"),
            ("ab cd", at(0, 0), End::At(at(0, 5)), "ab cd"),
            ("ab cd", at(0, 3), End::At(at(0, 5)), "cd"),
            ("ab cd", at(0, 0), End::At(at(0, 50)), "ab cd"),
            ("ab cd", at(0, 0), End::Within(at(0, 5), 0), "ab"),
            ("ab cd", at(0, 3), End::Within(at(0, 5), 0), ""),
            ("a b  c d", at(1, 0), End::Field(2), " b  c"),
            ("a b  c d", at(1, 1), End::Within(at(1, 9), 2), "b  c"),
            ("a b  c d", at(1, 1), End::Within(at(1, 3), 2), "b "),
            ("a", at(1, 0), End::Field(2), ""),
            ("ab  cd ef", behind_blanks(1, 0), End::Field(1), "cd"),
            ("ab  cdef gh", behind_blanks(1, 1), End::At(behind_blanks(1, 3)), "de"),
            ("ab  cdef gh", behind_blanks(1, 1), End::At(behind_blanks(1, 2)), "d"),
            ("ab  cdef gh", behind_blanks(1, 1), End::At(at(1, 3)), ""),
            ("ab  cdef gh", at(1, 1), End::At(behind_blanks(1, 3)), " cde"),
            ("", at(0, 0), End::Record, ""),
            ("", at(3, 2), End::Field(1), ""),
        ],
    );
}

#[test]
fn fields_between_separators() {
    check(
        Separator::Byte(b':'),
        &[
            ("a:b:c", at(1, 0), End::Field(1), "b"),
            ("a:b:c", at(1, 0), End::Record, "b:c"),
            ("a:b::", at(2, 0), End::Field(2), ""),
            ("a:b::x", at(2, 0), End::Record, ":x"),
            (":::", at(3, 0), End::Field(3), ""),
            (":::", at(0, 0), End::Field(0), ""),
            ("a:b:", at(2, 1), End::At(at(3, 1)), ""),
            ("ab:cd", at(0, 3), End::Field(0), ""),
            ("ab:cd:e", at(0, 3), End::Field(1), "cd"),
            ("ab:  cd:ef", behind_blanks(1, 0), End::At(at(1, 1)), ""),
            ("ab:  cd:ef", behind_blanks(1, 0), End::At(behind_blanks(1, 1)), "c"),
            ("ab:cd:ef", at(1, 1), End::Within(at(1, 9), 1), "d"),
            ("ab:cd:ef:g", at(1, 0), End::Field(2), "cd:ef"),
            ("ab:cd:ef:g", at(1, 1), End::Within(at(1, 9), 2), "d:ef"),
            ("ab:cd", at(1, 0), End::Field(2), "cd"),
            ("ab:cd:ef", at(1, 0), End::At(at(1, 9)), "cd:ef"),
            ("ab", at(1, 0), End::Record, ""),
            ("", at(0, 0), End::Field(0), ""),
        ],
    );
    check(Separator::Byte(b'\t'), &[("a\t\tb", behind_blanks(1, 0), End::Field(1), "")]);
}

/// The ends that are kept change nothing: every pair of questions, near fields and far.
#[test]
fn questions_in_any_order_have_the_same_answers() {
    let texts = ["a b c d e f g h i j k l", "a b", "", "a  b  c  d  e  f  g  h  i "];
    for separator in [Separator::Blanks, Separator::Byte(b' ')] {
        for text in texts {
            let ask =
                |fields: &mut Fields<'static>, field| fields.slice(at(field, 0), End::Field(field));
            let alone = |field| ask(&mut Fields::new(text.as_bytes(), separator), field);
            for (first, second) in (0..13).flat_map(|a| (0..13).map(move |b| (a, b))) {
                let mut fields = Fields::new(text.as_bytes(), separator);
                assert_eq!(ask(&mut fields, first), alone(first));
                assert_eq!(ask(&mut fields, second), alone(second), "{first} {second} {text:?}");
            }
        }
    }
}

#[test]
fn lines_are_fields_that_have_fields() {
    let text = "@a.1 7\n\nx:y\nz";
    let lines = |within| Fields::new(text.as_bytes(), Separator::Lines { end: b'\n', within });
    let slice = |mut fields: Fields<'static>, start, end| {
        String::from_utf8(fields.slice(start, end).0.to_vec()).unwrap()
    };
    assert_eq!(slice(lines(None), at(0, 0), End::Field(0)), "@a.1 7");
    assert_eq!(slice(lines(None), at(1, 0), End::Field(1)), "");
    assert_eq!(slice(lines(None), at(2, 0), End::Field(3)), "x:y\nz");
    assert_eq!(slice(lines(None), at(1, 0), End::Record), "\nx:y\nz");
    assert_eq!(slice(lines(None).of_line(0), at(1, 0), End::Field(1)), " 7");
    assert_eq!(slice(lines(None).of_line(0), at(0, 1), End::Record), "a.1 7");
    assert_eq!(slice(lines(Some(b':')).of_line(2), at(1, 0), End::Field(1)), "y");
    assert_eq!(slice(lines(Some(b':')).of_line(0), at(0, 0), End::Field(0)), "@a.1 7");
    for (line, field) in [(1, 0), (0, 2), (9, 0)] {
        assert_eq!(slice(lines(None).of_line(line), at(field, 0), End::Field(field)), "");
    }
}
