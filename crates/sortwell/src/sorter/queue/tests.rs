//! Queues between two threads, and sides that leave.

use super::*;

#[test]
fn blocks_keep_their_order_and_their_memory() {
    let (queue, progress) = (BlockQueue::new(2), Progress::new());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..100_u8 {
                let mut block = queue.empty_block();
                assert!(block.is_empty());
                block.push(number);
                queue.put(block, &progress).expect("room");
            }
            queue.finish();
        });
        let mut old = Vec::new();
        for number in 0..100_u8 {
            let block = queue.take(std::mem::take(&mut old), &progress).expect("a block");
            old = block.expect("not the end");
            assert_eq!(old, [number]);
        }
        assert_eq!(queue.take(old, &progress).expect("the end"), None);
    });
    assert!(queue.empty_block().capacity() > 0, "memory is used again");
}

#[test]
fn a_side_that_has_left_fails_the_other() {
    let (queue, progress) = (BlockQueue::new(1), Progress::new());
    queue.put(vec![1], &progress).expect("room");
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
    drop(blocks);
    assert!(matches!(queue.put(Vec::new(), &progress), Err(Error::Interrupted)), "nobody reads");
}
