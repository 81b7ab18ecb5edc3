//! Choice of records that take part: conditions on the same places and types as keys.
//!
//! ```text
//!     amount:decimal >= 10.5 and not (name == "Smith" or note contains "x")
//!     created:date >= 2024-01-01          2[0..4] starts with 'AB'        0..4 == "ABCD"
//!     2:int < 3:int                       name:ci matches "^a.*z$"        city is empty
//! ```
//!
//! - A place is a key as `-k` takes it, without direction: `LOCATION[:TYPE][:MODIFIER]...`. A name
//!   with blanks or signs in it stands in quotes.
//! - `== != < <= > >=` compare by the key's type, with a value or with another key of that type.
//!   Text stands in double or single quotes. What begins as a number does (numbers, sizes, dates,
//!   times) may stand without, where the key has a type; else bytes would be compared, and 10 come
//!   before 9. On the right, `3` is a number, and `3:int` a field.
//! - `contains`, `starts with`, `ends with` take text in quotes, `matches` (or `=~`) a regular
//!   expression that is found anywhere in the value (syntax of the `regex` crate; `^` and `$` are
//!   its ends). They look at the bytes of the value: of a cell, what is between its quotes.
//! - `is empty` and `is not empty` ask for values of no bytes, of any type.
//! - `not` binds closer than `and`, and that closer than `or`. Case of these words does not count.
//! - In quotes, `\"`, `\'` and `\\` stand for what follows the backslash, `\n`, `\r` and `\t` for
//!   line feed, carriage return and tab, and two quotes for one. Any other backslash is itself.
//! - Values of mainframes and machines are compared with literals in decimal digits, and EBCDIC
//!   with the characters it stands for; patterns for it are in ASCII.
//!
//! **Unknown.** A value that is not of the key's type, an empty one among them, compares as unknown
//! with everything, as NULL does in SQL: neither `amount:int == 5` nor `amount:int != 5` holds for
//! `abc`, nor does `not amount:int == 5`. `and` is false where one side is, `or` true where one
//! side is, whatever is unknown beside it. A record that ends within the bytes a key looks at is
//! unknown as well. In the end, unknown is as good as false: an `--include` leaves such a record
//! out, and an `--exclude` keeps it. Bytes and text are never unknown.
//!
//! Two steps, as for keys: text becomes an [`Expression`] (`lexer`, `parser`, `expression`),
//! whose faults are shown with their place; and an expression becomes a [`Predicate`] once the
//! format is known, with every literal encoded once and for all (`bind`). A record is then asked
//! about by comparing bytes (`evaluate`). Reading a key and encoding a value is left to the room
//! `key`.

mod bind;
mod evaluate;
mod expression;
mod fault;
mod filter;
mod lexer;
mod parser;
mod pattern;

pub use evaluate::Predicate;
pub use expression::Expression;
pub use filter::RecordFilter;
