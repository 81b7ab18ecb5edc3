//! Shares of sources.

use super::*;

fn part(read: u64, all: u64) -> SourceShare {
    SourceShare::Part { read: Arc::new(AtomicU64::new(read)), all }
}

#[test]
fn a_source_brings_what_its_part_lets_expect() {
    assert_eq!(part(0, 1000).expected(0), None);
    assert_eq!(part(250, 1000).expected(600), Some(2400));
    assert_eq!(part(2000, 1000).expected(5000), Some(5000), "a file that has grown");
    assert_eq!(SourceShare::Plain(1000).expected(0), Some(1000));
}

#[test]
fn streams_have_a_common_source_if_they_are_parts_of_one() {
    let (one, other) = (part(1, 2), part(1, 2));
    let common = |sources: &[Option<&SourceShare>]| {
        let common = SourceShare::common(sources.iter().map(|source| source.cloned()));
        common.and_then(|common| common.expected(10))
    };
    assert_eq!(common(&[Some(&one), Some(&one)]), Some(20));
    let plain = SourceShare::Plain(300);
    assert_eq!(common(&[Some(&plain), Some(&plain)]), Some(600));
    for sources in [[Some(&one), None], [Some(&one), Some(&other)], [Some(&plain), Some(&one)]] {
        assert_eq!(common(&sources), None);
    }
    assert_eq!(common(&[]), None);
}
