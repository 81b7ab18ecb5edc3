//! Regions that grow and shrink: what they held stays, what they give up is gone.

use super::*;

const PAGE: usize = 4096;

#[test]
fn growing_keeps_what_was_there_and_adds_zeros() {
    let mut region = ElasticRegion::new(PAGE).unwrap();
    region.fill(7);
    for pages in [2, 3, 700, 20_000] {
        let before = region.len();
        region.resize(pages * PAGE).unwrap();
        assert_eq!(region.len(), pages * PAGE);
        assert!(region[..PAGE].iter().all(|byte| *byte == 7));
        assert!(region[before..].iter().all(|byte| *byte == 0));
        region[before..].fill(1);
    }
}

#[test]
fn what_is_given_up_comes_back_as_zeros() {
    let mut region = ElasticRegion::new(10 * PAGE).unwrap();
    region.fill(9);
    region.resize(PAGE).unwrap();
    assert!(region.iter().all(|byte| *byte == 9) && region.len() == PAGE);
    region.resize(10 * PAGE).unwrap();
    assert!(region[PAGE..].iter().all(|byte| *byte == 0));
}

#[test]
fn any_length_will_do() {
    let mut region = ElasticRegion::new(0).unwrap();
    assert!(region.is_empty());
    for length in [1, 4095, 4096, 4097, 0, 123_456, 5] {
        region.resize(length).unwrap();
        assert_eq!(region.len(), length);
        region.fill(3);
    }
}

#[test]
fn more_than_there_are_addresses_is_an_error_and_changes_nothing() {
    let mut region = ElasticRegion::new(5).unwrap();
    region.fill(4);
    for length in [usize::MAX, usize::MAX / 2] {
        let said = region.resize(length).unwrap_err().to_string();
        assert!(said.contains("cannot reserve"), "{said}");
        assert_eq!(region[..], [4; 5]);
        assert!(ElasticRegion::new(length).is_err());
    }
}
