//! The dealers of a load: one for each worker, made when it deals first, all over one classifier
//! and one pool.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use memchr::memchr_iter;

use super::gate::{Gate, Passed};
use crate::format::{Framing, RecordFault};
use crate::incore::{Classifier, Dealer, Item, Pool};
use crate::key::{CutRecord, KeyEncoder, KeyTally, KnownWord};
use crate::proof::Sum;

/// Dealers of the records of a load while it is read.
#[derive(Debug)]
pub struct Dealers {
    item: Item,
    pool: Arc<Pool>,
    classifier: OnceLock<Classifier>,
    each: Vec<Mutex<Option<Dealer>>>,
}

/// Counts of records that are being dealt.
#[derive(Debug)]
pub struct LoadAccount<'a> {
    /// Their count and checksum, where these are wanted.
    pub sum: Option<&'a mut Sum>,
    /// Their keys.
    pub keys: &'a mut KeyTally,
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
    /// how many they were.
    pub fn deal<K: KeyEncoder>(
        &self,
        worker: usize,
        key: &K,
        block: (&[u8], Framing),
        location: u64,
        LoadAccount { sum, keys }: LoadAccount<'_>,
    ) -> u64 {
        if key.places_invalid() {
            let account = LoadAccount { sum, keys };
            return self.deal_tallied(worker, key, block, location, account);
        }
        look_at(key, block, keys);
        self.with(worker, |dealer, classifier| dealer.deal(classifier, key, block, location, sum))
    }

    /// Deals a block as [`deal`](Self::deal) does, and looks at each record's key.
    fn deal_tallied<K: KeyEncoder>(
        &self,
        worker: usize,
        key: &K,
        (block, framing): (&[u8], Framing),
        location: u64,
        LoadAccount { mut sum, keys }: LoadAccount<'_>,
    ) -> u64 {
        self.with(worker, |dealer, classifier| {
            let (mut at, mut dealt) = (0, 0);
            let mut deal = |record: &[u8]| {
                if let Some(sum) = &mut sum {
                    sum.add_record(record);
                }
                let word = key.word(record, 0);
                key.tally(record.into(), word, keys);
                let known = KnownWord { key, word, cell_ends: &[] };
                let number = if framing.fixed_length().is_some() { dealt } else { at };
                dealer.deal_item(classifier, &known, (record, location + number as u64));
                (at, dealt) = (at + record.len(), dealt + 1);
            };
            match framing {
                Framing::Terminated(end) => {
                    let mut begun = 0;
                    for at in memchr_iter(end, block) {
                        deal(&block[begun..=at]);
                        begun = at + 1;
                    }
                }
                _ => framing.records(block).for_each(deal),
            }
            dealer.mark(location);
            dealt as u64
        })
    }

    /// Deals those records of a block that pass the gate, and accounts for them; counts them.
    pub fn deal_passed<K: KeyEncoder>(
        &self,
        worker: usize,
        key: &K,
        (block, framing): (&[u8], Framing),
        location: usize,
        (gate, account): (&Gate, LoadAccount<'_>),
    ) -> Result<Passed, RecordFault> {
        let LoadAccount { mut sum, keys } = account;
        self.with(worker, |dealer, classifier| {
            let show = |record: CutRecord<'_>, at, word| {
                let CutRecord { bytes, cell_ends } = record;
                key.tally(record, word, keys);
                if let Some(sum) = &mut sum {
                    sum.add_record(bytes);
                }
                // Records of one length go by their numbers.
                let place = framing.fixed_length().map_or(at, |length| at / length);
                let key = KnownWord { key, word, cell_ends };
                dealer.deal_item(classifier, &key, (bytes, (location + place) as u64));
            };
            let dealt = gate.each(key, framing, block, show);
            dealer.mark(location as u64);
            dealt
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
