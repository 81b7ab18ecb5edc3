//! Random combinations of everything a sorter can do, against a model of a few lines.

use std::cmp::Ordering;

use super::*;

/// Cases of the test. More, with other seeds, when the variables say so: `SORTER_CASES` and
/// `SORTER_SEED`.
const CASES: u64 = 40;

type Pair = (Vec<u8>, Vec<u8>);
type Number = fn(&[u8]) -> u64;
type Compare = fn(&[u8], &[u8]) -> Ordering;

/// One drawn case.
#[derive(Debug)]
struct Case {
    parts: Vec<usize>,
    memory: u64,
    threads: usize,
    order: usize,
    unique: Option<Unique>,
    limit: Option<u64>,
    has_pushers: bool,
    spills: bool,
    folds: bool,
}

/// Orders, with the number that comes first in some.
const ORDERS: [(Option<Number>, Compare); 4] = [
    (None, |a, b| a.cmp(b)),
    (None, |a, b| a.iter().rev().cmp(b.iter().rev())),
    (Some(|key| key.len() as u64), |a, b| b.cmp(a)),
    (Some(|key| key.first().map_or(0, |first| u64::from(*first))), |_, _| Ordering::Equal),
];

fn drawn(seed: u64) -> Case {
    let mut numbers = numbers(seed);
    let mut below = |limit: u64| numbers.next().expect("no end") % limit;
    let sizes = [0, 1, 40, 3000, 30_000, 150_000];
    let has_pushers = below(3) == 0;
    let spills = !has_pushers && below(4) == 0;
    let parts = if has_pushers { 1 + below(4) } else { 1 };
    Case {
        parts: (0..parts).map(|_| sizes[below(6) as usize]).collect(),
        memory: if has_pushers { 128 + below(128) } else { 24 + below(48) },
        threads: 1 + below(3) as usize,
        order: below(4) as usize,
        unique: match below(4) {
            0 => Some(Unique::First),
            1 if !has_pushers && !spills => Some(Unique::Last),
            _ => None,
        },
        limit: (below(3) == 0 && !spills).then(|| below(5000)),
        has_pushers,
        spills,
        folds: below(3) == 0,
    }
}

fn ordering(case: &Case) -> impl Fn(&[u8], &[u8]) -> Ordering {
    let (number, compare) = ORDERS[case.order];
    move |a: &[u8], b: &[u8]| {
        let numbers = number.map(|number| number(a).cmp(&number(b)));
        numbers.unwrap_or(Ordering::Equal).then_with(|| compare(a, b))
    }
}

/// Returns what a case gives, by the model.
fn modelled(case: &Case, parts: &[Vec<Pair>]) -> Vec<Pair> {
    let order = ordering(case);
    let mut records = parts.concat();
    if matches!(case.unique, Some(Unique::Last)) {
        records.reverse();
    }
    records.sort_by(|a, b| order(&a.0, &b.0));
    if case.unique.is_some() {
        records.dedup_by(|next, kept| order(&next.0, &kept.0).is_eq());
    }
    records.truncate(case.limit.map_or(usize::MAX, |limit| limit as usize));
    if case.folds {
        records.dedup_by(|next, kept| {
            let is_equal = order(&next.0, &kept.0).is_eq();
            if is_equal {
                kept.1.extend_from_slice(&next.1);
            }
            is_equal
        });
    }
    records
}

/// Returns what a sorter gives.
fn sorted(case: &Case, parts: &[Vec<Pair>], folder: &Path) -> Result<Vec<Pair>> {
    let mut sorter = Sorter::new();
    sorter.temp(folder).threads(case.threads).memory(ByteSize::mib(case.memory));
    match ORDERS[case.order] {
        _ if case.order == 0 => &mut sorter,
        (None, compare) => sorter.by_comparison(compare),
        (Some(number), compare) => sorter.by_prefix(number, compare),
    };
    if let Some(unique) = case.unique {
        sorter.unique(unique);
    }
    if let Some(limit) = case.limit {
        sorter.limit(limit);
    }
    let sorted = if case.has_pushers {
        let pushers = sorter.pushers(parts.len())?;
        thread::scope(|scope| {
            let push = |(mut pusher, part): (Pusher, &Vec<Pair>)| {
                part.iter().try_for_each(|(key, payload)| pusher.push(key, payload))?;
                pusher.finish()
            };
            let threads: Vec<_> = pushers.into_iter().zip(parts).collect();
            let threads: Vec<_> =
                threads.into_iter().map(|pair| scope.spawn(move || push(pair))).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
        })?;
        sorter.finish()?
    } else if case.spills {
        let mut spiller = sorter.spill_to(folder);
        parts[0].iter().try_for_each(|(key, payload)| spiller.push(key, payload))?;
        let mut merge = KeyedMerge::new();
        merge.temp(folder).unique(case.unique.is_some());
        match ORDERS[case.order] {
            _ if case.order == 0 => &mut merge,
            (None, compare) => merge.by_comparison(compare),
            (Some(number), compare) => merge.by_prefix(number, compare),
        };
        for run in spiller.finish()? {
            merge.run(&run);
        }
        merge.finish()?
    } else {
        parts[0].iter().try_for_each(|(key, payload)| sorter.push(key, payload))?;
        sorter.finish()?
    };
    let mut records = Vec::new();
    if case.folds {
        let mut folded = sorted.fold(Vec::extend_from_slice);
        while let Some(KeyedRecord { key, payload }) = folded.next()? {
            records.push((key.to_vec(), payload.to_vec()));
        }
        folded.close()?;
    } else {
        let mut sorted = sorted;
        while let Some(KeyedRecord { key, payload }) = sorted.next()? {
            records.push((key.to_vec(), payload.to_vec()));
        }
        sorted.close()?;
    }
    Ok(records)
}

#[test]
fn random_combinations_give_what_the_model_gives() {
    let variable = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let seed = variable("SORTER_SEED").unwrap_or(1);
    for case in 0..variable("SORTER_CASES").unwrap_or(CASES) {
        let number = seed * 1_000_000 + case;
        let case = drawn(number);
        let parts: Vec<_> = (0_u64..)
            .zip(&case.parts)
            .map(|(part, count)| records(*count, number + 7 * part))
            .collect();
        let folder = tempfile::tempdir().expect("a folder");
        let found = sorted(&case, &parts, folder.path());
        let found = found.unwrap_or_else(|error| panic!("case {number}, {case:?}: {error}"));
        assert!(found == modelled(&case, &parts), "case {number}: {case:?}");
        if !case.spills {
            assert_empty(&folder);
        }
    }
}
