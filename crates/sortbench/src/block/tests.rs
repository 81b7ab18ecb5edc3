//! Blocks cover a file exactly once, and a failed worker stops the others.

use std::sync::Mutex;

use sortwell::Progress;
use sortwell::{ConfigErrorKind, Error};

use super::{BLOCK_LENGTH, BLOCK_RECORDS, BUFFERS, FileBlocks, buffers};

#[test]
fn blocks_cover_a_file_exactly() {
    let progress = Progress::new();
    let block = BLOCK_LENGTH as u64;
    for length in [0, 100, block - 100, block, block + 100, 5 * block, 5 * block + 300] {
        let blocks = FileBlocks::new(length, &progress);
        let mut covered = 0;
        while let Some(block) = blocks.claim().unwrap() {
            assert!(block.length > 0);
            assert_eq!(block.offset(), covered);
            assert_eq!(block.first_record() * 100, covered);
            covered += block.length as u64;
        }
        assert_eq!(covered, length);
    }
    assert_eq!(BLOCK_LENGTH, BLOCK_RECORDS * 100);
}

#[test]
fn no_more_workers_than_blocks() {
    let progress = Progress::new();
    let occupied =
        |length: usize, threads| FileBlocks::new(length as u64, &progress).occupy(threads);
    assert_eq!(occupied(0, 4), 1);
    assert_eq!(occupied(100, 4), 1);
    assert_eq!(occupied(3 * BLOCK_LENGTH, 4), 3);
    assert_eq!(occupied(30 * BLOCK_LENGTH, 4), 4);
    assert_eq!(FileBlocks::new(u64::MAX, &progress).occupy(4), 4);
}

#[test]
fn workers_share_all_blocks() {
    let progress = Progress::new();
    let blocks = FileBlocks::new(1_000 * BLOCK_LENGTH as u64, &progress);
    let shares = blocks.work(7, || {
        let mut share = Vec::new();
        while let Some(block) = blocks.claim()? {
            share.push(block.index);
        }
        Ok(share)
    });
    let shares = shares.unwrap();
    assert_eq!(shares.len(), 7);
    let mut all = shares.concat();
    all.sort_unstable();
    assert_eq!(all, (0..1_000).collect::<Vec<u64>>());
}

#[test]
fn one_failure_stops_all_and_is_reported() {
    let progress = Progress::new();
    let blocks = FileBlocks::new(u64::MAX, &progress);
    let failed = blocks.work(3, || {
        while let Some(block) = blocks.claim()? {
            if block.index == 50 {
                return Err(Error::config(ConfigErrorKind::Other, "block 50"));
            }
        }
        Ok(())
    });
    assert_eq!(failed.unwrap_err().to_string(), "block 50");
}

#[test]
fn a_stop_interrupts_all() {
    let progress = Progress::new();
    let blocks = FileBlocks::new(u64::MAX, &progress);
    let taken = Mutex::new(0);
    let stopped = blocks.work(2, || {
        while blocks.claim()?.is_some() {
            *taken.lock().unwrap() += 1;
            progress.request_stop();
        }
        Ok(())
    });
    assert!(matches!(stopped, Err(Error::Interrupted)));
    assert!((1..=2).contains(&*taken.lock().unwrap()));
}

#[test]
fn buffers_hold_whole_pages_and_a_block_each() {
    let buffers = buffers().unwrap();
    assert_eq!(buffers.len(), BUFFERS);
    for buffer in &buffers {
        assert!(buffer.len() >= BLOCK_LENGTH);
        assert_eq!(buffer.address() % 4096, 0);
    }
}
