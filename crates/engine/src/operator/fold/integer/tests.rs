//! Integers in bytes against those of the language.

use super::*;

#[test]
fn every_kind_reads_what_it_writes_and_holds_what_it_can() {
    for (name, width, is_signed, is_little_endian) in NAMES {
        let integer = IntegerPlace::named(name, 3).unwrap();
        let bits = 8 * width as u32;
        let (least, most) = match is_signed {
            true => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
            false => (0, (1_i128 << bits) - 1),
        };
        for value in [least, least + 1, 0, 1, 77, most - 1, most] {
            let mut bytes = [0xee; 14];
            integer.write(value, &mut bytes);
            assert_eq!(integer.read(&bytes), Some(value), "{name}");
            assert!(integer.holds(value), "{name} {value}");
            assert!(bytes[..3].iter().chain(&bytes[3 + width..]).all(|byte| *byte == 0xee));
            let expected = match is_little_endian {
                true => value.to_le_bytes()[..width].to_vec(),
                false => value.to_be_bytes()[16 - width..].to_vec(),
            };
            assert_eq!(bytes[3..3 + width], expected, "{name} {value}");
        }
        assert!(!integer.holds(least - 1) && !integer.holds(most + 1), "{name}");
        assert_eq!(integer.read(&[0; 3]), None);
    }
    assert_eq!(IntegerPlace::named("f32le", 0), None);
}
