//! Every word of a key is what stands in the buffer at its place, whatever was appended how.

use proptest::prelude::*;

use super::*;
use crate::key::{FEW_WORDS, OPEN_WORD_BYTES, is_last_open_word, open_word};

/// One call of a sink.
#[derive(Clone, Debug)]
enum Step {
    Push(u8),
    Extend(Vec<u8>),
    /// Complements what the steps inside append.
    Inverted(Vec<Step>),
}

fn apply<S: KeySink>(steps: &[Step], out: &mut S) {
    for step in steps {
        match step {
            Step::Push(byte) => out.push(*byte),
            Step::Extend(bytes) => out.extend(bytes),
            Step::Inverted(steps) => {
                let mark = out.begin_inverted();
                apply(steps, out);
                out.end_inverted(mark);
            }
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = || {
        prop_oneof![
            any::<u8>().prop_map(Step::Push),
            proptest::collection::vec(any::<u8>(), 0..20).prop_map(Step::Extend),
        ]
    };
    let inner = proptest::collection::vec(step(), 0..4).prop_map(Step::Inverted);
    proptest::collection::vec(prop_oneof![step(), inner], 0..8)
}

#[test]
fn loads_of_every_length() {
    let bytes: Vec<u8> = (1..=12).collect();
    for length in 0..=bytes.len() {
        let mut padded = [0; 8];
        let kept = length.min(8);
        padded[..kept].copy_from_slice(&bytes[..kept]);
        assert_eq!(load(&bytes[..length]), u64::from_be_bytes(padded), "{length} bytes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_are_the_bytes_of_the_buffer(steps in steps()) {
        let mut bytes = Vec::new();
        apply(&steps, &mut BufferSink::new(&mut bytes, usize::MAX));
        for index in 0..bytes.len() / OPEN_WORD_BYTES + 2 {
            let mut sink = WordSink::new(index);
            apply(&steps, &mut sink);
            let start = index * OPEN_WORD_BYTES;
            let rest = &bytes[start.min(bytes.len())..];
            prop_assert_eq!(sink.word(), open_word(rest), "word {}", index);
            prop_assert_eq!(sink.room(), 8 - rest.len().min(8) + start.saturating_sub(bytes.len()));
            let mut sink = FewSink::new(index);
            apply(&steps, &mut sink);
            let mut wanted = [0; FEW_WORDS];
            for (place, word) in wanted.iter_mut().enumerate() {
                *word = open_word(&rest[(place * OPEN_WORD_BYTES).min(rest.len())..]);
                if is_last_open_word(*word) {
                    break;
                }
            }
            prop_assert_eq!(sink.words(), wanted, "from word {}", index);
        }
    }
}
