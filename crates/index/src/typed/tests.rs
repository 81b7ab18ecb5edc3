//! Values that are written and read again.

use super::*;

#[test]
fn values_are_read_as_they_were_written() {
    let values = [
        TypedValue::Missing,
        TypedValue::Whole(i64::MIN),
        TypedValue::Real(-0.5),
        TypedValue::Text(b""),
        TypedValue::Text(&[7; 300]),
    ];
    let mut bytes = Vec::new();
    assert!(values.iter().all(|value| write(*value, usize::MAX, &mut bytes)));
    let mut rest = &bytes[..];
    values.iter().for_each(|value| assert_eq!(read(&mut rest), Some(*value)));
    assert_eq!((rest, read(&mut rest)), (&b""[..], None));
    for kept in 0..bytes.len() {
        let mut cut = &bytes[..kept];
        let whole = values.iter().take_while(|_| read(&mut cut).is_some()).count();
        assert!(whole < values.len(), "{kept} bytes");
    }
    assert!(!write(TypedValue::Text(b"1234"), bytes.len() + 3, &mut bytes));
}
