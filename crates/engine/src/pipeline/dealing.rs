//! The dealing of a load's records: settings, and the dealers of the workers, each made when its
//! worker deals first, all over one classifier and one pool.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::gate::{Gate, Passed};
use super::stage::Worker;
use crate::format::{Framing, RecordFault};
use crate::incore::{Classifier, Dealer, Item, Pool};
use crate::key::{CutRecord, KeyEncoder, KeyTally, KnownWord};

/// Settings for reading and dealing records, equal for all loads of a job.
#[derive(Debug)]
pub struct Dealing<'a, K> {
    /// The key.
    pub key: &'a K,
    /// Kind of item that lies in the buckets.
    pub item: Item,
    /// Framing that separates records.
    pub framing: Framing,
    /// Conditions on records, if any.
    pub gate: Option<&'a Gate>,
    /// True if records are counted and summed.
    pub verify: bool,
    /// Records wanted in a bucket.
    pub bucket_records: usize,
    /// Most buckets.
    pub buckets_max: usize,
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
        (classifier, dealer): (&Classifier, &mut Dealer),
        worker: &mut Worker<'_>,
        (block, location): (&[u8], usize),
    ) -> Result<Passed, RecordFault> {
        let Worker { sum_in, keys, .. } = worker;
        let show = |record: CutRecord<'_>, at, word| {
            let CutRecord { bytes, cell_ends } = record;
            self.key.tally(record, word, keys);
            if self.verify {
                sum_in.add_record(bytes);
            }
            let key = KnownWord { key: self.key, word, cell_ends };
            dealer.deal_item(classifier, &key, (bytes, (location + at) as u64));
        };
        let open = Gate::default();
        let passed = self.gate.unwrap_or(&open).each(self.key, self.framing, block, show);
        passed.map_err(|fault| RecordFault { at: location + fault.at, ..fault })
    }
}

/// Dealers of the records of a load while it is read.
#[derive(Debug)]
pub struct Dealers {
    item: Item,
    pool: Arc<Pool>,
    classifier: OnceLock<Classifier>,
    each: Vec<Mutex<Option<Dealer>>>,
}

impl Dealers {
    /// Returns dealers for `workers` workers. Where there is no classifier yet, it is made from the
    /// first block.
    pub fn new(item: Item, pool: Pool, classifier: Option<Classifier>, workers: usize) -> Self {
        let each = (0..workers).map(|_| Mutex::new(None)).collect();
        let classifier = classifier.map_or_else(OnceLock::new, OnceLock::from);
        Self { item, pool: Arc::new(pool), classifier, each }
    }

    /// Returns where records belong; `make` says so where nothing else has.
    pub fn classifier(&self, make: impl FnOnce() -> Classifier) -> &Classifier {
        self.classifier.get_or_init(make)
    }

    /// Lets a worker's dealer deal.
    pub fn with<R>(&self, worker: usize, deal: impl FnOnce(&mut Dealer, &Classifier) -> R) -> R {
        let classifier = self.classifier(|| Classifier::single(0));
        let mut dealer = self.each[worker].lock().unwrap_or_else(PoisonError::into_inner);
        let dealer = dealer.get_or_insert_with(|| {
            Dealer::new(Arc::clone(&self.pool), self.item, classifier.buckets())
        });
        deal(dealer, classifier)
    }

    /// Deals a block of whole records for a worker, the first at `location`, and accounts for them;
    /// counts them.
    ///
    /// # Errors
    ///
    /// The first record that must not be, by its place in the load.
    pub fn deal<K: KeyEncoder>(
        &self,
        how: &Dealing<'_, K>,
        worker: &mut Worker<'_>,
        (block, location): (&[u8], usize),
    ) -> Result<Passed, RecordFault> {
        let Dealing { key, framing, .. } = *how;
        self.with(worker.number, |dealer, classifier| {
            if how.gate.is_some() || key.places_invalid() {
                let passed = how.deal((classifier, dealer), worker, (block, location));
                dealer.mark(location as u64);
                return passed;
            }
            look_at(key, (block, framing), &mut worker.keys);
            let sum = how.verify.then_some(&mut worker.sum_in);
            let shown = dealer.deal(classifier, key, (block, framing), location as u64, sum);
            Ok(Passed { shown, ragged: 0 })
        })
    }

    /// Returns the classifier, the pool, and what was dealt, by one dealer at least.
    pub fn finish(self) -> (Classifier, Arc<Pool>, Vec<Dealer>) {
        let Self { item, pool, classifier, each } = self;
        let classifier = classifier.into_inner().unwrap_or_else(|| Classifier::single(0));
        let mut dealers: Vec<Dealer> = each
            .into_iter()
            .filter_map(|dealer| dealer.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect();
        if dealers.is_empty() {
            dealers.push(Dealer::new(Arc::clone(&pool), item, classifier.buckets()));
        }
        (classifier, pool, dealers)
    }
}

/// Looks at the keys of records that pass unseen, until each key was seen to have a value.
fn look_at<K: KeyEncoder>(key: &K, (block, framing): (&[u8], Framing), tally: &mut KeyTally) {
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
