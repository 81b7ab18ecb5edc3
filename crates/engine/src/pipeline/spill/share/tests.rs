//! Tests of how runs are shared out.

use proptest::prelude::*;

use super::*;

const PLENTY: u64 = u64::MAX;

fn places(of: &[(Option<f64>, u64)]) -> Vec<SpillStanding> {
    of.iter().map(|&(speed, free)| SpillStanding { speed, held: 0, free }).collect()
}

/// Deals so many runs; where each went, while one had room.
fn deal(places: &mut [SpillStanding], runs: usize, bytes: u64) -> Vec<usize> {
    let mut dealt = Vec::new();
    for _ in 0..runs {
        let chosen = in_order(places, bytes)[0];
        let place = &mut places[chosen];
        if place.free < bytes {
            break;
        }
        place.held += bytes;
        place.free -= bytes;
        dealt.push(chosen);
    }
    dealt
}

#[test]
fn equal_places_take_turns() {
    for speed in [None, Some(2e8)] {
        let mut places = places(&[(speed, PLENTY); 3]);
        assert_eq!(deal(&mut places, 7, 1000), [0, 1, 2, 0, 1, 2, 0]);
    }
}

#[test]
fn a_place_twice_as_fast_takes_twice_as_much() {
    let mut places = places(&[(Some(1e8), PLENTY), (Some(2e8), PLENTY)]);
    assert_eq!(deal(&mut places, 6, 1000), [1, 0, 1, 1, 0, 1]);
}

/// One that is full is passed over, and no other takes its turn twice for that.
#[test]
fn the_rest_of_a_full_place_goes_to_the_others() {
    let mut places = places(&[(None, 2500), (None, PLENTY), (None, PLENTY)]);
    assert_eq!(deal(&mut places, 9, 1000), [0, 1, 2, 0, 1, 2, 1, 2, 1]);
}

#[test]
fn a_place_not_yet_measured_is_tried() {
    let mut places = places(&[(Some(2e9), PLENTY), (Some(1e8), PLENTY), (None, PLENTY)]);
    places[0].held = 2000;
    assert_eq!(in_order(&places, 1000)[0], 2);
}

/// What lies there from before counts: it is read at the same time.
#[test]
fn runs_that_are_there_count() {
    let mut places = places(&[(None, PLENTY), (None, PLENTY)]);
    places[0].held = 3000;
    assert_eq!(deal(&mut places, 5, 1000), [1, 1, 1, 0, 1]);
}

#[test]
fn where_none_has_room_the_largest_is_asked_first() {
    let places = places(&[(Some(9e9), 10), (None, 30), (Some(1.0), 20)]);
    assert_eq!(in_order(&places, 40), [1, 2, 0]);
    assert_eq!(in_order(&places, 15), [1, 2, 0]);
    assert_eq!(in_order(&places, 25), [1, 2, 0]);
    assert_eq!(in_order(&places, u64::MAX), [1, 2, 0]);
}

#[test]
fn runs_fit_whole_or_not_at_all() {
    let plain = |system| vec![RunShare { system, stride: 1 }];
    let both = [plain(0), plain(1)];
    assert_eq!(room(&[1999], &[plain(0), plain(0)], 1000), 1999);
    assert_eq!(room(&[1999, 2001], &both, 1000), 3000);
    assert_eq!(room(&[1999, 2001], &both, 0), 4000);
    assert_eq!(room(&[u64::MAX, u64::MAX], &both, 1), u64::MAX);
}

/// As much fits as until the first of its disks is full, and what that leaves fits beside it.
#[test]
fn a_striped_place_is_full_when_one_disk_is() {
    let part = |(system, stride)| RunShare { system, stride };
    let striped: Vec<RunShare> = [(0, 4096), (1, 8192)].map(part).to_vec();
    assert_eq!(room(&[1000, 3000], std::slice::from_ref(&striped), 1 << 40), 3000);
    assert_eq!(room(&[1000, 1000], std::slice::from_ref(&striped), 1 << 40), 1500);
    assert_eq!(tightest(&[1000, 1000], &striped), Some(striped[1]));
    assert_eq!(part_of(1500, striped[1], &striped), 1000);
    assert_eq!(room(&[u64::MAX; 2], std::slice::from_ref(&striped), 1), u64::MAX);
    let beside = [vec![part((0, 1))], striped.clone(), vec![part((2, 1))]];
    assert_eq!(room(&[1000, 1000, 10], &beside, 1), 1500 + 500 + 10);
    assert_eq!(room(&[1000, 1000, 10], &beside, 100), 1500 + 500);
    assert_eq!(room(&[0, 1000], &[striped], 1), 0);
}

proptest! {
    /// Every share differs from its proportion by less than a run for each other place.
    #[test]
    fn shares_approach_the_proportions(
        speeds in prop::collection::vec(1e6..1e10f64, 1..6),
        runs in 1..400usize,
    ) {
        let of: Vec<_> = speeds.iter().map(|speed| (Some(*speed), PLENTY)).collect();
        let mut places = places(&of);
        deal(&mut places, runs, 1 << 20);
        let all: f64 = speeds.iter().sum();
        for (place, speed) in places.iter().zip(&speeds) {
            let share = runs as f64 * speed / all;
            let dealt = (place.held >> 20) as f64;
            let slack = speeds.len() as f64;
            prop_assert!((dealt - share).abs() < slack, "{dealt} of {runs}, {share} expected");
        }
    }

    /// No place is given more than it has room for while another has room.
    #[test]
    fn no_place_is_given_too_much(
        of in prop::collection::vec((prop::option::of(1e6..1e10f64), 0..20_000u64), 1..6),
        sizes in prop::collection::vec(1..3000u64, 1..60),
    ) {
        let mut places = places(&of);
        for bytes in sizes {
            let order = in_order(&places, bytes);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..places.len()).collect::<Vec<_>>());
            let chosen = order[0];
            let is_any = places.iter().any(|place| place.free >= bytes);
            prop_assert_eq!(places[chosen].free >= bytes, is_any);
            if is_any {
                places[chosen].free -= bytes;
                places[chosen].held += bytes;
            }
        }
    }
}
