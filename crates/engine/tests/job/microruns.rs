//! Loads sorted in runs that one tree merges: jobs by chance, in one pass and in several.

use sortwell_engine::job::Algorithm;

use crate::differential::any_trial;
use crate::random::Random;
use crate::trial::Trial;

#[test]
fn jobs_by_chance() {
    let mut random = Random::fresh();
    for _ in random.some(0..300) {
        let bytes = random.pick(&[100, 3000, 60_000, 500_000, 2_000_000]);
        let algorithm = random.pick(&[Algorithm::MERGESORT, Algorithm::ALPHASORT]);
        Trial { algorithm, ..any_trial(bytes, &mut random) }.run();
    }
}
