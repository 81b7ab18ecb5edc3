//! Collation keywords in the `-u-` extension of a locale (UTS 35, part 5, section 3.3, "Setting
//! Options").
//!
//! The collator takes some of them from the locale, is told others, and knows nothing of the rest.
//! Whatever would have no effect is refused by name: an order that is not the one asked for looks
//! like it.

use icu_collator::options::{AlternateHandling, CaseLevel, CollatorOptions, MaxVariable, Strength};
use icu_collator::preferences::CollationType;
use icu_collator::provider::{Baked, CollationMetadataV1};
use icu_locale::extensions::unicode::Value;
use icu_locale::subtags::script;
use icu_locale::{LanguageIdentifier, Locale, LocaleExpander};
use icu_provider::{
    DataIdentifierBorrowed, DataLocale, DataMarkerAttributes, DataProvider, DataRequest,
};

const STRENGTHS: [(&str, Strength); 5] = [
    ("level1", Strength::Primary),
    ("level2", Strength::Secondary),
    ("level3", Strength::Tertiary),
    ("level4", Strength::Quaternary),
    ("identic", Strength::Identical),
];
const ALTERNATES: [(&str, AlternateHandling); 2] =
    [("noignore", AlternateHandling::NonIgnorable), ("shifted", AlternateHandling::Shifted)];
const CASE_LEVELS: [(&str, CaseLevel); 2] = [("true", CaseLevel::On), ("false", CaseLevel::Off)];
const VARIABLES: [(&str, MaxVariable); 4] = [
    ("space", MaxVariable::Space),
    ("punct", MaxVariable::Punctuation),
    ("symbol", MaxVariable::Symbol),
    ("currency", MaxVariable::Currency),
];
/// The collator takes these from the locale.
const CASE_FIRST: [(&str, ()); 3] = [("upper", ()), ("lower", ()), ("false", ())];
const NUMERIC: [(&str, ()); 2] = [("true", ()), ("false", ())];

/// Every keyword, for a message.
const KEYWORDS: &str = "co, ka, kc, kf, kn, ks and kv";

/// Returns the options that `locale`, called `name`, asks for in addition to those it implies.
///
/// # Errors
///
/// A keyword without effect on the order, or a value that the keyword does not have, in words.
pub(super) fn options(name: &str, locale: &Locale) -> Result<CollatorOptions, String> {
    refuse_others(name, locale)?;
    let mut options = CollatorOptions::default();
    for (key, value) in locale.extensions.unicode.keywords.iter() {
        let (key, value) = (key.as_str(), said(value));
        let choice = LocaleKeyword { name, key, value: &value };
        choice.check_once()?;
        match key {
            "co" => check_type(&choice, &locale.id)?,
            "kf" => choice.of(&CASE_FIRST)?,
            "kn" => choice.of(&NUMERIC)?,
            "ks" => options.strength = Some(choice.of(&STRENGTHS)?),
            "ka" => options.alternate_handling = Some(choice.of(&ALTERNATES)?),
            "kc" => options.case_level = Some(choice.of(&CASE_LEVELS)?),
            "kv" => options.max_variable = Some(choice.of(&VARIABLES)?),
            _ => {
                return Err(format!(
                    "locale '{name}': {key}-{value} has no effect on the order here; leave it out, \
                     or use the keywords {KEYWORDS}"
                ));
            }
        }
    }
    Ok(options)
}

/// Refuses parts of a locale's name, other than keywords, that the order does not depend on.
fn refuse_others(name: &str, locale: &Locale) -> Result<(), String> {
    let extensions = &locale.extensions;
    let variant = locale.id.variants.iter().next().map(ToString::to_string);
    let variant = variant.filter(|_| data(&locale.id, None) != Data::Own);
    let attribute = extensions.unicode.attributes.iter().next().map(ToString::to_string);
    let transform = (!extensions.transform.is_empty()).then(|| extensions.transform.to_string());
    let private = (!extensions.private.is_empty()).then(|| extensions.private.to_string());
    let other = extensions.other.first().map(ToString::to_string);
    match variant.or(attribute).or(transform).or(private).or(other) {
        None => Ok(()),
        Some(part) => Err(format!(
            "locale '{name}': '{part}' has no effect on the order; leave it out (another order of \
             the language is chosen as in de-u-co-phonebk)"
        )),
    }
}

/// Returns a value as a person writes it; the value that is left out is `true`.
fn said(value: &Value) -> String {
    let text = value.to_string();
    if text.is_empty() { "true".to_owned() } else { text }
}

/// A keyword of a locale and its value.
struct LocaleKeyword<'a> {
    name: &'a str,
    key: &'a str,
    value: &'a str,
}

impl LocaleKeyword<'_> {
    /// Refuses a keyword that is given twice: the second value would be passed over.
    fn check_once(&self) -> Result<(), String> {
        let Self { name, key, .. } = self;
        let subtags = name.split(['-', '_']).skip_while(|part| !part.eq_ignore_ascii_case("u"));
        match subtags.filter(|part| part.eq_ignore_ascii_case(key)).count() {
            0 | 1 => Ok(()),
            _ => Err(format!("locale '{name}' has the keyword {key} more than once; give one")),
        }
    }

    /// Returns the meaning of the value.
    fn of<T: Copy>(&self, known: &[(&str, T)]) -> Result<T, String> {
        let Self { name, key, value } = self;
        let found = known.iter().find(|(word, _)| word == value).map(|(_, found)| *found);
        found.ok_or_else(|| {
            let words: Vec<String> =
                known.iter().map(|(word, _)| format!("{key}-{word}")).collect();
            format!("locale '{name}': there is no {key}-{value}; use {}", words.join(", "))
        })
    }
}

/// Checks that a language has the order of its text that is asked for.
fn check_type(choice: &LocaleKeyword<'_>, id: &LanguageIdentifier) -> Result<(), String> {
    let LocaleKeyword { name, value, .. } = choice;
    let wished = Value::try_from_str(value).ok();
    let Some(wished) = wished.and_then(|value| CollationType::try_from(&value).ok()) else {
        return Err(format!(
            "locale '{name}' asks for the order '{value}', which does not exist; use one such as \
             phonebk, trad, pinyin or stroke"
        ));
    };
    let has_it = match wished {
        CollationType::Standard => is_standard(id),
        _ => data(id, Some(wished)) != Data::Missing,
    };
    if has_it {
        return Ok(());
    }
    Err(format!("locale '{name}': {id} has no order '{value}'; leave it out for the usual one"))
}

/// Returns whether the usual order of a language is called standard: Chinese has none of that name.
fn is_standard(id: &LanguageIdentifier) -> bool {
    let mut whole = id.clone();
    LocaleExpander::new_extended().maximize(&mut whole);
    !matches!(whole.script, Some(script) if script == script!("Hans") || script == script!("Hant"))
}

/// Origin of the data of an order.
#[derive(PartialEq, Eq)]
enum Data {
    /// Data of the locale itself.
    Own,
    /// Data of a locale that it inherits from.
    Inherited,
    /// No data.
    Missing,
}

/// Looks for the data of an order of a language, the usual one where none is wished for.
fn data(id: &LanguageIdentifier, wished: Option<CollationType>) -> Data {
    let name = wished.as_ref().map_or("", CollationType::as_str);
    let Ok(attributes) = DataMarkerAttributes::try_from_str(name) else { return Data::Missing };
    let locale = DataLocale::from(id);
    let mut request = DataRequest {
        id: DataIdentifierBorrowed::for_marker_attributes_and_locale(attributes, &locale),
        ..DataRequest::default()
    };
    request.metadata.silent = true;
    match DataProvider::<CollationMetadataV1>::load(&Baked, request) {
        Ok(response) if response.metadata.locale.is_none() => Data::Own,
        Ok(_) => Data::Inherited,
        Err(_) => Data::Missing,
    }
}
