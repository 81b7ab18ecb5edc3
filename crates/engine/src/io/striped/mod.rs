//! Files whose bytes are dealt out over several members, a stride to each in turn.
//!
//! `layout` computes which byte is in which member, `set` holds the open members, and `striping` is
//! the queue that splits requests at the edges of strides. Definitions and names are in
//! [`stripe`](crate::stripe).

mod layout;
mod set;
mod striping;

pub use layout::{StripeLayout, StripePlace};
pub use set::Stripes;
pub(crate) use set::in_parallel;
pub(super) use striping::around;
