//! Known words against words made anew, and faults against faults.

use super::*;
use crate::format::Format;
use crate::format::csv::{Dialect, Rows};
use crate::key::text::TextOrder;
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
            let cell_ends = cut.cell_ends();
            let checked = key.checked_word(CutRecord { bytes: record, cell_ends });
            assert_eq!(checked, key.checked_word(record.into()));
            assert_eq!(checked.as_ref().err(), key.fault(record).as_ref());
            let Ok(word) = checked else { continue };
            let known = KnownWord { key, word, cell_ends };
            assert_eq!(known.words(), key.words());
            for index in 0..4 {
                assert_eq!(known.word(record, index), key.word(record, index), "{record:?}");
            }
            assert_eq!(known.few_words(record.into(), 0), key.few_words(record.into(), 0));
        });
    }
}
