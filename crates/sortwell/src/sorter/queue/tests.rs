//! Queues between two threads, and sides that leave.

use super::*;

#[test]
fn blocks_keep_their_order_and_their_memory() {
    let (queue, progress) = (BlockQueue::new(2), Progress::new());
    std::thread::scope(|scope| {
        let filled = scope.spawn(|| {
            let mut is_used_again = false;
            for number in 0..100_u8 {
                let mut block = queue.empty_block();
                assert!(block.is_empty());
                is_used_again |= block.capacity() > 0;
                block.resize(BLOCK_BYTES, number);
                queue.put(block, &progress).expect("room");
            }
            queue.finish();
            is_used_again
        });
        for number in 0..100_u8 {
            let block = queue.take(&progress).expect("a block").expect("not the end");
            assert_eq!((block.len(), block[0]), (BLOCK_BYTES, number));
        }
        assert!(queue.take(&progress).expect("the end").is_none());
        assert!(filled.join().expect("no panic"), "memory is used again");
    });
    assert_eq!(queue.empty_block().capacity(), 0, "after the end, no memory is kept");
}

/// Small blocks wait in larger numbers, and all of them take as much memory.
#[test]
fn blocks_wait_by_their_memory() {
    let (queue, progress) = (BlockQueue::new(1), Progress::new());
    (0..4).for_each(|_| queue.put(vec![1; BLOCK_BYTES / 4], &progress).expect("room"));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| queue.put(vec![2], &progress));
        std::thread::sleep(STOP_CHECK);
        assert!(!waiting.is_finished(), "there is no room");
        queue.take(&progress).expect("a block");
        waiting.join().expect("no panic").expect("room");
    });
    (0..4).for_each(|_| drop(queue.take(&progress).expect("a block")));
    assert_eq!(queue.empty_block().capacity(), 0, "small blocks are not kept");
}

/// As many blocks are kept as were filled at a time, and as may wait.
#[test]
fn memory_that_will_be_needed_is_kept() {
    let (queue, progress) = (BlockQueue::new(1), Progress::new());
    let sorted = SortedBlocks { queue: Arc::clone(&queue), takes_blocks: true };
    let blocks = [(); 3].map(|()| sorted.block());
    let mut taken = Vec::new();
    for block in blocks {
        sorted.write_block(block, &progress).expect("room");
        taken.push(queue.take(&progress).expect("a block"));
    }
    taken.push(Some(TakenBlock { queue: Some(Arc::clone(&queue)), bytes: vec![1; BLOCK_BYTES] }));
    taken.push(Some(TakenBlock { queue: Some(Arc::clone(&queue)), bytes: vec![1; BLOCK_BYTES] }));
    drop(taken);
    let spare = [(); 5].map(|()| queue.empty_block().capacity());
    assert_eq!(spare, [BLOCK_BYTES, BLOCK_BYTES, BLOCK_BYTES, BLOCK_BYTES, 0]);
}

/// In a process that `fork` made, the queue may be locked by a thread that does not exist there.
#[test]
fn a_block_is_dropped_while_the_queue_is_locked() {
    let (queue, progress) = (BlockQueue::new(1), Progress::new());
    queue.put(vec![1; BLOCK_BYTES], &progress).expect("room");
    let block = queue.take(&progress).expect("a block");
    let locked = queue.state();
    drop(block);
    drop(locked);
    assert_eq!(queue.empty_block().capacity(), 0, "it was freed");
}

#[test]
fn a_side_that_has_left_fails_the_other() {
    let (queue, progress) = (BlockQueue::new(1), Progress::new());
    queue.put(vec![1; BLOCK_BYTES], &progress).expect("room");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| queue.put(vec![2], &progress));
        queue.abandon();
        assert!(matches!(waiting.join().expect("no panic"), Err(Error::Interrupted)));
    });
    assert!(matches!(queue.take(&progress), Err(Error::Interrupted)));
}

#[test]
fn a_stop_ends_a_wait() {
    let (queue, progress) = (BlockQueue::new(1), Progress::new());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| queue.take(&progress));
        progress.request_stop();
        assert!(matches!(waiting.join().expect("no panic"), Err(Error::Interrupted)));
    });
}

#[test]
fn pushed_blocks_fill_buffers_of_any_size() {
    let (queue, progress) = (BlockQueue::new(3), Progress::new());
    for block in [&b"abc"[..], b"", b"defgh"] {
        queue.put(block.to_vec(), &progress).expect("room");
    }
    queue.finish();
    let mut blocks = PushedBlocks::new(Arc::clone(&queue));
    let (mut buffer, mut all) = ([0; 2], Vec::new());
    loop {
        let filled = blocks.fill(&mut buffer, &progress).expect("bytes");
        all.extend_from_slice(&buffer[..filled]);
        if filled < buffer.len() {
            break;
        }
    }
    assert_eq!(all, b"abcdefgh");
    let (begun, blocks) = (BlockQueue::new(3), blocks);
    drop((PushedBlocks::new(Arc::clone(&begun)), blocks));
    assert!(matches!(begun.put(Vec::new(), &progress), Err(Error::Interrupted)), "nobody reads");
}

#[test]
fn finished_blocks_outlive_the_side_that_put_them() {
    let (queue, progress) = (BlockQueue::new(3), Progress::new());
    let end = AbandonedQueue(Arc::clone(&queue));
    queue.put(vec![1], &progress).expect("room");
    queue.finish();
    drop(end);
    assert_eq!(queue.take(&progress).expect("a block").expect("not the end")[..], [1]);
    assert!(queue.take(&progress).expect("the end").is_none());
    let unfinished = BlockQueue::new(3);
    drop(AbandonedQueue(Arc::clone(&unfinished)));
    assert!(matches!(unfinished.take(&progress), Err(Error::Interrupted)));
}

#[test]
fn long_writes_become_blocks_of_usual_size() {
    let (queue, progress) = (BlockQueue::new(3), Progress::new());
    let data: Vec<u8> = (0..2 * BLOCK_BYTES + 5).map(|number| number as u8).collect();
    let sorted = SortedBlocks { queue: Arc::clone(&queue), takes_blocks: false };
    sorted.write_all(&data, &progress).expect("room");
    queue.finish();
    let mut all = Vec::new();
    while let Some(block) = queue.take(&progress).expect("a block") {
        assert!(block.len() <= BLOCK_BYTES);
        all.extend_from_slice(&block);
    }
    assert!(all == data);
}

/// Returns a source of some bytes.
fn source_of(mut bytes: &[u8]) -> impl FnMut(&mut [u8]) -> usize + Send {
    move |buffer| {
        let count = buffer.len().min(bytes.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        bytes = &bytes[count..];
        count
    }
}

/// Pieces of all lengths, put as blocks and lent, come in order to buffers of all lengths.
#[test]
fn buffers_are_filled_by_blocks_and_sources_in_order() {
    let data: Vec<u8> = (0..100_000_u32).map(|number| (number % 251) as u8).collect();
    let (queue, progress) = (BlockQueue::new(1), Progress::new());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut rest = &data[..];
            for number in 0_usize.. {
                let (piece, after) = rest.split_at((number * 37 % 1000).min(rest.len()));
                rest = after;
                match number % 3 {
                    0 => queue.put(piece.to_vec(), &progress).expect("room"),
                    _ => queue.put_all(&mut source_of(piece), &progress).expect("taken"),
                }
                if rest.is_empty() {
                    break;
                }
            }
            queue.finish();
        });
        let mut blocks = PushedBlocks::new(Arc::clone(&queue));
        let (mut all, mut buffer) = (Vec::new(), vec![0; 777]);
        for length in (1..=777).cycle() {
            let filled = blocks.fill(&mut buffer[..length], &progress).expect("bytes");
            all.extend_from_slice(&buffer[..filled]);
            if filled < length {
                break;
            }
        }
        assert!(all == data);
    });
    assert_eq!(queue.state().bytes, data.len() as u64);
}

#[test]
fn a_source_is_taken_back_when_the_other_side_leaves_and_after_a_stop() {
    for is_stop in [false, true] {
        let (queue, progress) = (BlockQueue::new(1), Progress::new());
        let mut blocks = PushedBlocks::new(Arc::clone(&queue));
        std::thread::scope(|scope| {
            let lending = scope.spawn(|| queue.put_all(&mut source_of(&[1, 2, 3]), &progress));
            assert_eq!(blocks.fill(&mut [0; 2], &progress).expect("bytes"), 2);
            assert!(!lending.is_finished(), "one byte is left");
            match is_stop {
                false => drop(blocks),
                true => progress.request_stop(),
            }
            assert!(matches!(lending.join().expect("no panic"), Err(Error::Interrupted)));
        });
        assert!(queue.state().source.is_none());
    }
}
