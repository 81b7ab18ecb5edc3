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
        let mut old = Vec::new();
        for number in 0..100_u8 {
            let block = queue.take(std::mem::take(&mut old), &progress).expect("a block");
            old = block.expect("not the end");
            assert_eq!((old.len(), old[0]), (BLOCK_BYTES, number));
        }
        assert_eq!(queue.take(old, &progress).expect("the end"), None);
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
        queue.take(Vec::new(), &progress).expect("a block");
        waiting.join().expect("no panic").expect("room");
    });
    (0..4).for_each(|_| drop(queue.take(vec![0; BLOCK_BYTES / 2], &progress).expect("a block")));
    let spare = || queue.empty_block().capacity();
    assert_eq!((spare(), spare(), spare()), (BLOCK_BYTES / 2, BLOCK_BYTES / 2, 0));
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
    assert!(matches!(queue.take(Vec::new(), &progress), Err(Error::Interrupted)));
}

#[test]
fn a_stop_ends_a_wait() {
    let (queue, progress) = (BlockQueue::new(1), Progress::new());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| queue.take(Vec::new(), &progress));
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
    assert_eq!(queue.take(Vec::new(), &progress).expect("a block"), Some(vec![1]));
    assert_eq!(queue.take(Vec::new(), &progress).expect("the end"), None);
    let unfinished = BlockQueue::new(3);
    drop(AbandonedQueue(Arc::clone(&unfinished)));
    assert!(matches!(unfinished.take(Vec::new(), &progress), Err(Error::Interrupted)));
}

#[test]
fn long_writes_become_blocks_of_usual_size() {
    let (queue, progress) = (BlockQueue::new(3), Progress::new());
    let data: Vec<u8> = (0..2 * BLOCK_BYTES + 5).map(|number| number as u8).collect();
    SortedBlocks(Arc::clone(&queue)).write_all(&data, &progress).expect("room");
    queue.finish();
    let mut all = Vec::new();
    while let Some(block) = queue.take(Vec::new(), &progress).expect("a block") {
        assert!(block.len() <= BLOCK_BYTES);
        all.extend_from_slice(&block);
    }
    assert!(all == data);
}
