//! Any text is a size, a share of memory, a format, a key of records of fixed length, a place, a
//! fold, a number of files or a form of days, or an error in words; what says itself again is read
//! as the same.
//!
//! The first character chooses what is read, the bytes are a record or a value.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sortwell_engine::ByteSize;
use sortwell_engine::format::{Format, Framing, Prefix};
use sortwell_engine::codec::{Compress, Decompress};
use sortwell_engine::io::{Direct, Engine};
use sortwell_engine::job::Budget;
use sortwell_engine::key::text::{DateFormat, TextKey, TextOrder};
use sortwell_engine::key::{CompiledKey, Key, KeyEncoder, ListMemory};
use sortwell_engine::operator::{FoldSpec, Function, Place, Split};

/// What was read, or nothing where it was refused in words.
fn read<T, E: ToString>(answer: Result<T, E>) -> Option<T> {
    answer.inspect_err(|error| assert!(!error.to_string().is_empty())).ok()
}

fn fixed_key(text: &str, record: &[u8]) {
    let Some(key) = read(text.parse::<Key>().map_err(|error| error.to_string())) else { return };
    let said = key.to_string();
    if record.is_empty() || said.contains("order=@") || said.contains("sequence=") {
        return;
    }
    let format = Format::Fixed { length: record.len() as u32 };
    let Ok(key) = CompiledKey::of_keys(&[key], format) else { return };
    let mut bytes = Vec::new();
    key.encoder().key_bytes(record, usize::MAX, &mut bytes);
    let is_of_bytes = !matches!(key, CompiledKey::Text(_));
    assert!(!is_of_bytes || bytes.len() <= 2 * record.len() + 16, "{said}");
}

fn format(text: &str) {
    let Some(format) = read(text.parse::<Format>()) else { return };
    if let Framing::Prefixed(prefix) = format.framing() {
        assert_eq!(Prefix::named(&prefix.to_string()), Some(prefix));
        assert_eq!(Prefix::of_code(prefix.code()), Some(prefix));
    }
}

fn day(pattern: &str, value: &[u8]) {
    let Some(form) = read(DateFormat::new(pattern)) else { return };
    assert!(form.has_date || form.has_time);
    let kind = match (form.has_date, form.has_time) {
        (true, true) => "timestamp",
        (true, false) => "date",
        _ => "time",
    };
    let spec: Key = format!("..:{kind}").parse().expect("a type");
    let specs = vec![spec.spec(ListMemory::UNBOUNDED).expect("no file")];
    let format = Some(std::sync::Arc::new(form));
    let order = TextOrder { specs, ..TextOrder::of(Format::Fixed { length: 1 }) }
        .with(|options| options.date_format = format);
    let Ok(key) = TextKey::new(&order) else { return };
    let mut bytes = Vec::new();
    key.key_bytes(value, usize::MAX, &mut bytes);
    let _ = key.fault(value);
}

fuzz_target!(|data: (&str, &[u8])| {
    let (text, bytes) = data;
    let Some(first) = text.chars().next() else { return };
    let text = &text[first.len_utf8()..];
    match first {
        's' => {
            let Some(size) = read(text.parse::<ByteSize>()) else { return };
            assert!(!size.to_string().is_empty());
        }
        'm' => {
            if let Some(Budget::Percent(share)) = read(text.parse::<Budget>()) {
                assert!(share > 0.0 && share <= 100.0);
            }
        }
        'f' => format(text),
        'k' => fixed_key(text, bytes),
        'p' => {
            let Some(place) = read(text.parse::<Place>()) else { return };
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        'o' => {
            for function in [Function::Sum, Function::Min, Function::Max] {
                read(FoldSpec::read(function, text));
            }
        }
        'n' => {
            if let Some(Split::Count(count)) = read(text.parse::<Split>()) {
                assert!(count > 0);
            }
        }
        'c' => {
            read(text.parse::<Compress>());
            read(text.parse::<Decompress>());
            read(text.parse::<Engine>());
            read(text.parse::<Direct>());
        }
        _ => day(text, bytes),
    }
});
