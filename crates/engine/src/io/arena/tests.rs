//! Tests of the arena: places, splitting and joining, and what touching and releasing do.

use super::*;

fn page_bytes() -> usize {
    rustix::param::page_size()
}

/// Pages of a page-aligned region that are in memory.
fn resident_pages(region: &Region) -> usize {
    assert!(region.address().is_multiple_of(page_bytes()));
    let mut flags = vec![0_u8; region.len().div_ceil(page_bytes())];
    // SAFETY: the region is mapped, and there is a byte for each of its pages.
    let answer = unsafe { libc::mincore(region.base().cast(), region.len(), flags.as_mut_ptr()) };
    assert_eq!(answer, 0);
    flags.iter().filter(|flag| **flag & 1 == 1).count()
}

#[test]
fn an_arena_is_aligned_zeroed_and_untouched() {
    for size in [1, 4096, 5 << 20, (2 << 20) + 1] {
        let region = Arena::new(ByteSize(size)).unwrap();
        assert_eq!(region.len() as u64, size);
        assert!(region.address().is_multiple_of(HUGE_PAGE_BYTES));
        assert_eq!(resident_pages(&region), 0, "{size} bytes");
        assert!(region.iter().all(|byte| *byte == 0));
    }
}

#[test]
fn an_empty_arena_has_no_bytes_and_may_be_touched_and_released() {
    let mut region = Arena::new(ByteSize(0)).unwrap();
    region.touch();
    region.release();
    assert!(region.is_empty());
}

#[test]
fn more_than_there_are_addresses_is_an_error_with_the_size_in_it() {
    for size in [ByteSize(u64::MAX), ByteSize(u64::MAX / 4)] {
        let message = Arena::new(size).unwrap_err().to_string();
        assert!(
            message.contains(&size.to_string()) && message.ends_with("give a smaller memory"),
            "{message}"
        );
    }
}

#[test]
fn regions_split_are_disjoint_and_joined_are_whole() {
    let mut first = Arena::new(ByteSize(100_000)).unwrap();
    let start = first.address();
    let mut second = first.split_off(40_001);
    let third = second.split_off(second.len());
    assert_eq!((first.len(), second.len(), third.len()), (40_001, 59_999, 0));
    assert_eq!(second.address(), start + 40_001);
    first.fill(1);
    second.fill(2);
    let whole = first.join(second).join(third);
    assert_eq!(whole.len(), 100_000);
    assert!(whole[..40_001].iter().all(|byte| *byte == 1));
    assert!(whole[40_001..].iter().all(|byte| *byte == 2));
}

#[test]
#[should_panic(expected = "do not touch")]
fn regions_in_the_wrong_order_do_not_join() {
    let mut first = Arena::new(ByteSize(8192)).unwrap();
    let second = first.split_off(4096);
    let _ = second.join(first);
}

#[test]
#[should_panic(expected = "two arenas")]
fn regions_of_two_arenas_do_not_join() {
    let first = Arena::new(ByteSize(4096)).unwrap();
    let _ = first.join(Arena::new(ByteSize(4096)).unwrap());
}

#[test]
fn touching_brings_pages_in_and_changes_nothing() {
    let mut region = Arena::new(ByteSize::mib(3)).unwrap();
    region[5000] = 7;
    region.touch();
    assert_eq!(resident_pages(&region), region.len() / page_bytes());
    assert_eq!(region[5000], 7);
    assert_eq!(region.iter().filter(|byte| **byte != 0).count(), 1);
}

#[test]
fn releasing_zeroes_exactly_the_region_and_gives_its_whole_pages_back() {
    let page = page_bytes();
    for (from, to) in [(0, 3 << 20), (100, page * 7 + 5), (page + 3, page + 9), (1, page + 1)] {
        let mut before = Arena::new(ByteSize::mib(4)).unwrap();
        before.fill(9);
        let mut middle = before.split_off(from);
        let after = middle.split_off(to - from);
        middle.release();
        assert!(middle.iter().all(|byte| *byte == 0));
        assert!(before.iter().chain(after.iter()).all(|byte| *byte == 9));
        drop((before, middle, after));

        let mut region = Arena::new(ByteSize::mib(4)).unwrap();
        region.touch();
        region.release();
        assert_eq!(resident_pages(&region), 0);
    }
}

#[test]
fn a_region_outlives_its_siblings_and_may_change_threads() {
    let mut first = Arena::new(ByteSize(10_000)).unwrap();
    let mut last = first.split_off(9_000);
    drop(first);
    let last = std::thread::spawn(move || {
        last.fill(3);
        last
    });
    assert!(last.join().unwrap().iter().all(|byte| *byte == 3));
}
