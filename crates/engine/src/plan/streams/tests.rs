//! Plans of merges: within the budget, at least two wide, no wider than files can be opened.

use super::*;
use crate::plan::tests::files;

fn need(inputs: usize, budget: ByteSize) -> StreamNeed {
    need_of(1, inputs, budget)
}

fn need_of(threads: usize, inputs: usize, budget: ByteSize) -> StreamNeed {
    let (besides, files) = (Besides::default(), files(1 << 20));
    let (input_bytes, width, run_members, levers) = (Some(1 << 50), None, 1, Levers::default());
    let selects = false;
    StreamNeed {
        threads,
        inputs,
        input_bytes,
        budget,
        besides,
        files,
        run_members,
        width,
        selects,
        levers,
    }
}

#[test]
fn plans_stay_within_the_budget() {
    for budget in [20, 24, 32, 64, 100, 1024, 100_000].map(ByteSize::mib) {
        for inputs in [0, 1, 2, 3, 10, 100, 511, 512, 513, 100_000] {
            for threads in [1, 2, 16] {
                let plan = StreamPlan::new(&need_of(threads, inputs, budget)).expect("a plan");
                assert!(plan.width >= 2 && plan.width <= WIDTH_MAX);
                assert!((PIECE_MIN..=PIECE_MAX).contains(&plan.piece_bytes));
                let at_once = inputs.clamp(1, plan.width);
                let lanes = plan.threads * plan.lane.bytes();
                let pieces = 2 * plan.threads * at_once * plan.piece_bytes;
                let used = lanes + pieces + plan.spare_bytes;
                assert!(used as u64 <= budget.bytes(), "{inputs} in {budget}: {plan:?}");
                assert!(plan.spare_bytes >= (used - lanes) / LONG_SHARE, "{plan:?}");
                let alone = StreamPlan::new(&need(inputs, budget)).expect("a plan");
                assert_eq!(plan.width, alone.width, "further workers make no merge narrower");
            }
        }
    }
}

/// Two windows grow to a third of the budget: the one piece by piece, the other by what is left.
#[test]
fn two_inputs_may_have_records_of_a_third_of_the_budget() {
    for mib in [64, 100, 256, 1024, 100_000] {
        let budget = ByteSize::mib(mib);
        for threads in [1, 2] {
            let StreamPlan { piece_bytes, spare_bytes, .. } =
                StreamPlan::new(&need_of(threads, 2, budget)).expect("a plan");
            let third = (budget.bytes() / 3) as usize;
            let grown = third.next_multiple_of(piece_bytes) + third;
            assert!(grown <= spare_bytes + 2 * piece_bytes, "{budget}, {threads} threads");
        }
    }
}

#[test]
fn the_least_budget_is_the_one_it_names() {
    assert!(StreamPlan::new(&need(5, LEAST)).is_ok());
    let error = StreamPlan::new(&need(5, ByteSize::mib(12))).expect_err("too little");
    assert!(error.to_string().contains(&LEAST.to_string()), "{error}");
}

#[test]
fn small_inputs_get_small_pieces() {
    let large = need(2000, ByteSize::gib(8));
    let small = StreamNeed { input_bytes: Some(1 << 20), ..large };
    assert_eq!(StreamPlan::new(&small).expect("a plan").piece_bytes, PIECE_MIN);
    let plan = StreamPlan::new(&large).expect("a plan");
    let most = PIECES_MAX.max(2 * plan.width * PIECE_MIN);
    assert!(2 * plan.width * plan.piece_bytes <= most, "{plan:?}");
}

#[test]
fn open_files_and_the_user_bound_the_width() {
    let all = need(2000, ByteSize::gib(1));
    let few = StreamPlan::new(&StreamNeed { files: files(60), ..all }).expect("a plan");
    assert_eq!(few.width, (60 - 14) / 2);
    assert!(StreamPlan::new(&StreamNeed { files: files(17), ..all }).is_err());
    let said = StreamPlan::new(&StreamNeed { width: Some(7), ..all }).expect("a plan");
    assert_eq!(said.width, 7);
    // Runs of three files each are merged with inputs; where those all are, there are no runs.
    let striped = StreamNeed { files: files(60), run_members: 3, ..all };
    let wide = StreamPlan::new(&striped).expect("a plan").width;
    assert_eq!(wide, (60 - 24) / (3 * 2));
    let at_once = StreamNeed { inputs: few.width, ..striped };
    assert_eq!(StreamPlan::new(&at_once).expect("a plan").width, (60 - 3) / 2);
}

/// What is said of pieces, buffers and requests counts, and is refused where it cannot be had.
#[test]
fn levers_count() {
    let all = need(40, ByteSize::mib(256));
    let plan = |levers: Levers| StreamPlan::new(&StreamNeed { levers, ..all });
    let usual = plan(Levers::default()).expect("a plan");
    assert_eq!((usual.width, usual.read_depth), (WIDTH_MAX, READS_USUAL));

    let block = |bytes: u64| Levers { block: Some(ByteSize(bytes)), ..Levers::default() };
    assert_eq!(plan(block(100_000)).expect("a plan").piece_bytes, 2 * BLOCK);
    let large = plan(block(16 << 20)).expect("a plan");
    assert!((large.piece_bytes, large.width) == (16 << 20, 5), "{large:?}");
    let factor = plan(Levers { read_factor: Some(512), ..Levers::default() }).expect("a plan");
    let piece = (PIECE_MIN + 3 * 511 * 4096).next_multiple_of(BLOCK);
    assert!(factor.piece_bytes == piece && factor.width < usual.width, "{factor:?}");
    let buffers = Levers { write_buffers: Some(9), ..Levers::default() };
    let buffers = Levers { write_buffer: Some(ByteSize::mib(3)), ..buffers };
    let lane = plan(buffers).expect("a plan").lane;
    assert_eq!((lane.buffers, lane.capacity), (9, 3 << 20));
    let deep = Levers { queue_depth: Some(1000), ..Levers::default() };
    assert_eq!(plan(deep).expect("a plan").read_depth, 40);
    let narrow = Levers { merge_width: Some(7), ..Levers::default() };
    assert_eq!(plan(narrow).expect("a plan").width, 7);

    let said = plan(block(64 << 20)).expect_err("too large").to_string();
    let words: Vec<&str> = said.split(' ').collect();
    let at = words.iter().position(|word| *word == "least").expect("a least budget") + 1;
    let budget = ByteSize::mib(words[at].parse().expect("a number"));
    let levers = block(64 << 20);
    assert!(StreamPlan::new(&StreamNeed { levers, budget, ..all }).is_ok(), "{said}");
    assert!(plan(block(u64::MAX)).is_err());
}
