//! The dealing of a load's records: settings, and the dealers of the workers, each made when its
//! worker deals first, all over one classifier and one pool.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::gate::{Gate, Passed};
use super::stage::Worker;
use crate::format::{Framing, RecordFault};
use crate::incore::{Classifier, Dealer, IncoreSort, Pool};
use crate::key::{CutRecord, KeyEncoder, KeyTally, KnownWord};

/// Settings for reading and dealing records, equal for all loads of a job.
#[derive(Debug)]
pub struct Dealing<'a, K> {
    /// The sort of each load.
    pub sort: IncoreSort<'a, K>,
    /// Conditions on records, if any.
    pub gate: Option<&'a Gate>,
    /// True if records are counted and summed.
    pub verify: bool,
}

impl<K: KeyEncoder> Dealing<'_, K> {
    /// Deals those records of `block` that pass the gate, the first of all at `location`, and
    /// accounts for them with `worker`; counts them. A [`mark`](Dealer::mark) must follow.
    ///
    /// # Errors
    ///
    /// The first record that must not be, by its place in the load.
    pub fn deal(
        &self,
        classifier: &Classifier,
        dealer: &mut Dealer,
        worker: &mut Worker<'_>,
        block: &[u8],
        location: usize,
    ) -> Result<Passed, RecordFault> {
        let key = self.sort.key;
        let Worker { sum_in, keys, .. } = worker;
        let show = |record: CutRecord<'_>, at, word| {
            let CutRecord { bytes, field_ends } = record;
            key.tally(record, word, keys);
            if self.verify {
                sum_in.add_record(bytes);
            }
            let key = KnownWord { key, word, field_ends };
            dealer.deal_item(classifier, &key, bytes, (location + at) as u64);
        };
        self.each(block, location, show)
    }

    /// Looks for a record of `block` that must not be, and deals none.
    ///
    /// # Errors
    ///
    /// As of [`deal`](Self::deal).
    pub fn check(&self, block: &[u8], location: usize) -> Result<Passed, RecordFault> {
        self.each(block, location, |_, _, _| {})
    }

    /// Shows each record that passes the gate, with its place in `block` and its first word.
    fn each(
        &self,
        block: &[u8],
        location: usize,
        show: impl FnMut(CutRecord<'_>, usize, u64),
    ) -> Result<Passed, RecordFault> {
        let IncoreSort { key, framing, .. } = self.sort;
        let open = Gate::default();
        let passed = self.gate.unwrap_or(&open).each(key, framing, block, show);
        passed.map_err(|fault| RecordFault { at: location + fault.at, ..fault })
    }
}

/// Dealers of the records of a load while it is read.
#[derive(Debug)]
pub struct Dealers<'a, K> {
    how: &'a Dealing<'a, K>,
    pool: Arc<Pool>,
    classifier: OnceLock<Classifier>,
    each: Vec<Mutex<Option<Dealer>>>,
}

impl<'a, K: KeyEncoder> Dealers<'a, K> {
    /// Returns dealers for `workers` workers. Where there is no classifier yet, it is made from the
    /// first block.
    pub fn new(
        how: &'a Dealing<'a, K>,
        pool: Pool,
        classifier: Option<Classifier>,
        workers: usize,
    ) -> Self {
        let each = (0..workers).map(|_| Mutex::new(None)).collect();
        let classifier = classifier.map_or_else(OnceLock::new, OnceLock::from);
        Self { how, pool: Arc::new(pool), classifier, each }
    }

    /// Returns where records belong; `make` says so where nothing else has.
    pub fn classifier(&self, make: impl FnOnce() -> Classifier) -> &Classifier {
        self.classifier.get_or_init(make)
    }

    /// Lets a worker's dealer deal.
    pub fn with<R>(&self, worker: usize, deal: impl FnOnce(&mut Dealer, &Classifier) -> R) -> R {
        let classifier = self.classifier(|| Classifier::single(0));
        let mut dealer = self.each[worker].lock().unwrap_or_else(PoisonError::into_inner);
        let make = || self.how.sort.dealer(classifier, &self.pool);
        deal(dealer.get_or_insert_with(make), classifier)
    }

    /// Deals a block of whole records for a worker, the first at `location`, and accounts for them;
    /// counts them.
    ///
    /// # Errors
    ///
    /// The first record that must not be, by its place in the load.
    pub fn deal(
        &self,
        worker: &mut Worker<'_>,
        block: &[u8],
        location: usize,
    ) -> Result<Passed, RecordFault> {
        let Dealing { sort, gate, verify } = self.how;
        self.with(worker.number, |dealer, classifier| {
            let is_seen = sort.key.places_invalid() || sort.key.field_cutter().is_some();
            if gate.is_some() || is_seen {
                let passed = self.how.deal(classifier, dealer, worker, block, location);
                dealer.mark(location as u64);
                return passed;
            }
            look_at(sort.key, sort.framing, block, &mut worker.keys);
            let sum = verify.then_some(&mut worker.sum_in);
            let shown = sort.deal(classifier, dealer, block, location as u64, sum);
            Ok(Passed { shown, ragged: 0 })
        })
    }

    /// Returns the classifier, the pool, and what was dealt, by one dealer at least.
    pub fn finish(self) -> (Classifier, Arc<Pool>, Vec<Dealer>) {
        let Self { how, pool, classifier, each } = self;
        let classifier = classifier.into_inner().unwrap_or_else(|| Classifier::single(0));
        let mut dealers: Vec<Dealer> = each
            .into_iter()
            .filter_map(|dealer| dealer.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect();
        if dealers.is_empty() {
            dealers.push(how.sort.dealer(&classifier, &pool));
        }
        (classifier, pool, dealers)
    }
}

/// Looks at the keys of records that pass unseen, until each key was seen to have a value.
fn look_at<K: KeyEncoder>(key: &K, framing: Framing, block: &[u8], tally: &mut KeyTally) {
    if !key.is_watched() || tally.is_settled() {
        return;
    }
    for record in framing.records(block) {
        key.tally(record.into(), key.word(record, 0), tally);
        if tally.is_settled() {
            return;
        }
    }
}
