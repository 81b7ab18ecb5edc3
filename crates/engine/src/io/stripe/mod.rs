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
//! 5, stripes alike). Which members there are stands in a small text, the [`Definition`]; `layout`
//! says which byte lies where, and knows nothing else; `striping` is the queue that parts requests
//! at the edges of strides; `output` brings a new set under its name.
//!
//! Left to others: what is asked of one member (`file`, `transfer`, the engines).

mod definition;
mod layout;
mod output;
mod set;
mod striping;

pub(super) use definition::TEXT_MAX;
pub use definition::{Definition, Member, Stride};
pub use layout::{Layout, Place};
pub use output::StripedOutput;
pub(super) use set::Stripes;
pub(super) use striping::around;

#[cfg(test)]
mod tests;
