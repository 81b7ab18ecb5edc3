//! Keys that differ anywhere, against a comparison of all their bytes.

use super::*;

/// A key of bytes, as a sink takes them: pushed, extended and complemented.
struct Bytes<'a>(&'a [u8]);

impl KeySource for Bytes<'_> {
    fn append<S: KeySink>(&mut self, out: &mut S) {
        let (pushed, rest) = self.0.split_at(self.0.len() / 7);
        pushed.iter().for_each(|byte| out.push(*byte));
        let (complemented, rest) = rest.split_at(rest.len() / 3);
        let outer = out.begin_inverted();
        let inner = out.begin_inverted();
        out.extend(complemented);
        out.end_inverted(inner);
        complemented.chunks(300).for_each(|bytes| out.extend(bytes));
        out.end_inverted(outer);
        rest.chunks(1000).for_each(|bytes| out.extend(bytes));
    }

    fn text_bytes(&self) -> usize {
        self.0.len()
    }
}

/// All bytes of a key.
fn whole(bytes: &[u8]) -> Vec<u8> {
    let mut key = Vec::new();
    Bytes(bytes).append(&mut BufferSink::new(&mut key, usize::MAX));
    key
}

#[test]
fn keys_of_any_length_that_differ_anywhere() {
    for length in [0, 1, 63, 64, 65, 1000, 65_535, 65_536, 65_537, 300_000] {
        let model: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        let places = [0, 1, 62, 63, 64, 65, length / 2, 65_536, 131_072, length];
        for at in places.into_iter().filter(|at| *at <= length) {
            let mut other = model.clone();
            other.get_mut(at..).into_iter().flatten().take(1).for_each(|byte| *byte ^= 0x80);
            check(&model, &other);
            check(&model, &model[..at]);
            check(&model[..at], &model);
        }
    }
}

fn check(a: &[u8], b: &[u8]) {
    let (key_a, key_b) = (whole(a), whole(b));
    let at = key_a.iter().zip(&key_b).take_while(|(a, b)| a == b).count();
    let found = difference(&mut [Bytes(a), Bytes(b)]);
    let said = format!("{} and {} bytes that part at {at}: {found:?}", a.len(), b.len());
    match found {
        None => assert!(key_a == key_b, "{said}"),
        Some(found) => {
            assert_eq!((found.at, found.order), (at, key_a.cmp(&key_b)), "{said}");
            assert_eq!(found.is_end, at == key_a.len().min(key_b.len()), "{said}");
        }
    }
}
