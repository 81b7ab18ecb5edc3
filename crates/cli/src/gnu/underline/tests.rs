//! Lines and what is below them, as `sort --debug` was seen to print it.

use sortwell::unstable::key::text::{LastResort, Position, TextSpec};

use super::*;

fn shown(order: &TextOrder, lines: &[u8]) -> String {
    let (mut out, locale) = (Vec::new(), Locale::c());
    let underline = Underline::new(order, &locale).unwrap();
    underline.copy(&mut &lines[..], &mut out).unwrap();
    String::from_utf8_lossy(&out).into_owned()
}

/// By the second field as a decimal number, then by the whole line.
fn by_second_field() -> TextOrder {
    let start = Position { field: 1, ..Position::default() };
    let spec = TextSpec { start, text_type: TextType::NUMERIC, ..TextSpec::default() };
    let then_whole = Some(LastResort::default());
    TextOrder { specs: vec![spec], ..TextOrder::by_bytes(b'\n') }
        .with(|options| options.then_whole = then_whole)
}

#[test]
fn keys_and_last_resort_stand_below_their_bytes() {
    let lines = b"a\t 10x\nb\n\nc -";
    let expected = "\
a> 10x
   __
______
b
 ^ no match for key
_

^ no match for key
^ no match for key
c -
  ^ no match for key
___
";
    assert_eq!(shown(&by_second_field(), lines), expected);
}

#[test]
fn lines_alone_are_underlined_whole() {
    let mut order = TextOrder::by_bytes(0);
    assert_eq!(shown(&order, b"ab\0\tc\n\0"), "ab\n__\n>c\n\n__\n");
    order.specs = vec![TextSpec::default()];
    assert_eq!(shown(&order, b"ab\0"), "ab\n__\n");
}
