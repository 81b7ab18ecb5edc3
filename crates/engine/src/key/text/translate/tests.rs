//! Every byte through every translation, beside the words of the manual.

use super::*;

/// All translations there are.
fn all() -> impl Iterator<Item = Translation> {
    (0..8).map(|bits| Translation {
        folds_case: bits & 1 > 0,
        only_dictionary: bits & 2 > 0,
        only_printing: bits & 4 > 0,
    })
}

fn translated(translation: Translation, classes: &ByteClasses, text: &[u8]) -> Vec<u8> {
    let mut out = text.to_vec();
    if let Some(table) = TranslationTable::new(translation, classes) {
        let remaining = table.translate(text, &mut out);
        out.truncate(remaining);
    }
    out
}

#[test]
fn bytes_of_c_are_those_of_ascii() {
    for translation in all() {
        for byte in 0..=u8::MAX {
            let is_kept = match translation {
                Translation { only_dictionary: true, .. } => {
                    byte.is_ascii_alphanumeric() || b" \t\n".contains(&byte)
                }
                Translation { only_printing: true, .. } => (b' '..=b'~').contains(&byte),
                _ => true,
            };
            let becomes = if translation.folds_case { byte.to_ascii_uppercase() } else { byte };
            let expected = if is_kept { vec![becomes] } else { vec![] };
            assert_eq!(
                translated(translation, &ByteClasses::c(), &[byte]),
                expected,
                "{translation:?} {byte:#x}"
            );
        }
    }
}

#[test]
fn only_what_changes_nothing_has_no_table() {
    for translation in all() {
        let has_table = TranslationTable::new(translation, &ByteClasses::c()).is_some();
        assert_eq!(has_table, !translation.is_identity(), "{translation:?}");
    }
}

#[test]
fn what_is_left_out_leaves_no_gap() {
    let dictionary = Translation { only_dictionary: true, folds_case: true, ..Default::default() };
    let text = b"--a-b\xffc d--";
    assert_eq!(translated(dictionary, &ByteClasses::c(), text), b"ABC D");
    assert_eq!(translated(dictionary, &ByteClasses::c(), b"---"), b"");
}

#[test]
fn letters_are_those_that_the_classes_say() {
    let mut latin = ByteClasses::c();
    latin.is_alphanumeric[0xe4] = true;
    latin.is_printable[0xa7] = true;
    latin.upper[0xe4] = 0xc4;
    let text = b"a\xe4\xa7\x01";
    let only = |folds_case, only_dictionary, only_printing| {
        let translation = Translation { folds_case, only_dictionary, only_printing };
        translated(translation, &latin, text)
    };
    assert_eq!(only(true, true, false), b"A\xc4");
    assert_eq!(only(false, true, true), b"a\xe4");
    assert_eq!(only(false, false, true), b"a\xa7");
    assert_eq!(only(true, false, false), b"A\xc4\xa7\x01");
}
