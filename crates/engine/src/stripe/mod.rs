//! Files that lie on several disks: dealt out over members, a stride to each in turn.
//!
//! ```text
//!   logical    0        s0         s0+s1     W = s0+s1+s2
//!              ├─ row 0 ─────────────────────┼─ row 1 ──────────────...
//!   member 0   [ s0 bytes ]                  [ s0 bytes ]
//!   member 1              [ s1 bytes ]                  [ s1 bytes ]
//!   member 2                         [ s2 ]                        ...
//! ```
//!
//! Strides may differ, so that slower disks carry less (NOW-Sort, section 4.1; AlphaSort, section
//! 6, stripes alike). Which members there are stands in a small text, the [`Definition`]; `columns`
//! reads AlphaSort's form of it; `opening` opens and checks members; `output` brings a new set
//! under its name. Temporary files are striped over the directories of a [`SpillSet`], without a
//! definition of their own (`spilled`).
//!
//! Left to others: which byte is in which member, and requests that cross members (`io::striped`).

mod columns;
mod definition;
mod opening;
mod output;
mod spill_set;
pub mod spilled;

pub use definition::{Definition, DefinitionForm, Member, STRIDE_UNIT, Stride};
pub use output::StripedOutput;
pub use spill_set::{SpillPlace, SpillSet};

#[cfg(test)]
mod tests;
