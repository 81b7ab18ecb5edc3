//! Faults in the order of records, made on purpose to see that the proof finds them.
//!
//! Only the feature `disorder` has them, which tests ask for and release builds lack. The variable
//! `SORTWELL_DISORDER` names the fault that a process makes, once.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::named;

named! {
    /// A place in the engine where order can be lost.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum DisorderPlace {
        /// Two neighbours change places in a sorted bucket.
        Gather = "gather",
        /// A merge takes the record of another source than the first.
        Merge = "merge",
        /// Two neighbouring tasks of a load change places.
        TaskBound = "task-bound",
        /// A resumed merge begins before the place where it stopped.
        Resume = "resume",
    }
}

/// The fault that this process makes.
static WANTED: LazyLock<Option<DisorderPlace>> = LazyLock::new(|| {
    let wanted = std::env::var("SORTWELL_DISORDER").ok()?;
    DisorderPlace::ALL.into_iter().find(|place| place.name() == wanted)
});

/// Opportunities that are let pass before the fault is made.
const PASSED: usize = 30;

/// The number of opportunities.
static MET: AtomicUsize = AtomicUsize::new(0);

/// Returns whether this process makes `fault`.
pub fn is_wanted(fault: DisorderPlace) -> bool {
    *WANTED == Some(fault)
}

/// Returns whether it is time for `fault`, at one of many places where it may be made.
pub fn strikes(fault: DisorderPlace) -> bool {
    is_wanted(fault) && MET.fetch_add(1, Ordering::Relaxed) == PASSED
}

/// Returns whether it is time for `fault`, at the first place where it may be made.
pub fn strikes_first(fault: DisorderPlace) -> bool {
    is_wanted(fault) && MET.fetch_add(1, Ordering::Relaxed) == 0
}
