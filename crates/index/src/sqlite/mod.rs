//! SQLite databases, written row after row in the order of the keys.
//!
//! ```text
//!   entries        number | a column for each key and each included part | file | offset | length
//!   entries_by_key         an index of SQLite on the columns of the keys
//!   files          file | path
//!   meta           name | value: the description of an index
//! ```
//!
//! Only this module knows SQLite. Rows come in order, so both trees grow at their right end where
//! SQLite has the order of the sort.

#[cfg(not(feature = "sqlite"))]
mod absent;
#[cfg(feature = "sqlite")]
mod schema;
#[cfg(feature = "sqlite")]
mod table;

#[cfg(not(feature = "sqlite"))]
pub use absent::NoTable as Table;
#[cfg(feature = "sqlite")]
pub use table::Table;
