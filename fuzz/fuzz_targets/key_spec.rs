//! Any text is a key or an error that names it; a key shows itself as text that reads back as the
//! same key, fits a format or does not, and finds bytes of any line.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sortwell_engine::format::Format;
use sortwell_engine::key::text::{TextKey, TextOrder};
use sortwell_engine::key::{Key, ListMemory};

const FORMATS: [Format; 4] =
    [Format::LINES, Format::CSV, Format::JsonLines, Format::Fixed { length: 8 }];

fuzz_target!(|data: (&str, &[u8])| {
    let (text, line) = data;
    let key: Key = match text.parse() {
        Ok(key) => key,
        Err(error) => {
            assert_eq!(error.key(), text);
            assert!(error.to_string().contains(text), "{error}");
            return;
        }
    };
    let said = key.to_string();
    assert_eq!(said.parse::<Key>().as_ref(), Ok(&key), "{said}");
    assert_eq!(key.clone().reversed().reversed(), key, "{said}");
    for format in FORMATS {
        if let Err(error) = key.check(format) {
            assert_eq!(error.key(), said);
        }
    }
    // Files that it names, and columns, are not there.
    if said.contains("order=@") || said.contains("sequence=") || key.column().is_some() {
        return;
    }
    // A list may have a value twice once its case does not count.
    let Ok(spec) = key.spec(ListMemory::UNBOUNDED) else { return };
    let order = TextOrder { specs: vec![spec], ..TextOrder::by_bytes(b'\n') };
    let key = TextKey::new(&order).expect("plain numbers");
    let located = key.located(line, 0).expect("there is one key");
    assert!(line.as_ptr_range().contains(&located.as_ptr()) || located.is_empty());
    assert!(located.len() <= line.len());
});
