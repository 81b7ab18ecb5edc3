//! Any text is a key of lines or an error in words; a key says itself again, and finds bytes of
//! any line.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sortwell_engine::key::text::{TextKey, TextKeySpec, TextOrder};

fuzz_target!(|data: (&str, &[u8])| {
    let (text, line) = data;
    let spec: TextKeySpec = match text.parse() {
        Ok(spec) => spec,
        Err(words) => {
            let words = words.to_string();
            assert!(!words.is_empty());
            return;
        }
    };
    let said = spec.to_string();
    assert_eq!(said.parse::<TextKeySpec>().as_ref(), Ok(&spec), "{said}");
    // Files that it names, and columns, are not there.
    if said.contains("order=@") || said.contains("sequence=") || spec.column().is_some() {
        return;
    }
    // A list may have a value twice once its case does not count.
    let Ok(spec) = spec.spec(None) else { return };
    let order = TextOrder { specs: vec![spec], ..TextOrder::by_bytes(b'\n') };
    let key = TextKey::new(&order).expect("plain numbers");
    let located = key.located(line, 0).expect("there is one key");
    assert!(line.as_ptr_range().contains(&located.as_ptr()) || located.is_empty());
    assert!(located.len() <= line.len());
});
