//! Known numbers both ways, and any number that fits.

use proptest::prelude::*;

use super::*;

fn written(value: i128, width: usize) -> Vec<u8> {
    let mut bytes = vec![0xff; width];
    Packed::write(value, &mut bytes);
    bytes
}

#[test]
fn known_numbers() {
    let known: [(i128, &[u8]); 6] = [
        (12_345, &[0x12, 0x34, 0x5c]),
        (-12_345, &[0x12, 0x34, 0x5d]),
        (7, &[0x00, 0x7c]),
        (0, &[0x00, 0x0c]),
        (-1, &[0x1d]),
        (99_999, &[0x99, 0x99, 0x9c]),
    ];
    for (value, bytes) in known {
        assert_eq!(Packed::read(bytes), Some(value));
        assert_eq!(written(value, bytes.len()), bytes);
    }
    assert_eq!(Packed::read(&[0x12, 0x3f]), Some(123));
    assert_eq!(Packed::read(&[0x12, 0x3b]), Some(-123));
    assert_eq!(Packed::read(&[0x00, 0x0d]), Some(0));
}

#[test]
fn other_bytes_are_no_number() {
    for bytes in [&[][..], &[0x12, 0x34], &[0x1a, 0x3c], &[0xa1, 0x3c], &[0x12, 0xac]] {
        assert_eq!(Packed::read(bytes), None, "{bytes:x?}");
    }
}

#[test]
fn it_holds_what_its_digits_do() {
    let packed = Packed { start: 0, width: 3 };
    assert_eq!(packed.digits(), 5);
    assert!(packed.holds(99_999) && packed.holds(-99_999));
    assert!(!packed.holds(100_000) && !packed.holds(-100_000));
    let widest = Packed { start: 0, width: WIDTH_MAX };
    let most = 10_i128.pow(31) - 1;
    assert!(widest.holds(most) && !widest.holds(most + 1));
    assert_eq!(Packed::read(&written(-most, WIDTH_MAX)), Some(-most));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(value in -9_999_999_i128..=9_999_999, wider in 0_usize..12) {
        prop_assert_eq!(Packed::read(&written(value, 4 + wider)), Some(value));
    }
}
