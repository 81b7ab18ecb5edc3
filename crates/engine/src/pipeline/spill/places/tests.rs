//! Tests of places that refuse runs, and of what is counted there.

use std::fs;

use rustix::io::Errno;

use super::*;
use crate::error::Error;
use crate::format::Framing;
use crate::io::Direct;
use crate::run::layout::RunGeometry;

const RUN: RunGeometry = RunGeometry {
    framing: Framing::Fixed(100),
    index_key_length: 10,
    data_bytes: 100_000,
    records: 1000,
    longest_bytes: 100,
    packed: None,
};

/// Two folders with places in them.
fn two(limit: Option<u64>) -> ([tempfile::TempDir; 2], SpillSpots) {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let named = folders.iter().map(|folder| SpillPlace::directory(folder.path())).collect();
    (folders, SpillSpots::new(named, limit.map(ByteSize)))
}

fn size() -> Size {
    Size::Known(RUN.file_bytes())
}

fn create(path: &Path) -> Result<RunWriter> {
    RunWriter::create(path, Direct::Off, RUN)
}

fn full(path: &Path, errno: Errno) -> Result<RunWriter> {
    Err(Error::io("reserve space for", path, errno))
}

fn run_of(writer: &RunWriter) -> Run {
    let RunGeometry { data_bytes: bytes, records, longest_bytes, .. } = RUN;
    Run { path: writer.file().path().to_owned(), bytes, records, longest_bytes }
}

fn held(places: &SpillSpots) -> Vec<u64> {
    places.made.iter().map(|place| place.holding.bytes()).collect()
}

#[test]
fn places_take_turns_until_one_refuses() {
    let (folders, mut places) = two(None);
    let bytes = RUN.file_bytes();
    for errno in [Errno::NOSPC, Errno::DQUOT] {
        let before = held(&places).first().copied().unwrap_or(0);
        let refuses = |path: &Path| match path.starts_with(folders[0].path()) {
            true => full(path, errno),
            false => create(path),
        };
        for _ in 0..2 {
            let run = places.create(size(), refuses).unwrap();
            assert!(run.file().path().starts_with(folders[1].path()));
        }
        assert_eq!(held(&places)[0], before, "nothing claimed where it was refused");
    }
    assert_eq!(held(&places), [0, 4 * bytes]);
    for _ in 0..4 {
        let run = places.create(size(), create).unwrap();
        assert!(run.file().path().starts_with(folders[0].path()), "what is behind catches up");
    }
    assert_eq!(held(&places), [4 * bytes; 2]);
}

/// What the first said is told where all are full, and other errors at once.
#[test]
fn all_places_that_refuse() {
    let (folders, mut places) = two(None);
    let error = places.create(size(), |path| full(path, Errno::NOSPC)).unwrap_err();
    assert!(error.to_string().contains(folders[0].path().to_str().unwrap()), "{error}");
    let asked = std::cell::Cell::new(0);
    let broken = |path: &Path| {
        asked.set(asked.get() + 1);
        full(path, Errno::IO)
    };
    assert!(places.create(size(), broken).is_err());
    assert_eq!((asked.get(), held(&places)), (1, vec![0, 0]));
}

/// A file that found no room leaves nothing in the place that refused it.
#[test]
fn nothing_is_left_of_what_did_not_fit() {
    let (folders, mut places) = two(None);
    let geometry = RunGeometry { data_bytes: 100 << 50, records: 1 << 50, ..RUN };
    let huge = |path: &Path| RunWriter::create(path, Direct::Off, geometry);
    places.create(Size::Known(geometry.file_bytes()), huge).unwrap_err();
    for folder in &folders {
        let directory = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "the lock alone");
    }
    assert_eq!(held(&places), [0, 0]);
}

#[test]
fn runs_that_are_removed_make_room() {
    let bytes = RUN.file_bytes();
    let (_folders, mut places) = two(Some(2 * bytes));
    places.check_limit(2 * bytes).unwrap();
    places.check_limit(2 * bytes + 1).unwrap_err();
    let runs = [(); 2].map(|()| places.create(size(), create).unwrap());
    let refused = places.create(size(), create);
    assert!(matches!(refused, Err(Error::OverLimit { needed: None, .. })));
    places.create(Size::Unknown, create).expect("it grows as it is written");
    let [first, _] = runs.map(|run| run_of(&run));
    places.remove(&first).unwrap();
    assert_eq!(held(&places), [0, bytes]);
    places.create(size(), create).expect("there is room again");
}

#[test]
fn what_was_kept_is_counted() {
    let (_folders, mut places) = two(None);
    let runs = [(); 3].map(|()| places.create(size(), create).unwrap());
    let runs = runs.map(|run| run_of(&run)).to_vec();
    let past = Past { runs, ..Past::default() };
    let limit = Some(ByteSize(4 * RUN.file_bytes()));
    let sets = places.made.drain(..).map(|place| place.set).collect();
    let mut kept = SpillSpots::kept(sets, Some(&past), 3, limit);
    assert_eq!(held(&kept), [2 * RUN.file_bytes(), RUN.file_bytes()]);
    let run = kept.create(size(), create).unwrap();
    assert!(run.file().path().starts_with(kept.made[1].set.home()));
    assert!(run.file().path().ends_with("run-000003"));
    kept.create(size(), create).unwrap_err();
}
