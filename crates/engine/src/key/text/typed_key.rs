//! The value of a key in its type, for programs that store it as a number or as text.

use super::encode::fixed::FixedNumber;
use super::encode::machine::NumberType;
use super::encode::written::NumberStyle;
use super::order::{TextOrder, TextSpec, Translation};
use super::part::ValueKey;
use super::text_type::{ByteMeaning, TextType};
use super::trimmed;

/// The value of a key in a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TypedValue<'a> {
    /// No value: the place is empty, or there is none.
    Missing,
    /// A whole number.
    Whole(i64),
    /// Any other number. It may be rounded.
    Real(f64),
    /// Text, or bytes that are none. Of EBCDIC, it is UTF-8.
    Text(&'a [u8]),
}

/// The type of most values of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// Whole numbers.
    Whole,
    /// Numbers with a fraction or without.
    Number,
    /// Floating-point numbers.
    Real,
    /// Anything else.
    Text,
}

/// A key whose values are asked for in their type.
#[derive(Clone, Debug)]
pub struct TypedKey {
    key: ValueKey,
    form: ValueForm,
    value_type: ValueType,
}

/// The form in which records have values.
#[derive(Clone, Copy, Debug)]
enum ValueForm {
    /// Numbers of machines and mainframes.
    Fixed(FixedNumber),
    Float(NumberType),
    /// Digits, with a sign or a point.
    Digits,
    Style(NumberStyle),
    /// One character a byte.
    Page,
    Text,
}

impl TypedKey {
    /// Returns the key that `spec` means in records of `order`, whose own keys play no part.
    /// Values have their letters as records have them, also where case does not count.
    pub fn new(spec: &TextSpec, order: &TextOrder) -> Self {
        let (form, value_type) = form_of(&spec.text_type);
        let spec =
            TextSpec { translation: Translation::default(), collation: None, ..spec.clone() };
        Self { key: ValueKey::new(&spec, order), form, value_type }
    }

    /// Returns the type of most values: a record may have others.
    pub const fn value_type(&self) -> ValueType {
        self.value_type
    }

    /// Shows `body` the value of a record.
    pub fn with_value<T>(&self, record: &[u8], body: impl FnOnce(TypedValue<'_>) -> T) -> T {
        self.key.with_value(record, |text| {
            if self.key.is_blank(text) {
                return body(TypedValue::Missing);
            }
            let number = match self.form {
                ValueForm::Text => None,
                ValueForm::Page => {
                    let text: String = text.iter().map(|byte| char::from(*byte)).collect();
                    return body(TypedValue::Text(text.as_bytes()));
                }
                // What is no value may have a place of its own in the order.
                _ if !self.key.is_of_type(text) => None,
                ValueForm::Fixed(number) => number.read(text).map(whole),
                ValueForm::Float(number) => number.read_float(text).map(real),
                ValueForm::Digits => written(text),
                ValueForm::Style(style) => style.plain(text).as_deref().and_then(written),
            };
            body(number.unwrap_or(TypedValue::Text(text)))
        })
    }
}

/// Returns the form and the type of values of a type.
fn form_of(text_type: &TextType) -> (ValueForm, ValueType) {
    if let Some(number) = FixedNumber::of(text_type) {
        return (ValueForm::Fixed(number), ValueType::Whole);
    }
    if let Some(number) = text_type.machine_number() {
        return (ValueForm::Float(number), ValueType::Real);
    }
    if let Some(style) = text_type.number_style() {
        let value_type = if style.is_whole { ValueType::Whole } else { ValueType::Number };
        return (ValueForm::Style(style), value_type);
    }
    let traits = text_type.traits();
    match () {
        () if traits.is_whole() => (ValueForm::Digits, ValueType::Whole),
        () if traits.is_number() => (ValueForm::Digits, ValueType::Number),
        () if [TextType::FLOAT, TextType::GENERAL].contains(text_type) => {
            (ValueForm::Digits, ValueType::Real)
        }
        () if traits.alphabet == Some(ByteMeaning::Page) => (ValueForm::Page, ValueType::Text),
        () => (ValueForm::Text, ValueType::Text),
    }
}

/// Returns an integer as the number that holds it.
fn whole(value: i128) -> TypedValue<'static> {
    i64::try_from(value).map_or(TypedValue::Real(value as f64), TypedValue::Whole)
}

/// Returns a number as databases hold it. They have no place for what is not a number.
const fn real(value: f64) -> TypedValue<'static> {
    if value.is_nan() { TypedValue::Text(b"NaN") } else { TypedValue::Real(value) }
}

/// Returns the number that is all of `text`, blanks at its ends aside; `None` if it is none.
fn written(text: &[u8]) -> Option<TypedValue<'static>> {
    let text = std::str::from_utf8(trimmed(text)).ok()?;
    text.parse().map(TypedValue::Whole).or_else(|_| text.parse().map(real)).ok()
}

#[cfg(test)]
mod tests;
