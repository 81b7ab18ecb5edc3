//! The tree against a sorted list of what is in it, for every number of leaves.

use super::{Entry, NODE_BYTES, Tree};
use crate::io::Arena;
use crate::units::ByteSize;

/// Some number, another each time.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn tree(leaves: u32) -> Tree {
    let mut memory = Arena::new(ByteSize(u64::from(leaves) * NODE_BYTES as u64)).unwrap();
    memory.fill(0xff);
    Tree::new(memory, leaves)
}

/// Ties by leaf.
fn by_leaf(a: u32, b: u32) -> bool {
    a < b
}

#[test]
fn leaves_come_and_go_in_any_order() {
    for leaves in 1..40 {
        let mut tree = tree(leaves);
        let mut state = u64::from(leaves);
        let mut held: Vec<Entry> = (0..leaves)
            .map(|leaf| match next(&mut state) % 3 {
                0 => Entry::empty(leaf),
                _ => Entry::new(1, next(&mut state) % 20, leaf),
            })
            .collect();
        held.iter().for_each(|entry| tree.enter(*entry, &by_leaf));
        for _ in 0..2000 {
            let first = *held.iter().min_by_key(|entry| entry.0).unwrap();
            assert_eq!(tree.first(), first);
            let empty: Vec<usize> = (0..held.len()).filter(|at| held[*at].is_empty()).collect();
            let (run, prefix) = (1 + next(&mut state) as u32 % 2, next(&mut state) % 20);
            match next(&mut state) % 3 {
                0 if !empty.is_empty() => {
                    let at = empty[next(&mut state) as usize % empty.len()];
                    held[at] = Entry::new(run, prefix, at as u32);
                    tree.fill(held[at], &by_leaf);
                }
                1 => {
                    held[first.leaf() as usize] = Entry::empty(first.leaf());
                    tree.replace_first(Entry::empty(first.leaf()), &by_leaf, &|_| ());
                }
                _ => {
                    let entry = Entry::new(run, prefix, first.leaf());
                    held[first.leaf() as usize] = entry;
                    tree.replace_first(entry, &by_leaf, &|_| ());
                }
            }
        }
    }
}

#[test]
fn an_entry_is_what_it_was_made_of() {
    let entry = Entry::new(7, 0x0123_4567_89ab_cdef, 9);
    assert_eq!((entry.run(), entry.prefix(), entry.leaf()), (7, 0x0123_4567_89ab_cdef, 9));
    assert!(!entry.is_empty() && Entry::empty(9).is_empty());
    assert_eq!(Entry::empty(9).leaf(), 9);
}
