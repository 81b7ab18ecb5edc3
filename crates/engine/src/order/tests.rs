//! Whatever is written, by tasks that end in any order: a disorder is reported where one is.

use super::*;
use crate::error::Error;
use crate::format::{Format, Framing};
use crate::key::text::TextOrder;
use crate::key::{CompiledKey, Key, KeyEncoder, ListMemory, with_encoder};

const FRAMING: Framing = Framing::Terminated(b'\n');

fn mixed(at: u64) -> u64 {
    let mixed = (at ^ (at >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The keys: cheap to make and costly, that tie often and seldom.
fn keys() -> Vec<CompiledKey> {
    let keyed = |keys: &[&str]| {
        let format = Format::Lines { terminator: b'\n' };
        let specs = keys.iter().map(|key| key.parse::<Key>().unwrap());
        let specs = specs.map(|spec| spec.spec(ListMemory::UNBOUNDED).unwrap()).collect();
        CompiledKey::new(&TextOrder { specs, ..TextOrder::of(format) }).unwrap()
    };
    vec![keyed(&[]), keyed(&["1:int"]), keyed(&["1:natural:desc", "2"]), keyed(&["2:ci", "1"])]
}

/// Lines of which many agree in their first words, some far beyond.
fn lines(seed: u64) -> Vec<Vec<u8>> {
    let line = |number: u64| {
        let random = mixed(seed << 20 | number);
        let shared = [0, 3, 70, KEPT_MAX][(random >> 8) as usize % 4];
        let shared = if random.is_multiple_of(23) { shared } else { shared.min(70) };
        let same = "x".repeat(shared);
        format!("{} {same}{}\n", random % 7, (random >> 40) % 5).into_bytes()
    };
    (0..60).map(line).collect()
}

/// Returns whether a proof over tasks of these lines, ended in a scrambled order, reports a
/// disorder.
fn is_reported<K: KeyEncoder>(key: &K, tasks: &[Vec<Vec<u8>>], seed: u64) -> bool {
    let proof = OrderProof::of_output(true);
    let mut numbered: Vec<(usize, &Vec<Vec<u8>>)> = tasks.iter().enumerate().collect();
    numbered.sort_by_key(|(task, _)| mixed(seed ^ *task as u64));
    for (task, lines) in numbered {
        let mut check = proof.check(key);
        for (batch, lines) in lines.chunks(4).enumerate() {
            if (seed + batch as u64).is_multiple_of(2) {
                check.next_all(FRAMING, &lines.concat());
                continue;
            }
            for line in lines {
                check.next(line.as_slice().into(), None);
                check.keep(line);
            }
        }
        let ended = proof.verify(&check, Some(0)).and_then(|()| proof.end_task(key, task, check));
        match ended {
            Err(Error::Disorder { .. }) => return true,
            ended => ended.unwrap(),
        }
    }
    false
}

#[test]
fn disorder_is_reported_where_one_is() {
    let (mut good, mut bad) = (0, 0);
    for (number, key) in keys().iter().enumerate() {
        with_encoder!(key, |key| {
            for seed in 0..200 {
                let seed = seed << 4 | number as u64;
                let mut lines = lines(seed);
                lines.sort_by(|a, b| key.compare_from(a, b, 0));
                if !seed.is_multiple_of(3) {
                    let [a, b] = [1, 2].map(|n| mixed(seed ^ n) as usize % lines.len());
                    lines.swap(a, b);
                }
                let is_behind = |pair: &[Vec<u8>]| key.compare_from(&pair[0], &pair[1], 0).is_gt();
                let is_disordered = lines.windows(2).any(is_behind);
                let mut rest = lines;
                let mut tasks = vec![Vec::new()];
                while !rest.is_empty() {
                    let random = mixed(seed ^ rest.len() as u64) as usize;
                    let behind = rest.split_off((1 + random % 8).min(rest.len()));
                    tasks.push(std::mem::replace(&mut rest, behind));
                    tasks.resize_with(tasks.len() + random / 8 % 2, Vec::new);
                }
                assert_eq!(is_reported(key, &tasks, seed), is_disordered, "{number}, {seed}");
                (good, bad) = if is_disordered { (good, bad + 1) } else { (good + 1, bad) };
            }
        });
    }
    assert!(good > 200 && bad > 200, "{good} in order, {bad} not");
}

/// What a stage or another job has written last is compared with what comes next.
#[test]
fn stages_and_jobs_are_joined() {
    for key in &keys()[..1] {
        with_encoder!(key, |key| {
            let write = |proof: &OrderProof, line: &[u8]| {
                let mut check = proof.check(key);
                check.next_all(FRAMING, line);
                proof.end_task(key, 1, check)?;
                proof.end_task(key, 0, proof.check(key))
            };
            let proof = OrderProof::of_output(true);
            write(&proof, b"b\n").unwrap();
            proof.begin_stage();
            write(&proof, b"c\n").unwrap();
            let last = proof.last();
            proof.begin_stage();
            assert!(matches!(write(&proof, b"b\n"), Err(Error::Disorder { .. })));
            let resumed = OrderProof::of_output(true);
            resumed.resume(last);
            assert!(matches!(write(&resumed, b"b\n"), Err(Error::Disorder { .. })));
            let unproven = OrderProof::of_output(false);
            write(&unproven, b"c\n").unwrap();
            unproven.begin_stage();
            write(&unproven, b"a\n").unwrap();
        });
    }
}

/// Records that are too long to be kept are compared by the beginning of their keys.
#[test]
fn long_records_are_compared_by_the_beginning_of_their_keys() {
    let keys = keys();
    with_encoder!(&keys[0], |key| {
        let line = |start: &str, end: &str| format!("{start}{}{end}\n", "m".repeat(KEPT_MAX));
        let kept = |line: &str| KeptRecord::new(key, line.as_bytes(), None);
        let (early, late) = (kept(&line("a", "2")), kept(&line("b", "1")));
        assert!(early.whole().is_none() && kept("short\n").whole().is_some());
        assert!(early.compare_kept(key, &late).is_lt() && late.compare_kept(key, &early).is_gt());
        assert!(kept("b\n").compare_kept(key, &early).is_gt());
        assert!(early.compare_kept(key, &kept("b\n")).is_lt());
        assert!(early.compare(key, line("a", "1").as_bytes()).is_eq(), "no further than that");
    });
}
