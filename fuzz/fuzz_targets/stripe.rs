//! Any bytes are the definition of a striped file or an error in words; a definition says itself
//! again, and every byte of its file lies in one place.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sortwell_engine::stripe::Definition;

fuzz_target!(|data: (&[u8], u64)| {
    let (text, offset) = data;
    let definition = match Definition::of_text(text) {
        Ok(definition) => definition,
        Err(words) => {
            assert!(!words.is_empty());
            return;
        }
    };
    let again = Definition::of_text(&definition.text()).expect("what it says is a definition");
    assert_eq!(again, definition);
    let layout = definition.layout();
    let place = layout.place(offset);
    assert!(place.left > 0 && place.left <= layout.stride(place.member));
    let bytes = |length| -> u64 {
        (0..layout.members()).map(|member| layout.member_bytes(member, length)).sum()
    };
    assert_eq!(bytes(offset), offset);
    assert_eq!(layout.member_bytes(place.member, offset), place.offset);
});
