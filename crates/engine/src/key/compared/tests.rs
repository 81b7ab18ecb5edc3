//! A function that compares numbers, and one that panics.

use super::*;
use crate::format::Format;
use crate::key::text::TextOrder;
use crate::key::{CompiledKey, OrderOptions};
use crate::stats::Progress;

/// Numbers by their last digit.
struct ByDigit;

impl Compare for ByDigit {
    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        left.last().cmp(&right.last())
    }
}

fn key_of(function: impl Compare + 'static) -> (CompiledKey, OrderOptions) {
    let options =
        OrderOptions { comparison: Some(OrderFunction::new(function)), ..OrderOptions::default() };
    let order = TextOrder { options: options.clone(), ..TextOrder::of(Format::LINES) };
    (CompiledKey::new(&order).expect("a key"), options)
}

#[test]
fn records_compare_as_the_function_says() {
    let (key, options) = key_of(ByDigit);
    let key = key.encoder();
    assert_eq!(key.compare_from(b"19\n", b"21\n", 0), Ordering::Greater);
    assert_eq!(key.compare_from(b"19\n", b"29\n", 0), Ordering::Equal);
    assert_eq!(key.first_difference(b"19\n", b"21\n", 0), Some(1));
    assert_eq!(key.first_difference(b"19\n", b"29\n", 0), None);
    let mut bytes = Vec::new();
    key.key_bytes(b"19\n"[..].into(), 20, &mut bytes);
    assert_eq!(bytes, [0; 20], "nothing is known, and more may follow");
    assert!(options.checked(Ok(())).is_ok());
}

#[test]
fn a_panic_is_an_error_of_the_job() {
    struct Panics;
    impl Compare for Panics {
        fn compare(&self, _: &[u8], _: &[u8]) -> Ordering {
            panic!("no order")
        }
    }
    let (key, options) = key_of(Panics);
    assert_eq!(key.encoder().compare_from(b"1\n", b"2\n", 0), Ordering::Equal);
    let error = options.checked(Ok(())).expect_err("an error");
    assert!(error.to_string().contains("panicked: no order"), "{error}");
}

#[test]
fn a_stop_ends_the_calls_and_is_an_error_of_the_job() {
    let (_, mut options) = key_of(ByDigit);
    let progress = Progress::new();
    options.stop_with(&progress);
    let order = options.comparison.clone().expect("a function");
    assert_eq!(order.compare(b"19", b"21"), Ordering::Greater);
    progress.request_stop();
    assert!(options.checked(Ok(())).is_ok(), "all calls were made");
    assert_eq!(order.compare(b"19", b"21"), Ordering::Equal);
    assert!(matches!(options.checked(Ok(())), Err(Error::Interrupted)));
}
