//! Known words against words made anew, and faults against faults.

use super::*;
use crate::format::csv::{Dialect, Rows};
use crate::format::{FieldEnds, Format};
use crate::key::text::{Separator, TextOrder};
use crate::key::{CompiledKey, Key, ListMemory, with_encoder};

const CSV: Dialect = Dialect::strict(b',', Some(b'"'));

#[test]
fn known_words_are_those_of_the_key() {
    let spec = |text: &str| text.parse::<Key>().unwrap().spec(ListMemory::UNBOUNDED).unwrap();
    let specs = vec![spec("2:int"), spec("1:desc"), spec("3:date")];
    let key = CompiledKey::new(&TextOrder { specs, ..TextOrder::of(Format::CSV) }).unwrap();
    let rows: [&[u8]; 6] = [
        b"some long name,12,2024-05-06\n",
        b"\"a \"\"b\"\"\",,\n",
        b"c,\"-5\",2024-13-01\n",
        b"c,x,2024-12-01\n",
        b"\n",
        b"d\n",
    ];
    for record in rows {
        with_encoder!(&key, |key| {
            let mut cut = Rows::new(CSV, record).noting(key.cells_wanted());
            cut.next();
            let field_ends = cut.cell_ends();
            let checked = key.checked_word(CutRecord { bytes: record, field_ends });
            assert_eq!(checked, key.checked_word(record.into()));
            assert_eq!(checked.as_ref().err(), key.fault(record).as_ref());
            let Ok(word) = checked else { continue };
            let known = KnownWord { key, word, field_ends };
            assert_eq!(known.words(), key.words());
            for index in 0..4 {
                assert_eq!(known.word(record, index), key.word(record, index), "{record:?}");
            }
            assert_eq!(known.few_words(record.into(), 0), key.few_words(record.into(), 0));
        });
    }
}

#[test]
fn keys_of_cut_lines_are_those_of_lines() {
    let spec = |text: &str| text.parse::<Key>().unwrap().spec(ListMemory::UNBOUNDED).unwrap();
    let long = [b"  word 17 other  end", &b" of".repeat(60)[..], b" it\n"].concat();
    let lines = [
        &b" a 7 b\n"[..],
        b"a:3:b\n",
        b"a  -12.5\tc d\n",
        b"\n",
        b":\n",
        b"  \n",
        b"one\n",
        b"a:b: 9:c\n",
        &long,
    ];
    let data = [lines.concat(), vec![b'x'; 128]].concat();
    for separator in [Separator::Blanks, Separator::Byte(b':')] {
        for keys in [&["2:decimal"][..], &["3", "1"], &["2:desc", "4:int"], &["9", "2"]] {
            let specs = keys.iter().map(|text| spec(text)).collect();
            let order = TextOrder { specs, separator, ..TextOrder::of(Format::LINES) };
            let CompiledKey::Text(key) = CompiledKey::new(&order).unwrap() else {
                panic!("{keys:?} are keys of text");
            };
            let cutter = key.field_cutter().expect("fields are wanted");
            let (mut at, mut fields) = (0, FieldEnds::default());
            for line in lines {
                assert_eq!(cutter.cut(&data[at..], &mut fields), Some(line.len()));
                at += line.len();
                let cut = CutRecord { bytes: line, field_ends: fields.ends() };
                assert_eq!(key.first_word(cut), key.word(line, 0), "{keys:?} of {line:?}");
                assert_eq!(key.checked_word(cut), key.checked_word(line.into()));
                assert_eq!(key.few_words(cut, 0), key.few_words(line.into(), 0));
                assert_eq!(key.few_words(cut, 1), key.few_words(line.into(), 1));
            }
        }
    }
}
