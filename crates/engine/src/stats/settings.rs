//! Settings that took effect, for the account of a job.

use serde::Serialize;

use crate::units::ByteSize;

/// A lever that a user has set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeverSetting {
    /// Name, in words.
    pub name: &'static str,
    /// Value.
    pub value: String,
}

/// Output buffers of each worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WriteBuffers {
    /// Number of buffers, with the one in which a selection holds records back.
    pub count: u64,
    /// Bytes of each; a write request has no more.
    pub bytes: ByteSize,
}
