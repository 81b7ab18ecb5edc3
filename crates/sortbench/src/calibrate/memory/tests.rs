//! Memory of the machine that tests run on: figures of sense, whatever it has.

use super::*;

#[test]
fn memory_is_found_and_comes() {
    let found = memory(&MemoryChoices::default(), Duration::from_millis(300), 2, &Progress::new())
        .expect("measured");
    let MemoryProfile { usable_bytes, claimed_bytes, huge_pages_all, small_pages_one, .. } =
        found.profile;
    assert!(usable_bytes < claimed_bytes);
    assert!(huge_pages_all > 1e6 && small_pages_one > 1e6, "{found:?}");
    assert!(found.profile.reused_pages_all > 1e6, "{found:?}");
    let mut least = 1.0_f64;
    for probe in &found.probes {
        assert!(probe.bytes.is_multiple_of(STEP) && probe.bytes <= claimed_bytes, "{found:?}");
        least = least.min(probe.utilisation);
    }
    assert!(found.end == MemoryEnd::Paging || least >= wall::PRESENT, "{found:?}");
    let progress = Progress::new();
    let mut growth = HeldMemory::new(2 * STEP, MARGIN_MIN, &progress);
    let until = Instant::now() + Duration::from_secs(60);
    let mut more =
        |growth: &mut HeldMemory<'_>| growth.step(PageSize::Huge, 2).map(|rate| rate.is_some());
    let whole = growth.fits(2 * STEP, until, &mut more).expect("touched");
    assert!(whole == MemoryFit::TooMuch || growth.bytes() == 2 * STEP);
    assert_eq!(growth.fits(3 * STEP, until, &mut more).expect("tried"), MemoryFit::TooMuch);
    growth.hold(STEP);
    assert!(growth.bytes() <= STEP);
    let past = Instant::now();
    assert_eq!(growth.fits(2 * STEP, past, &mut more).expect("tried"), MemoryFit::Unknown);
}

/// Without it there would be no rate of reused memory, and a profile with a rate of 0 is not valid.
#[test]
fn the_first_size_is_kept_although_it_was_paged() {
    let progress = Progress::new();
    let mut growth = HeldMemory::new(4 * STEP, MARGIN_MIN, &progress);
    for _ in 0..2 {
        growth.step(PageSize::Huge, 2).expect("touched").expect("memory");
    }
    let paged = FoundWall { bytes: 0, next: MemoryFit::TooMuch };
    assert_eq!((growth.keep(paged), growth.bytes()), (STEP, STEP));
    assert!(growth.again(2).expect("touched") > 1e6);
    assert_eq!(growth.bytes(), STEP);
}

#[test]
fn too_little_memory_for_a_rate_of_each_kind() {
    let progress = Progress::new();
    let mut growth = HeldMemory::new(3 * STEP, MARGIN_MIN, &progress);
    let failed = first_rates(&mut growth, 2).expect_err("four kinds").to_string();
    assert!(failed.contains("too little to measure"), "{failed}");
}

#[test]
fn it_stops_when_told() {
    let progress = Progress::new();
    progress.request_stop();
    let stopped = memory(&MemoryChoices::default(), Duration::from_secs(60), 1, &progress);
    assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
}

/// A file shorter than the memory is copied again and again.
#[test]
fn memory_is_filled_from_a_mapped_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file");
    let bytes: Vec<u8> = (0..3_000_001_u32).map(|at| (at % 251) as u8).collect();
    std::fs::write(&path, &bytes).expect("written");
    let mut source = MappedSource::open(&path).expect("opened");
    let mut whole = Vec::new();
    for _ in 0..2 {
        let region = Arena::new(ByteSize::mib(4)).expect("memory");
        whole.extend_from_slice(&source.fill(region).expect("filled"));
    }
    let repeated = bytes.iter().cycle();
    assert!(whole.len() == 8 << 20 && whole.iter().eq(repeated.take(whole.len())));

    let (margin, copied_from) = (Some(ByteSize::mib(512)), Some(&*path));
    let choices = MemoryChoices { margin, copied_from };
    let found =
        memory(&choices, Duration::from_millis(300), 2, &Progress::new()).expect("measured");
    let copied = found.copied.expect("measured").bytes;
    assert!(copied.is_multiple_of(STEP) && copied <= found.profile.claimed_bytes, "{found:?}");
    std::fs::write(&path, "").expect("written");
    assert!(matches!(MappedSource::open(&path), Err(Error::Config { .. })));
}
