//! Known numbers both ways, and any number that fits.

use proptest::prelude::*;

use super::*;

fn written(value: i128, width: usize) -> Vec<u8> {
    let mut bytes = vec![0xff; width];
    FixedNumber::Packed.write(value, &mut bytes);
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
        assert_eq!(FixedNumber::Packed.read(bytes), Some(value));
        assert_eq!(written(value, bytes.len()), bytes);
    }
    assert_eq!(FixedNumber::Packed.read(&[0x12, 0x3f]), Some(123));
    assert_eq!(FixedNumber::Packed.read(&[0x12, 0x3b]), Some(-123));
    assert_eq!(FixedNumber::Packed.read(&[0x00, 0x0d]), Some(0));
}

#[test]
fn other_bytes_are_no_number() {
    for bytes in [&[][..], &[0x12, 0x34], &[0x1a, 0x3c], &[0xa1, 0x3c], &[0x12, 0xac]] {
        assert_eq!(FixedNumber::Packed.read(bytes), None, "{bytes:x?}");
    }
}

#[test]
fn it_holds_what_its_digits_do() {
    let packed = FixedNumber::Packed;
    assert_eq!(packed.room(3), "5 digits");
    assert!(packed.holds(99_999, 3) && packed.holds(-99_999, 3));
    assert!(!packed.holds(100_000, 3) && !packed.holds(-100_000, 3));
    let most = 10_i128.pow(31) - 1;
    assert!(packed.holds(most, PACKED_BYTES_MAX) && !packed.holds(most + 1, PACKED_BYTES_MAX));
    assert_eq!(packed.read(&written(-most, PACKED_BYTES_MAX)), Some(-most));
}

/// Integers in bytes against those of the language.
#[test]
fn every_integer_reads_what_it_writes_and_holds_what_it_can() {
    for (name, _) in machine::NUMBERS.iter().filter(|(name, _)| !name.starts_with('f')) {
        let integer = FixedNumber::named(name).unwrap();
        let FixedNumber::Integer(number) = integer else { panic!("{name}") };
        let (width, bits) = (number.width_bytes(), 8 * number.width_bytes() as u32);
        let (least, most) = match name.starts_with('i') {
            true => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
            false => (0, (1_i128 << bits) - 1),
        };
        for value in [least, least + 1, 0, 1, 77, most - 1, most] {
            let mut bytes = vec![0xee; width];
            integer.write(value, &mut bytes);
            assert_eq!(integer.read(&bytes), Some(value), "{name}");
            assert!(integer.holds(value, width), "{name} {value}");
            let expected = match name.ends_with("le") {
                true => value.to_le_bytes()[..width].to_vec(),
                false => value.to_be_bytes()[16 - width..].to_vec(),
            };
            assert_eq!(bytes, expected, "{name} {value}");
        }
        assert!(!integer.holds(least - 1, width) && !integer.holds(most + 1, width), "{name}");
        assert_eq!(integer.end(3, Some(3 + width), "p"), Ok(3 + width));
        assert!(integer.end(3, Some(4 + width), "p").unwrap_err().contains("not as wide"));
        assert!(integer.end(3, None, "p").is_err());
    }
    assert_eq!(FixedNumber::named("f32le"), None);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(value in -9_999_999_i128..=9_999_999, wider in 0_usize..12) {
        prop_assert_eq!(FixedNumber::Packed.read(&written(value, 4 + wider)), Some(value));
    }
}
