//! Any bytes are the definition of a striped file, of either form, or an error in words; it says
//! itself again, and every byte of its file lies in one place.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sortwell_engine::stripe::Definition;

fuzz_target!(|data: (&[u8], u64)| {
    let (text, offset) = data;
    for read in [Definition::of_text, Definition::of_columns] {
        match read(text) {
            Ok(definition) => {
                let again = read(&definition.text()).expect("what it says is a definition");
                assert_eq!(again, definition);
                deals_out(&definition, offset);
            }
            Err(words) => assert!(!words.is_empty()),
        }
    }
});

/// Every byte has its place.
fn deals_out(definition: &Definition, offset: u64) {
    let layout = definition.layout();
    let place = layout.place(offset);
    assert!(place.left > 0 && place.left <= layout.stride(place.member));
    let bytes = |length| -> u64 {
        (0..layout.members()).map(|member| layout.member_bytes(member, length)).sum()
    };
    assert_eq!(bytes(offset), offset);
    assert_eq!(layout.member_bytes(place.member, offset), place.offset);
}
