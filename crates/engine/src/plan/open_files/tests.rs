//! What may be open at once, and the limit that is named where that is too little.

use super::OpenFiles;

#[test]
fn two_are_merged_with_as_few_descriptors_as_are_asked_for() {
    for (per_file, per_queue) in [(1, 0), (1, 1), (2, 0), (2, 1)] {
        for (members, queues) in [(1, 2), (1, 16), (3, 2), (36, 4)] {
            let files = |left| OpenFiles { left, per_file, per_queue };
            let enough = (0..).find(|left| files(*left).at_once(members, queues) >= 2);
            let least = enough.expect("a number");
            assert!(files(least).check(3, 0, members, queues).is_ok());
            let error = files(least - 1).check(3, 0, members, queues).expect_err("too few");
            assert!(error.to_string().contains(&format!("{least} are needed")), "{error}");
            assert!(files(least).check(3, 1, members, queues).is_err());
            // Where no run is written.
            let enough = (0..).find(|left| files(*left).inputs_at_once(queues) >= 2);
            let least = enough.expect("a number");
            assert!(files(least).check(2, 0, members, queues).is_ok());
            assert!(files(least - 1).check(2, 0, members, queues).is_err());
        }
    }
}

/// Three standard streams, two descriptors for signals and the output are open already.
#[test]
fn ten_descriptors_do_besides_the_inputs() {
    let files = |limit: usize| OpenFiles { left: limit - 6, per_file: 1, per_queue: 0 };
    assert_eq!([12, 13, 40].map(|limit| files(limit).at_once(1, 2)), [2, 3, 30]);
}
