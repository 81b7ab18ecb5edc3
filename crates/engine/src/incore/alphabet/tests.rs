//! Packing keeps the order of all words, seen or not, and tells seen ones apart.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::key::open_word;

fn word() -> impl Strategy<Value = u64> {
    let text = |letters: &'static [u8]| {
        let letter = prop::sample::select(letters);
        prop::collection::vec(letter, 0..9).prop_map(|bytes| open_word(&bytes))
    };
    let any = prop::collection::vec(any::<u8>(), 0..9).prop_map(|bytes| open_word(&bytes));
    prop_oneof![text(b"0123456789."), text(b"\0\x01az\xff"), any]
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default()
    })]

    #[test]
    fn order_is_kept(
        seen in prop::collection::vec(word(), 0..30),
        mut asked in prop::collection::vec(word(), 1..30),
    ) {
        let alphabet = Alphabet::of(seen.iter().copied());
        asked.extend([0, 0x07, !0xff | 8]);
        asked.extend(&seen);
        asked.sort_unstable();
        asked.dedup();
        for pair in asked.windows(2) {
            let (low, high) = (alphabet.pack(pair[0]), alphabet.pack(pair[1]));
            prop_assert!(low <= high, "{:x?}: {} and {}", pair, low, high);
            let is_told = seen.contains(&pair[0]) && seen.contains(&pair[1]);
            prop_assert!(low < high || !is_told, "{:x?} were both seen", pair);
        }
    }
}

#[test]
fn digits_take_few_bits() {
    let all = (0..10_000_000).step_by(977).map(|n: u32| open_word(format!("{n:07}x").as_bytes()));
    let alphabet = Alphabet::of(all);
    let pack = |text: &[u8]| alphabet.pack(open_word(text));
    let range = pack(b"9999999x") - pack(b"0000000x");
    assert!(range < 1 << 27, "seven digits take {} bits", 64 - range.leading_zeros());
}
