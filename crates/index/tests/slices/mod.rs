//! Searches in small records, beside a model that cuts keys out of them as the guide describes.
//!
//! The keys are fields between blanks or bytes, several fields, lines, cells, and bytes of all
//! these. Some are numbers, and some of these are invalid.

use std::cmp::Ordering;
use std::fs;
use std::ops::Bound;
use std::path::Path;

use sortwell_engine::format::Format;
use sortwell_engine::key::text::{Invalid, InvalidPlace};
use sortwell_index::Index;

use crate::model::Random;
use crate::{build, places, run};

/// The division of records into fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Division {
    Blanks,
    Colons,
    Cells,
}

/// The part of a record that a key looks at. Numbers are from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Bytes of the record.
    Record,
    /// Fields from the first to the last one, or to the end of the line.
    Fields(usize, Option<usize>),
    /// A line, and a field of it if there is one.
    Line(usize, Option<usize>),
}

/// A key of the model.
#[derive(Clone, Debug)]
struct Slice {
    part: Part,
    /// The first byte, and the end.
    bytes: Option<(usize, Option<usize>)>,
    is_trimmed: bool,
    is_number: bool,
    is_descending: bool,
    is_nulls_first: bool,
}

/// The meaning of a key of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Meaning {
    Text(Vec<u8>),
    Number(i64),
    Null,
    Invalid,
}

/// A record: its cells, if it is a row, and its bytes without the end.
struct Record {
    cells: Vec<Vec<u8>>,
    bytes: Vec<u8>,
}

/// Records, and their keys.
#[derive(Debug)]
struct SliceCase {
    division: Division,
    has_groups: bool,
    invalid: Option<InvalidPlace>,
    keys: Vec<Slice>,
}

fn is_blank(byte: u8) -> bool {
    b" \t\n".contains(&byte)
}

fn trimmed(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !is_blank(*byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_blank(*byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

/// Returns where the fields of a line begin and end.
fn fields(line: &[u8], division: Division) -> Vec<(usize, usize)> {
    let (mut fields, mut start) = (Vec::new(), 0);
    if division == Division::Colons {
        for field in line.split(|byte| *byte == b':') {
            fields.push((start, start + field.len()));
            start += field.len() + 1;
        }
        return fields;
    }
    while start < line.len() {
        let mut end = start;
        while end < line.len() && is_blank(line[end]) {
            end += 1;
        }
        while end < line.len() && !is_blank(line[end]) {
            end += 1;
        }
        fields.push((start, end));
        start = end;
    }
    fields
}

/// Returns the text from one field to another one of a line.
fn between(line: &[u8], division: Division, first: usize, last: Option<usize>) -> &[u8] {
    let fields = fields(line, division);
    let Some((start, _)) = fields.get(first) else { return b"" };
    let end = last.and_then(|last| fields.get(last)).map_or(line.len(), |(_, end)| *end);
    &line[*start..end]
}

impl Slice {
    /// Returns a key whose numbers are in range for three fields and two lines.
    fn random(random: &mut Random, case: &SliceCase) -> Self {
        let kind = random.below(10);
        let field = random.below(3) as usize;
        let part = match (kind, case.has_groups, case.division) {
            (0, ..) => Part::Record,
            (1..=4, true, _) => Part::Line(field % 2, None),
            (_, true, _) => Part::Line(field % 2, Some(random.below(2) as usize)),
            (1, false, Division::Blanks | Division::Colons) => Part::Fields(field, None),
            (2, false, Division::Blanks | Division::Colons) => Part::Fields(field, Some(field + 1)),
            _ => Part::Fields(field, Some(field)),
        };
        let start = random.below(3) as usize;
        let end = (random.below(3) > 0).then(|| start + 1 + random.below(3) as usize);
        let is_one = match part {
            Part::Record => false,
            Part::Fields(first, last) => last == Some(first),
            Part::Line(_, field) => field.is_some(),
        };
        let is_number = is_one && case.invalid.is_some() && random.below(2) == 0;
        let has_bytes = matches!(part, Part::Record) || !is_number && random.below(3) == 0;
        Self {
            bytes: has_bytes.then_some((start, end)),
            is_trimmed: !is_number && !matches!(part, Part::Record) && random.below(5) == 0,
            is_number,
            is_descending: random.below(4) == 0,
            is_nulls_first: random.below(4) == 0,
            part,
        }
    }

    /// Returns the key as text.
    fn words(&self) -> String {
        let range = |(start, end): (usize, Option<usize>)| {
            format!("{start}..{}", end.map(|end| end.to_string()).unwrap_or_default())
        };
        let place = match &self.part {
            Part::Record => String::new(),
            Part::Fields(first, None) => format!("{}-", first + 1),
            Part::Fields(first, Some(last)) if first == last => (first + 1).to_string(),
            Part::Fields(first, Some(last)) => format!("{}-{}", first + 1, last + 1),
            Part::Line(line, None) => (line + 1).to_string(),
            Part::Line(line, Some(field)) => format!("{}.{}", line + 1, field + 1),
        };
        let bytes = match (&self.part, self.bytes) {
            (_, None) => String::new(),
            (Part::Record, Some(bytes)) => range(bytes),
            (_, Some(bytes)) => format!("[{}]", range(bytes)),
        };
        let words = [(":int", self.is_number), (":desc", self.is_descending)];
        let others = [(":trim", self.is_trimmed), (":nulls-first", self.is_nulls_first)];
        let words = words.into_iter().chain(others);
        let words: String = words.filter(|(_, is_so)| *is_so).map(|(word, _)| word).collect();
        format!("{place}{bytes}{words}")
    }

    /// Returns the bytes of a record that it looks at.
    fn of(&self, record: &Record, division: Division) -> Vec<u8> {
        let line = |number: usize| record.bytes.split(|byte| *byte == b'\n').nth(number);
        let text = match self.part {
            Part::Record => &record.bytes,
            Part::Fields(field, _) if division == Division::Cells => {
                record.cells.get(field).map_or(&b""[..], Vec::as_slice)
            }
            Part::Fields(first, last) => between(&record.bytes, division, first, last),
            Part::Line(number, None) => line(number).unwrap_or_default(),
            Part::Line(number, Some(field)) => {
                between(line(number).unwrap_or_default(), division, field, Some(field))
            }
        };
        let first = if self.is_trimmed {
            text.iter().take_while(|byte| is_blank(**byte)).count()
        } else {
            0
        };
        let text = &text[first..];
        let (start, end) = self.bytes.unwrap_or((0, None));
        let end = end.unwrap_or(text.len()).min(text.len());
        let text = &text[start.min(end)..end];
        if self.is_trimmed { trimmed(text).to_vec() } else { text.to_vec() }
    }

    /// Returns the text that a value stands for: a field after blanks begins with one.
    fn wanted(&self, value: &[u8], division: Division) -> Vec<u8> {
        let is_first = match self.part {
            Part::Record | Part::Line(_, None) => true,
            Part::Fields(field, _) | Part::Line(_, Some(field)) => field == 0,
        };
        let begins = self.bytes.is_none_or(|(start, _)| start == 0);
        let is_word = value.first().is_some_and(|first| !is_blank(*first));
        match division {
            _ if self.is_trimmed => trimmed(value).to_vec(),
            Division::Blanks if !is_first && begins && is_word => [b" ", value].concat(),
            _ => value.to_vec(),
        }
    }

    /// Returns the meaning of its bytes.
    fn meaning(&self, text: Vec<u8>, division: Division) -> Meaning {
        if !self.is_number {
            let is_cell = division == Division::Cells && !matches!(self.part, Part::Record);
            let has_null = is_cell || self.is_nulls_first;
            return if has_null && text.is_empty() { Meaning::Null } else { Meaning::Text(text) };
        }
        match std::str::from_utf8(trimmed(&text)).unwrap_or("?") {
            "" => Meaning::Null,
            digits => digits.parse().map_or(Meaning::Invalid, Meaning::Number),
        }
    }

    /// Returns the order of two meanings.
    fn order(&self, one: &Meaning, other: &Meaning, invalid: Option<InvalidPlace>) -> Ordering {
        let rank = |meaning: &Meaning| match (meaning, invalid) {
            (Meaning::Invalid, Some(InvalidPlace::First)) => 0,
            (Meaning::Null, _) if self.is_nulls_first => 1,
            (Meaning::Text(_) | Meaning::Number(_), _) => 2,
            (Meaning::Null, _) => 3,
            (Meaning::Invalid, _) => 4,
        };
        let values = match (one, other) {
            (Meaning::Text(one), Meaning::Text(other)) => one.cmp(other),
            (Meaning::Number(one), Meaning::Number(other)) => one.cmp(other),
            _ => return rank(one).cmp(&rank(other)),
        };
        if self.is_descending { values.reverse() } else { values }
    }

    /// Returns whether other keys may look at the same bytes, so that values may not be combined.
    fn may_overlap(&self) -> bool {
        let is_one = matches!(self.part, Part::Fields(first, last) if last == Some(first));
        self.is_trimmed || !is_one && !matches!(self.part, Part::Line(_, Some(_)))
    }
}

impl SliceCase {
    fn random(random: &mut Random) -> Self {
        let division = [Division::Blanks, Division::Colons, Division::Cells];
        let division = division[random.below(3) as usize];
        let invalid = [None, Some(InvalidPlace::First), Some(InvalidPlace::Last)];
        let invalid = invalid[random.below(3) as usize];
        let has_groups = division != Division::Cells && random.below(3) == 0;
        let mut case = Self { division, has_groups, invalid, keys: Vec::new() };
        for _ in 0..1 + random.below(3) {
            case.keys.push(Slice::random(random, &case));
        }
        case
    }

    /// Returns some text, often a number.
    fn word(&self, random: &mut Random) -> Vec<u8> {
        let alphabet: &[u8] = match self.division {
            Division::Blanks => b"aab \t",
            Division::Colons => b"aab :",
            Division::Cells => b"aab ,\"\n",
        };
        let numbers = ["1", "2", "-3", "02", "12"];
        if random.below(3) == 0 {
            return numbers[random.below(5) as usize].into();
        }
        let length = random.below(4);
        (0..length).map(|_| alphabet[random.below(alphabet.len() as u64) as usize]).collect()
    }

    fn record(&self, random: &mut Random) -> Record {
        let words: Vec<Vec<u8>> = (0..3).map(|_| self.word(random)).collect();
        let count = 1 + random.below(3) as usize;
        match self.division {
            Division::Blanks | Division::Colons => {
                let between = if self.division == Division::Blanks { b' ' } else { b':' };
                let line = words[..count].join(&between);
                let other = self.word(random);
                let bytes = if self.has_groups { [line, other].join(&b'\n') } else { line };
                Record { cells: Vec::new(), bytes }
            }
            Division::Cells => {
                let cell = |cell: &Vec<u8>| {
                    let is_plain = !cell.iter().any(|byte| b",\"\n".contains(byte));
                    if is_plain && random.below(2) == 0 {
                        return cell.clone();
                    }
                    let text = String::from_utf8_lossy(cell).replace('"', "\"\"");
                    format!("\"{text}\"").into_bytes()
                };
                let bytes = words.iter().map(cell).collect::<Vec<_>>().join(&b',');
                Record { cells: words, bytes }
            }
        }
    }

    fn format(&self) -> Format {
        let name = match (self.division, self.has_groups) {
            (Division::Cells, _) => return Format::CSV,
            (_, true) => "lines:group=2",
            (_, false) => "lines",
        };
        name.parse().unwrap()
    }

    fn meanings(&self, record: &Record) -> Vec<Meaning> {
        let meaning = |key: &Slice| key.meaning(key.of(record, self.division), self.division);
        self.keys.iter().map(meaning).collect()
    }

    /// Returns the meanings of values of the first keys.
    fn wanted(&self, values: &[Vec<u8>]) -> Vec<Meaning> {
        let wanted = |(key, value): (&Slice, &Vec<u8>)| {
            key.meaning(key.wanted(value, self.division), self.division)
        };
        self.keys.iter().zip(values).map(wanted).collect()
    }

    /// Returns the order of a record and of the first keys of another one. A record with an invalid
    /// key is before or after all others.
    fn order(&self, record: &[Meaning], first: &[Meaning]) -> Ordering {
        let is_valid = |meanings: &[Meaning]| !meanings.contains(&Meaning::Invalid);
        let sections = is_valid(record).cmp(&is_valid(first));
        let sections = match self.invalid {
            Some(InvalidPlace::First) => sections,
            _ => sections.reverse(),
        };
        let pairs = record.iter().zip(first).zip(&self.keys);
        pairs.fold(sections, |order, ((one, other), key)| {
            order.then_with(|| key.order(one, other, self.invalid))
        })
    }

    /// Returns whether values may be refused that a record has: they share bytes, or are parts of a
    /// record that do not show how to make a whole one.
    fn may_refuse(&self, values: &[Vec<u8>]) -> bool {
        // A part of a row with a quote or a line feed may be no row by itself.
        let has_quote = values.concat().iter().any(|byte| b"\"\n".contains(byte));
        // Bytes of several lines may lie before or after the end of one.
        let is_part = self.has_groups || self.division == Division::Cells && has_quote;
        let may_overlap = self.keys[..values.len()].iter().any(Slice::may_overlap);
        may_overlap && (values.len() > 1 || is_part)
    }

    /// Returns an end of a range.
    fn bound(&self, records: &[Record], random: &mut Random) -> Bound<Vec<Vec<u8>>> {
        let (values, _) = self.values(records, random);
        match random.below(3) {
            0 => Bound::Unbounded,
            1 => Bound::Included(values),
            _ => Bound::Excluded(values),
        }
    }

    /// Returns values for a search, and whether a record has them.
    fn values(&self, records: &[Record], random: &mut Random) -> (Vec<Vec<u8>>, bool) {
        let count = 1 + random.below(self.keys.len() as u64) as usize;
        let record = &records[random.below(records.len() as u64) as usize];
        let mut values: Vec<Vec<u8>> =
            self.keys[..count].iter().map(|key| key.of(record, self.division)).collect();
        let is_other = random.below(3) == 0;
        if is_other {
            values[random.below(count as u64) as usize] = self.word(random);
        }
        (values, !is_other)
    }
}

/// An index of records, and their keys in its order, with the places of the records.
struct Searches<'a> {
    case: &'a SliceCase,
    index: Index,
    rows: Vec<(Vec<Meaning>, (usize, u64))>,
}

impl<'a> Searches<'a> {
    /// Builds an index of records.
    fn new(case: &'a SliceCase, records: &[Record], folder: &Path) -> Self {
        let (data, output) = (folder.join("data"), folder.join("index"));
        let top: &[u8] = if case.division == Division::Cells { b"x,y,z\n" } else { b"" };
        let (mut bytes, mut rows) = (top.to_vec(), Vec::new());
        for record in records {
            rows.push((case.meanings(record), (0, bytes.len() as u64)));
            bytes.extend([&record.bytes[..], b"\n"].concat());
        }
        fs::write(&data, bytes).unwrap();
        let keys: Vec<String> = case.keys.iter().map(Slice::words).collect();
        let words: Vec<&str> = keys.iter().map(String::as_str).collect();
        let mut job = build(&[data], &output, case.format(), &words);
        job.order.separator = (case.division == Division::Colons).then_some(b':');
        job.order.invalid = case.invalid.map(Invalid::Placed);
        run(&job);
        rows.sort_by(|(one, _), (other, _)| case.order(one, other));
        Self { case, index: Index::open(&output).unwrap(), rows }
    }

    /// Returns the places of the records whose keys are wanted.
    fn filtered(&self, is_wanted: impl Fn(&[Meaning]) -> bool) -> Vec<(usize, u64)> {
        let rows = self.rows.iter().filter(|(meanings, _)| is_wanted(meanings));
        rows.map(|(_, place)| *place).collect()
    }

    /// Looks for values of the first keys, some of which a record has if it `is_there`. Returns the
    /// number of records that were found although a later key is invalid.
    fn get(&self, values: &[Vec<u8>], is_there: bool) -> u64 {
        let (case, count) = (self.case, values.len());
        let wanted = case.wanted(values);
        let equal = self.filtered(|meanings| meanings[..count] == wanted);
        match self.index.get(values) {
            Ok(found) => {
                let mut backwards = places(found.clone().reversed().unwrap());
                backwards.reverse();
                assert_eq!(backwards, equal, "get backwards");
                assert_eq!(places(found), equal, "get");
            }
            Err(error) => assert!(!is_there || case.may_refuse(values), "{error}"),
        }
        let is_invalid = |meanings: &[Meaning]| meanings.contains(&Meaning::Invalid);
        let later = self.filtered(|meanings| {
            meanings[..count] == wanted && !is_invalid(&wanted) && is_invalid(meanings)
        });
        later.len() as u64
    }

    /// Looks for values of the first keys, the last of which is the beginning of a text.
    fn prefix(&self, values: &[Vec<u8>], is_there: bool) {
        let (case, count) = (self.case, values.len());
        let (Some((last, others)), key) = (values.split_last(), &case.keys[count - 1]) else {
            return;
        };
        if key.is_number || last.is_empty() || trimmed(last).len() < last.len() {
            return;
        }
        let (wanted, beginning) = (case.wanted(others), key.wanted(last, case.division));
        let begins = self.filtered(|meanings| {
            let begins = match &meanings[count - 1] {
                Meaning::Text(text) => text.starts_with(&beginning),
                _ => false,
            };
            begins && meanings[..count - 1] == wanted
        });
        match self.index.prefix(values) {
            Ok(found) => assert_eq!(places(found), begins, "prefix"),
            Err(error) => {
                let is_shared = case.keys[..count - 1].iter().any(|one| one.part == key.part);
                assert!(!is_there || is_shared || case.may_refuse(values), "prefix: {error}");
            }
        }
    }

    /// Looks for the records between two ends.
    fn range(&self, from: &Bound<Vec<Vec<u8>>>, to: &Bound<Vec<Vec<u8>>>) {
        let Ok(found) = self.index.range((from.clone(), to.clone())) else { return };
        let within = self.filtered(|meanings| {
            let order = |values: &[Vec<u8>]| self.case.order(meanings, &self.case.wanted(values));
            let is_after = match from {
                Bound::Unbounded => true,
                Bound::Included(values) => order(values).is_ge(),
                Bound::Excluded(values) => order(values).is_gt(),
            };
            let is_before = match to {
                Bound::Unbounded => true,
                Bound::Included(values) => order(values).is_le(),
                Bound::Excluded(values) => order(values).is_lt(),
            };
            is_after && is_before
        });
        assert_eq!(places(found), within, "range {from:?} {to:?}");
    }
}

#[test]
fn parts_of_records_are_found_as_in_a_model() {
    let cases: u64 = std::env::var("INDEX_CASES").map_or(100, |text| text.parse().unwrap());
    let seed: u64 = std::env::var("INDEX_SEED").map_or(1, |text| text.parse().unwrap());
    let mut with_invalid = 0;
    for number in 0..cases {
        let mut random = Random::new(seed * 1_000_033 + number);
        let case = SliceCase::random(&mut random);
        let words: Vec<String> = case.keys.iter().map(Slice::words).collect();
        println!("case {number} of seed {seed}: {words:?} {case:?}");
        let count = 1 + random.below(40);
        let records: Vec<Record> = (0..count).map(|_| case.record(&mut random)).collect();
        let folder = tempfile::tempdir().unwrap();
        let searches = Searches::new(&case, &records, folder.path());
        assert_eq!(places(searches.index.entries().unwrap()), searches.filtered(|_| true));
        for _ in 0..20 {
            let (values, is_there) = case.values(&records, &mut random);
            println!("{values:?}");
            with_invalid += searches.get(&values, is_there);
            searches.prefix(&values, is_there);
            let [from, to] = [(); 2].map(|()| case.bound(&records, &mut random));
            searches.range(&from, &to);
        }
    }
    println!("{with_invalid} records found that have an invalid later key");
    assert!(cases < 100 || with_invalid >= cases / 2, "{with_invalid} with an invalid later key");
}
