//! Any text is an expression or an error in words; an expression says itself again, and finds an
//! answer for any record of any format, the same one every time.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sortwell_engine::error::Message;
use sortwell_engine::format::Format;
use sortwell_engine::key::text::{TextOrder, TextSpec};
use sortwell_engine::key::{Key, ListMemory};
use sortwell_engine::predicate::{Expression, Filter};

/// What a key means, unless it names a file.
fn resolve(key: &Key) -> Result<TextSpec, Message> {
    let text = key.to_string();
    if text.contains('@') || text.contains("sequence") {
        return Err("no files here".into());
    }
    key.spec(ListMemory::UNBOUNDED).map_err(|e| e.to_string().into())
}

const FORMATS: [Format; 3] = [Format::LINES, Format::CSV, Format::Fixed { length: 8 }];

fuzz_target!(|data: (&str, &[u8])| {
    let (text, record) = data;
    let expression: Expression = match text.parse() {
        Ok(expression) => expression,
        Err(words) => {
            let words = words.to_string();
            assert!(words.trim_end().ends_with('^'), "no place is marked: {words}");
            return;
        }
    };
    let said = expression.to_string();
    assert_eq!(said.parse::<Expression>().as_ref(), Ok(&expression), "{said}");
    for format in FORMATS {
        let order = TextOrder::of(format);
        let including = Filter { include: vec![expression.clone()], exclude: Vec::new() };
        let Ok(Some(predicate)) = including.predicate(&order, resolve) else { continue };
        let is_admitted = predicate.admits(record);
        assert_eq!(predicate.admits(record), is_admitted, "{said}");
        let excluding = RecordFilter { include: Vec::new(), exclude: vec![expression.clone()] };
        let excluding = excluding.predicate(&order, resolve);
        let excluding = excluding.expect("it was bound before").expect("something is said");
        assert_eq!(excluding.admits(record), !is_admitted, "{said}");
    }
});
