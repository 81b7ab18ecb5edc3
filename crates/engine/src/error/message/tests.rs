//! Messages keep references apart from text, however they are put together.

use std::path::Path;

use super::{Message, places};
use crate::error::{Operation, Reference, Setting};
use crate::units::ByteSize;

/// Names as a program would have them.
fn flag(reference: &Reference) -> String {
    match reference {
        Reference::Setting(setting, None) => format!("--{setting}"),
        Reference::Setting(setting, Some(value)) => format!("--{setting}={value}"),
        Reference::Operation(operation, operand) => format!("run {operation:?} {operand:?}"),
    }
}

#[test]
fn a_message_has_the_names_of_the_library_or_of_the_caller() {
    let message = message!("give at least {} with {}", ByteSize::mib(3), Setting::Memory);
    assert_eq!(message.to_string(), "give at least 3 MiB with memory");
    assert_eq!(message.render(flag), "give at least 3 MiB with --memory");
    let message = message!("{} it, or {}", Operation::CleanSpill.on("/t"), Setting::Sync.to("off"));
    assert_eq!(message.to_string(), "a cleanup of spill directories (/t) it, or sync off");
    assert_eq!(message.render(flag), "run CleanSpill Some(\"/t\") it, or --sync=off");
}

#[test]
fn text_that_looks_like_a_reference_stays_text() {
    let path = Path::new("{} --memory");
    let message = message!("{}: is full", path.display());
    assert_eq!(message.render(flag), "{} --memory: is full");
    assert_eq!(message.references().count(), 0);
    assert_eq!(message, Message::from("{} --memory: is full"));
}

#[test]
fn messages_stand_in_messages() {
    let advice = message!("give more {}", Setting::Memory);
    let whole = message!("{}; {}", String::from("too small"), advice);
    assert_eq!(whole, message!("{}; give more {}", "too small", Setting::Memory));
    let whole = message!("{}, or another {}{}", whole, Setting::Format, None::<Setting>);
    assert_eq!(whole.render(flag), "too small; give more --memory, or another --format");
    let settings = [Setting::Memory, Setting::Format].map(|one| Reference::Setting(one, None));
    assert_eq!(whole.references().cloned().collect::<Vec<_>>(), settings);
}

#[test]
fn places_of_a_template_are_counted() {
    for (template, expected) in [("", 0), ("a", 0), ("{}", 1), ("{}{}", 2), ("a {} b {}", 2)] {
        assert_eq!(places(template), expected, "{template}");
        assert_eq!(template.split("{}").count(), expected + 1, "{template}");
    }
    for wrong in ["{a}", "{", "}", "{{}}", "{:?}"] {
        assert!(std::panic::catch_unwind(|| places(wrong)).is_err(), "{wrong}");
    }
}
