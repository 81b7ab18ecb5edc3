//! The value of a key in its type, for programs that store it as a number or as text.

use super::encode::fixed::FixedNumber;
use super::encode::machine::NumberType;
use super::encode::number::{Grammar, Number};
use super::encode::written::NumberStyle;
use super::order::{NumberFormat, Separator, TextOrder, TextSpec, Translation};
use super::part::ValueKey;
use super::text_type::{ByteMeaning, TextType, Usual};
use super::trimmed;

/// The value of a key in a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TypedValue<'a> {
    /// No value: the place is empty, there is none, or no number is there that should be one.
    Missing,
    /// A whole number.
    Whole(i64),
    /// Any other number. It may be rounded.
    Real(f64),
    /// Text, or bytes that are none. Of EBCDIC, it is UTF-8.
    Text(&'a [u8]),
}

/// The type of the values of a key.
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
    Decimal(Grammar),
    /// Digits as before, with an exponent or without.
    Exponent,
    Style(NumberStyle),
    /// One character a byte.
    Page,
    Text,
}

impl TypedKey {
    /// Returns the key that `spec` means in records of `order`, whose own keys play no part. Values
    /// have their letters as records have them, also where case does not count. Fields between
    /// blanks are without these blanks.
    pub fn new(spec: &TextSpec, order: &TextOrder) -> Self {
        let (form, value_type) = form_of(&spec.text_type);
        let is_between_blanks = order.separator == Separator::Blanks && !order.body.has_no_fields();
        let spec = TextSpec {
            translation: Translation::default(),
            collation: None,
            trims: spec.trims || is_between_blanks,
            ..spec.clone()
        };
        Self { key: ValueKey::new(&spec, order), form, value_type }
    }

    /// Returns the type of its values.
    pub const fn value_type(&self) -> ValueType {
        self.value_type
    }

    /// Shows `body` the value of a record.
    pub fn with_value<T>(&self, record: &[u8], body: impl FnOnce(TypedValue<'_>) -> T) -> T {
        self.key.with_value(record, |text| {
            if self.key.is_blank(text) {
                return body(TypedValue::Missing);
            }
            let is_value = self.key.is_of_type(text);
            let number = match self.form {
                ValueForm::Text => return body(TypedValue::Text(text)),
                ValueForm::Page => {
                    let text: String = text.iter().map(|byte| char::from(*byte)).collect();
                    return body(TypedValue::Text(text.as_bytes()));
                }
                ValueForm::Decimal(grammar) if !is_value && self.key.is_loose() => {
                    Some(leading(text, grammar))
                }
                _ if !is_value => None,
                ValueForm::Fixed(number) => number.read(text).map(whole),
                ValueForm::Float(number) => number.read_float(text).and_then(real),
                ValueForm::Decimal(_) | ValueForm::Exponent => written(text),
                ValueForm::Style(style) => style.plain(text).as_deref().and_then(written),
            };
            body(number.unwrap_or(TypedValue::Missing))
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
    match traits.usual {
        Usual::Numbers(grammar) if grammar.takes_fraction => {
            (ValueForm::Decimal(grammar), ValueType::Number)
        }
        Usual::Numbers(grammar) => (ValueForm::Decimal(grammar), ValueType::Whole),
        _ if [TextType::FLOAT, TextType::GENERAL].contains(text_type) => {
            (ValueForm::Exponent, ValueType::Real)
        }
        _ if traits.alphabet == Some(ByteMeaning::Page) => (ValueForm::Page, ValueType::Text),
        _ => (ValueForm::Text, ValueType::Text),
    }
}

/// Returns an integer as the number that holds it.
fn whole(value: i128) -> TypedValue<'static> {
    i64::try_from(value).map_or(TypedValue::Real(value as f64), TypedValue::Whole)
}

/// Returns a number, if it is one: databases have no place for NaN.
fn real(value: f64) -> Option<TypedValue<'static>> {
    (!value.is_nan()).then_some(TypedValue::Real(value))
}

/// Returns the number that is all of `text`, blanks at its ends aside; `None` if it is none.
fn written(text: &[u8]) -> Option<TypedValue<'static>> {
    let text = std::str::from_utf8(trimmed(text)).ok()?;
    text.parse().map(TypedValue::Whole).ok().or_else(|| real(text.parse().ok()?))
}

/// Returns the number that `text` begins with; 0 if it begins with none, as in the order of lines.
fn leading(text: &[u8], grammar: Grammar) -> TypedValue<'static> {
    let Number { is_negative, whole, fraction, .. } =
        Number::read(text, NumberFormat::default(), grammar);
    let sign: &[u8] = if is_negative { b"-" } else { b"" };
    let point: &[u8] = if fraction.is_empty() { b"" } else { b"." };
    written(&[sign, b"0", whole, point, fraction].concat()).unwrap_or(TypedValue::Whole(0))
}

#[cfg(test)]
mod tests;
