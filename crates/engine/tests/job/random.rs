//! Random numbers for tests: small, seeded, and printed, so that every failure can be repeated.

use std::time::{SystemTime, UNIX_EPOCH};

/// Set it to the seed that a failed test printed, to see the same failure again.
const SEED_VARIABLE: &str = "SORTWELL_TEST_SEED";

/// Set it to try every case of the long lists; `make test-slow` does.
const ALL_VARIABLE: &str = "SORTWELL_TEST_ALL";

/// A generator of random numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A generator that differs from run to run, unless the environment names a seed. Prints it.
    pub fn fresh() -> Self {
        let named = std::env::var(SEED_VARIABLE).ok().map(|text| text.parse().expect("a seed"));
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_nanos();
        let seed = named.unwrap_or_else(|| now() as u64);
        println!("{SEED_VARIABLE}={seed}");
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A generator of other numbers.
    pub fn fork(&mut self) -> Self {
        Self(self.next())
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    /// Returns some of the cases, at least a sixth of them, each time other ones, or all of them
    /// where the environment asks for that.
    pub fn some<T>(&mut self, cases: impl IntoIterator<Item = T>) -> Vec<T> {
        let mut cases: Vec<T> = cases.into_iter().collect();
        if std::env::var_os(ALL_VARIABLE).is_none() {
            for _ in 0..cases.len() - cases.len().div_ceil(6) {
                cases.remove(self.below(cases.len()));
            }
        }
        cases
    }

    pub fn fill(&mut self, bytes: &mut [u8]) {
        for part in bytes.chunks_mut(8) {
            part.copy_from_slice(&self.next().to_le_bytes()[..part.len()]);
        }
    }
}
