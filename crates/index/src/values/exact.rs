//! Values that programs have as numbers or days, not as text: the texts that keys read as them.

use sortwell_engine::key::text::TextType;

use super::ValueKeys;
use super::binary::bytes_of;

impl ValueKeys {
    /// Returns whether a key has a value of this text. Keys of text have one of every text.
    pub fn reads(&self, at: usize, text: &str) -> bool {
        let (Some(spec), Some(key)) = (self.order.specs.get(at), self.single.get(at)) else {
            return true;
        };
        if self.is_binary() {
            let width = self.width(spec);
            return bytes_of(key, &self.names[at], text.as_bytes(), width).is_some();
        }
        spec.text_type.alphabet().is_some() || key.literal_key(text).is_some()
    }

    /// Returns the text of a number for a key. `number` has a point before its fraction. `None` if
    /// the key has no such value.
    pub fn number_text(&self, at: usize, number: &str) -> Option<String> {
        let Some(spec) = self.order.specs.get(at) else { return Some(number.to_owned()) };
        if spec.text_type == TextType::FLOAT && is_beyond(number, number.parse().unwrap_or(0.0)) {
            return None;
        }
        let style = spec.text_type.number_style();
        let radix = style.map_or(self.order.options.numbers.radix, |style| style.radix);
        // The mark of a fraction may be that of thousands, among whole numbers.
        let is_unclear = style.is_some_and(|style| style.thousands == Some(radix));
        let written = match spec.text_type.alphabet() {
            Some(_) => Some(number.to_owned()),
            None if is_unclear && number.contains('.') => None,
            None => Some(number.replace('.', &char::from(radix).to_string())),
        };
        let whole = number.split_once('.').filter(|(_, fraction)| {
            fraction.bytes().all(|digit| digit == b'0') && !fraction.is_empty()
        });
        let whole = whole.map(|(whole, _)| if whole == "-0" { "0" } else { whole }.to_owned());
        [written, whole].into_iter().flatten().find(|text| self.reads(at, text))
    }

    /// Returns the pattern of the days or times of a key, if it has one of its own.
    pub fn day_pattern(&self, at: usize) -> Option<&str> {
        let spec = self.order.specs.get(at).filter(|spec| spec.text_type.is_day())?;
        let is_text = spec.text_type.alphabet().is_some();
        self.order.options.date_format.as_ref().filter(|_| !is_text).map(|own| own.pattern())
    }
}

/// Returns whether the number of a text has no floating-point number near it: `found` is infinite,
/// or zero, and the number is not.
pub fn is_beyond(text: &str, found: f64) -> bool {
    let digits = text.split(['e', 'E']).next().unwrap_or_default();
    let is_nonzero = digits.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    is_nonzero && (found.is_infinite() || found == 0.0)
}
