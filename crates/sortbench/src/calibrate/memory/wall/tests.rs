//! The search on machines with a wall that is known.

use sortwell::ByteSize;
use sortwell::unstable::io::Arena;

use super::*;

const MIB: u64 = 1 << 20;

/// Returns what is found on a machine with so much memory for programs, and the sizes tried.
fn found(usable: u64, most: u64) -> (FoundWall, Vec<u64>) {
    let mut tried = Vec::new();
    let found = search(MIB, most, |bytes| {
        tried.push(bytes);
        Ok(if bytes <= usable { MemoryFit::Fits } else { MemoryFit::TooMuch })
    });
    (found.expect("nothing fails"), tried)
}

/// The paper's machines: 47, 104 and 224 MB of 64, 128 and 256 MB.
#[test]
fn the_walls_of_the_paper_are_found() {
    for (usable, real) in [(47, 64), (104, 128), (224, 256), (42, 64), (93, 128), (195, 256)] {
        let (wall, tried) = found(usable * MIB, real * MIB);
        assert_eq!(wall, FoundWall { bytes: usable * MIB, next: MemoryFit::TooMuch });
        assert!(tried.len() <= 16, "{tried:?}");
        assert!(tried.iter().all(|bytes| *bytes <= real * MIB), "{tried:?}");
    }
}

#[test]
fn each_wall_is_found_to_a_step() {
    for most in 0..40 {
        for usable in 0..45 {
            let (wall, mut tried) = found(usable * MIB + MIB / 2, most * MIB);
            assert_eq!(wall.bytes, usable.min(most) * MIB);
            let is_whole = usable >= most;
            assert_eq!(wall.next == MemoryFit::Fits, is_whole, "{usable} of {most}");
            let count = tried.len();
            tried.sort_unstable();
            tried.dedup();
            assert_eq!(tried.len(), count, "no size is tried twice");
        }
    }
}

#[test]
fn a_search_without_time_keeps_what_fits() {
    let wall = search(MIB, 100 * MIB, |bytes| {
        Ok(if bytes > 20 * MIB { MemoryFit::Unknown } else { MemoryFit::Fits })
    });
    let expected = FoundWall { bytes: 16 * MIB, next: MemoryFit::Unknown };
    assert_eq!(wall.expect("nothing fails"), expected);
}

/// Memory that is present keeps the processor busy.
#[test]
fn memory_that_is_there_is_touched_without_waiting() {
    let mut memory = [Arena::new(ByteSize::mib(16)).expect("memory")];
    memory[0].touch();
    let found = utilisation(&mut memory);
    assert!(found > 0.5 && found <= 1.0, "{found}");
}
