//! The sorts that are compared. Each runs in a process of its own.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use sortwell::{ByteSize, Format, SortJob, Sorter};

use crate::Outcome;
use crate::c_library;
use crate::figures::{Begun, Figures};
use crate::in_memory::{Elements, MemorySort};
use crate::options::Options;
use crate::records::{KEY, OrderSum, RECORD, Records};

/// Bytes of the blocks in which files are written and checked.
const BLOCK: usize = 1 << 20;

/// A sort that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contender {
    /// The records are made and summed, and nothing else. All but the file job do so, too.
    Records,
    /// A job of sortwell from file to file, which the others are compared with.
    FileJob,
    /// A file job through the C library.
    FileJobInC,
    /// A file job through the command, with its start.
    FileCommand,
    /// Sortwell's `Sorter`, with `push`.
    Push,
    /// The C library, with `sortwell_push_keyed` and `sortwell_next`.
    PushInC,
    /// Sortwell's `Sorter`, with `reserve`.
    Reserve,
    /// extsort, with records that are arrays of 100 bytes.
    ExtsortArrays,
    /// extsort, with records of any length, as sortwell and grenad have them.
    ExtsortVectors,
    /// grenad.
    Grenad,
    /// A sort of numbers in memory.
    InMemory(MemorySort, Elements),
}

impl Contender {
    /// The sorts of records, each with its name.
    pub const OF_RECORDS: [(Self, &str); 10] = [
        (Self::Records, "records alone"),
        (Self::FileJob, "file job"),
        (Self::FileJobInC, "file job in C"),
        (Self::FileCommand, "file command"),
        (Self::Push, "push and pull"),
        (Self::PushInC, "push and pull in C"),
        (Self::Reserve, "reserve and pull"),
        (Self::ExtsortArrays, "extsort, arrays"),
        (Self::ExtsortVectors, "extsort, vectors"),
        (Self::Grenad, "grenad"),
    ];

    /// Returns the sorts of numbers in memory, each with its name.
    pub fn of_numbers(elements: Elements) -> Vec<(Self, &'static str)> {
        let all = [
            (MemorySort::None, "sum alone"),
            (MemorySort::Sortwell, "sortwell"),
            (MemorySort::Rdst, "rdst"),
            (MemorySort::Voracious, "voracious"),
            (MemorySort::Std, "sort_unstable"),
            (MemorySort::Rayon, "par_sort_unstable"),
            (MemorySort::RayonStable, "par_sort"),
            #[cfg(feature = "vqsort")]
            (MemorySort::Vqsort, "vqsort"),
        ];
        all.map(|(sort, name)| (Self::InMemory(sort, elements), name)).to_vec()
    }

    /// Returns whether it sorts.
    pub fn is_sort(self) -> bool {
        !matches!(self, Self::Records | Self::InMemory(MemorySort::None, _))
    }

    /// Returns whether equal keys keep their order.
    pub fn is_stable(self) -> bool {
        let is_stable_in_memory =
            matches!(self, Self::InMemory(MemorySort::Sortwell | MemorySort::RayonStable, _));
        let is_pushed = matches!(self, Self::Push | Self::PushInC | Self::Reserve);
        is_pushed || is_stable_in_memory || self.is_of_files()
    }

    /// Returns whether it sorts the input file.
    fn is_of_files(self) -> bool {
        matches!(self, Self::FileJob | Self::FileJobInC | Self::FileCommand)
    }

    /// Returns whether each of several records with equal keys is returned.
    pub fn keeps_ties(self) -> bool {
        self != Self::Grenad
    }

    /// Runs it in this process, and returns what it took.
    pub fn run(self, options: &Options) -> Outcome<Figures> {
        if self.is_of_files() {
            return self.of_files(options);
        }
        if let Self::InMemory(sort, elements) = self {
            return sort.run(elements, options);
        }
        let begun = Begun::now()?;
        let mut records = options.records();
        let sum = match self {
            Self::Push | Self::Reserve => sorter(options, records, self == Self::Reserve)?,
            Self::PushInC => c_library::push_and_pull(options, records)?,
            Self::ExtsortArrays => extsort::<ArrayRecord>(options, records, RECORD)?,
            Self::ExtsortVectors => extsort::<VectorRecord>(options, records, VECTOR_RECORD_BYTES)?,
            Self::Grenad => grenad(options, records)?,
            _ => {
                let mut sum = OrderSum::default();
                while let Some(record) = records.next() {
                    sum.add(&record[..KEY], &record[KEY..]);
                }
                sum
            }
        };
        Ok(Figures { sum, ..begun.end()? })
    }

    /// Sorts the input file to another, which is summed after the clock was stopped.
    fn of_files(self, options: &Options) -> Outcome<Figures> {
        let (input, output) = (input(options), options.files.join("peers.out"));
        let begun = Begun::now()?;
        match self {
            Self::FileJobInC => c_library::file_job(options, &input, &output)?,
            Self::FileCommand => file_command(options, &input, &output)?,
            _ => file_job(options, &input, &output)?,
        }
        let figures = begun.end()?;
        let (mut sum, mut record) = (OrderSum::default(), [0; RECORD]);
        let mut reader = BufReader::with_capacity(BLOCK, File::open(&output)?);
        for _ in 0..options.count {
            reader.read_exact(&mut record)?;
            sum.add(&record[..KEY], &record[KEY..]);
        }
        fs::remove_file(&output)?;
        Ok(Figures { sum, ..figures })
    }
}

fn sorter(options: &Options, mut records: Records, reserves: bool) -> Outcome<OrderSum> {
    let (mut sorter, mut sum) = (Sorter::new(), OrderSum::default());
    let memory = ByteSize::mib(options.memory_mib);
    sorter.memory(memory).threads(options.threads).temp(&options.temp);
    while let Some(record) = records.next() {
        let (key, payload) = record.split_at(KEY);
        if reserves {
            let place = sorter.reserve(KEY, RECORD - KEY)?;
            place.key.copy_from_slice(key);
            place.payload.copy_from_slice(payload);
        } else {
            sorter.push(key, payload)?;
        }
    }
    let mut sorted = sorter.finish()?;
    while let Some(record) = sorted.next()? {
        sum.add(record.key, record.payload);
    }
    sorted.close()?;
    Ok(sum)
}

/// A record of extsort.
trait PeerRecord: extsort::Sortable {
    fn new(key: &[u8], payload: &[u8]) -> Self;
    fn key(&self) -> &[u8];
    fn payload(&self) -> &[u8];
}

/// Sorts by extsort, whose memory is a number of records: as many as fit, where each takes
/// `record_bytes`. Sorting a segment takes no more; it is unstable.
fn extsort<R: PeerRecord>(
    options: &Options,
    mut records: Records,
    record_bytes: usize,
) -> Outcome<OrderSum> {
    let segment = (options.memory_mib << 20) as usize / record_bytes;
    // It leaves its files: a folder of their own is removed with them.
    let folder = options.temp.join(format!("peers-extsort-{}", std::process::id()));
    fs::create_dir(&folder)?;
    let sorter = extsort::ExternalSorter::new()
        .with_segment_size(segment)
        .with_sort_dir(folder.clone())
        .with_parallel_sort();
    let mut pushed = sorter.pushed_by(|a: &R, b: &R| a.key().cmp(b.key()));
    while let Some(record) = records.next() {
        pushed.push(R::new(&record[..KEY], &record[KEY..]))?;
    }
    let mut sum = OrderSum::default();
    for record in pushed.done()? {
        let record = record?;
        sum.add(record.key(), record.payload());
    }
    fs::remove_dir_all(&folder)?;
    Ok(sum)
}

/// A record of known lengths: an array.
struct ArrayRecord([u8; RECORD]);

impl PeerRecord for ArrayRecord {
    fn new(key: &[u8], payload: &[u8]) -> Self {
        let mut record = [0; RECORD];
        record[..KEY].copy_from_slice(key);
        record[KEY..].copy_from_slice(payload);
        Self(record)
    }

    fn key(&self) -> &[u8] {
        &self.0[..KEY]
    }

    fn payload(&self) -> &[u8] {
        &self.0[KEY..]
    }
}

impl extsort::Sortable for ArrayRecord {
    fn encode<W: Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(&self.0)
    }

    fn decode<R: Read>(reader: &mut R) -> io::Result<Self> {
        let mut record = [0; RECORD];
        reader.read_exact(&mut record)?;
        Ok(Self(record))
    }
}

/// A record of any length: one vector, and the length of the key.
struct VectorRecord {
    key_length: u32,
    bytes: Vec<u8>,
}

/// Bytes that such a record takes: its own, and a block of the allocator with a header.
const VECTOR_RECORD_BYTES: usize = size_of::<VectorRecord>() + RECORD + 12;

impl PeerRecord for VectorRecord {
    fn new(key: &[u8], payload: &[u8]) -> Self {
        Self { key_length: key.len() as u32, bytes: [key, payload].concat() }
    }

    fn key(&self) -> &[u8] {
        &self.bytes[..self.key_length as usize]
    }

    fn payload(&self) -> &[u8] {
        &self.bytes[self.key_length as usize..]
    }
}

impl extsort::Sortable for VectorRecord {
    fn encode<W: Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(&self.key_length.to_le_bytes())?;
        writer.write_all(&(self.bytes.len() as u32).to_le_bytes())?;
        writer.write_all(&self.bytes)
    }

    fn decode<R: Read>(reader: &mut R) -> io::Result<Self> {
        let mut numbers = [[0; 4]; 2];
        reader.read_exact(numbers.as_flattened_mut())?;
        let [key_length, length] = numbers.map(u32::from_le_bytes);
        let mut bytes = vec![0; length as usize];
        reader.read_exact(&mut bytes)?;
        Ok(Self { key_length, bytes })
    }
}

/// Sorts by grenad, whose temporary files are in the directory that `TMPDIR` names.
fn grenad(options: &Options, mut records: Records) -> Outcome<OrderSum> {
    let mut builder = grenad::Sorter::builder(FirstOfEqual);
    builder.dump_threshold((options.memory_mib << 20) as usize).allow_realloc(false);
    builder.sort_in_parallel(true);
    let mut sorter = builder.build();
    while let Some(record) = records.next() {
        sorter.insert(&record[..KEY], &record[KEY..])?;
    }
    let (mut sorted, mut sum) = (sorter.into_stream_merger_iter()?, OrderSum::default());
    while let Some((key, payload)) = sorted.next()? {
        sum.add(key, payload);
    }
    Ok(sum)
}

/// Keeps the first of equal keys.
struct FirstOfEqual;

impl grenad::MergeFunction for FirstOfEqual {
    type Error = Infallible;

    fn merge<'a>(&self, _: &[u8], values: &[Cow<'a, [u8]>]) -> Result<Cow<'a, [u8]>, Self::Error> {
        Ok(values.first().cloned().unwrap_or_default())
    }
}

/// Sorts the input file through the library of Rust.
fn file_job(options: &Options, input: &Path, output: &Path) -> Outcome<()> {
    let mut job = SortJob::new(Format::Fixed { length: RECORD as u32 }, input, output);
    job.key("0..10".parse()?).memory(ByteSize::mib(options.memory_mib)).threads(options.threads);
    job.temp(&options.temp).sync(false).run()?;
    Ok(())
}

/// Sorts the input file through the command.
fn file_command(options: &Options, input: &Path, output: &Path) -> Outcome<()> {
    let mut call = Command::new(&options.command);
    call.arg("sort").arg("-o").arg(output).arg(input);
    for (name, value) in options.of_file_jobs()? {
        call.arg(format!("--{name}")).arg(value);
    }
    let status =
        call.status().map_err(|error| format!("{}: {error}", options.command.display()))?;
    if status.success() { Ok(()) } else { Err(format!("sortwell sort: {status}").into()) }
}

/// Returns the path of the input of the file job.
fn input(options: &Options) -> PathBuf {
    options.files.join("peers.in")
}

/// The input file, which is removed when this is dropped.
#[derive(Debug)]
pub struct InputFile(PathBuf);

impl InputFile {
    /// Writes the records into the file.
    pub fn create(options: &Options) -> Outcome<Self> {
        let (file, mut records) = (Self(input(options)), options.records());
        let mut writer = BufWriter::with_capacity(BLOCK, File::create(&file.0)?);
        while let Some(record) = records.next() {
            writer.write_all(record)?;
        }
        writer.flush()?;
        Ok(file)
    }
}

impl Drop for InputFile {
    fn drop(&mut self) {
        let path: &Path = &self.0;
        if let Err(error) = fs::remove_file(path) {
            eprintln!("{}: {error}", path.display());
        }
    }
}
