//! Tests that faults are those of the script, and of no others.

use super::super::{Arena, Direct, Engine, File};
use super::*;
use crate::units::ByteSize;

const LENGTH: usize = 64 << 10;

/// A file of known bytes in a folder of its own.
struct Place {
    folder: tempfile::TempDir,
    file: Arc<File>,
}

fn contents() -> Vec<u8> {
    (0..LENGTH).map(|at| (at / 7) as u8).collect()
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, contents()).unwrap();
        let file = File::open_read(&path, Direct::Off).unwrap();
        Self { folder, file }
    }

    fn install(&self, numbers: Range<u64>, fault: InjectedFault) -> Installed {
        Script::new(self.folder.path(), numbers, fault).install()
    }

    /// A request for all of the file's bytes.
    fn request(&self, operation: Direction, file: &Arc<File>, tag: u64) -> Request {
        let mut region = Arena::new(ByteSize(LENGTH as u64)).unwrap();
        if operation == Direction::Write {
            region.copy_from_slice(&contents());
        }
        Request { operation, file: Arc::clone(file), offset: 0, region, range: 0..LENGTH, tag }
    }

    /// Reads the file so often with one queue; completions as they come.
    fn reads(&self, times: u64) -> Vec<Completion> {
        let mut queue = Engine::Sync.queue(4).unwrap();
        for tag in 0..times {
            queue.submit(self.request(Direction::Read, &self.file, tag)).unwrap();
        }
        assert_eq!(queue.in_flight() as u64, times);
        std::iter::from_fn(|| queue.wait().unwrap()).collect()
    }

    /// Writes a file anew; what came of it, and what is in it.
    fn write(&self) -> (Completion, Vec<u8>) {
        let path = self.folder.path().join("written");
        let file = File::create(&path, Direct::Off).unwrap();
        let mut queue = Engine::Threads.queue(1).unwrap();
        queue.submit(self.request(Direction::Write, &file, 0)).unwrap();
        let done = queue.wait().unwrap().unwrap();
        (done, std::fs::read(path).unwrap())
    }
}

/// How many bits two buffers differ in.
fn bits_apart(a: &[u8], b: &[u8]) -> u32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

#[test]
fn the_numbers_of_a_script_fail_and_no_others() {
    let (place, other) = (Place::new(), Place::new());
    let installed = place.install(1..3, InjectedFault::Fails(Errno::IO));
    assert!(other.reads(4).iter().all(|done| done.result.is_ok()));
    assert_eq!((installed.seen(), installed.has_struck()), (0, false));
    let mut done = place.reads(4);
    done.sort_by_key(|done| done.request.tag);
    let failed: Vec<bool> = done.iter().map(|done| done.result.is_err()).collect();
    assert_eq!(failed, [false, true, true, false]);
    let said = done[1].result.as_ref().unwrap_err().to_string();
    assert!(said.starts_with("cannot read ") && said.contains("file at offset 0"), "{said}");
    assert_eq!((installed.seen(), installed.has_struck()), (4, true));
    drop(installed);
    assert!(place.reads(4).iter().all(|done| done.result.is_ok()));
}

#[test]
fn writes_that_crumble_are_whole_in_the_end() {
    let place = Place::new();
    let _installed = place.install(0..1, InjectedFault::Crumbles);
    let (done, found) = place.write();
    assert_eq!(done.result.unwrap(), LENGTH);
    assert!(found == contents());
}

#[test]
fn a_read_may_end_early_and_a_write_that_does_is_an_error() {
    let place = Place::new();
    let _installed = place.install(0..2, InjectedFault::Ends);
    let done = place.reads(1).pop().unwrap();
    assert_eq!(done.result.unwrap(), LENGTH / 2);
    assert!(done.request.region[..LENGTH / 2] == contents()[..LENGTH / 2]);
    let (done, found) = place.write();
    let said = done.result.unwrap_err().to_string();
    assert!(said.contains("at offset 32768"), "{said}");
    assert_eq!(found.len(), LENGTH / 2);
}

#[test]
fn a_flipped_bit_is_in_the_memory_of_a_read_and_in_the_file_of_a_write() {
    let place = Place::new();
    let _installed = place.install(0..2, InjectedFault::Flips(12_345));
    let done = place.reads(1).pop().unwrap();
    assert_eq!(bits_apart(&done.request.region, &contents()), 1);
    let (done, found) = place.write();
    assert_eq!(bits_apart(&done.request.region, &contents()), 0);
    assert_eq!(bits_apart(&found, &contents()), 1);
}

#[test]
fn a_bit_flips_later() {
    let place = Place::new();
    let fault = InjectedFault::FlipsLater(12_345, 2);
    let _installed = Script::new(place.folder.path(), 0..1, fault).of(Direction::Read).install();
    let file = File::create(&place.folder.path().join("written"), Direct::Off).unwrap();
    let mut queue = Engine::Sync.queue(4).unwrap();
    let run = |queue: &mut dyn Queue, operation, file| {
        queue.submit(place.request(operation, file, 0)).unwrap();
        queue.wait().unwrap().unwrap()
    };
    let read = run(&mut *queue, Direction::Read, &place.file);
    run(&mut *queue, Direction::Write, &file);
    assert_eq!(bits_apart(&read.request.region, &contents()), 0);
    run(&mut *queue, Direction::Read, &place.file);
    run(&mut *queue, Direction::Read, &place.file);
    assert_eq!(bits_apart(&read.request.region, &contents()), 0);
    run(&mut *queue, Direction::Write, &file);
    assert_eq!(bits_apart(&read.request.region, &contents()), 1);
}

#[test]
fn completions_are_overtaken_and_stall() {
    let place = Place::new();
    let tags = |times| place.reads(times).iter().map(|done| done.request.tag).collect::<Vec<_>>();
    let installed = place.install(0..1, InjectedFault::IsOvertaken(1));
    assert_eq!(tags(4), [1, 0, 2, 3]);
    drop(installed);
    let installed = place.install(0..u64::MAX, InjectedFault::IsOvertaken(9));
    assert_eq!(tags(3), [2, 1, 0]);
    drop(installed);
    let _installed = place.install(0..1, InjectedFault::Stalls(Duration::from_millis(30)));
    let begun = Instant::now();
    assert_eq!(tags(3), [1, 2, 0]);
    assert!(begun.elapsed() >= Duration::from_millis(30));
}
