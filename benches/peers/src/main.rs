//! Pushes the same records into several sorters and pulls them in order: sortwell's, those of other
//! crates, and beside them sortwell's job of files.
//!
//! ```text
//!   peers [--records N] [--memory MIB] [--rounds N] [--temp DIR]
//! ```
//!
//! Each sort is a process of its own, and the sorters take turns. A record has 100 bytes, 10 of which are its random key. Every sorter has to
//! give the same keys: their checksum in order is compared.

use std::error::Error;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use sortwell::{ByteSize, Format, SortJob, Sorter};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Bytes of a record, and of its key.
const RECORD: usize = 100;
const KEY: usize = 10;

/// Threads of every sorter.
const THREADS: usize = 2;

/// The sorters, the first of which the others are compared with.
const SORTERS: [&str; 5] = ["file job", "push and pull", "reserve and pull", "extsort", "grenad"];

/// The options of the command.
struct Options {
    records: u64,
    memory: u64,
    rounds: usize,
    temp: PathBuf,
}

/// Figures of one sort.
#[derive(Clone, Copy)]
struct Figures {
    wall: f64,
    cpu: f64,
    checksum: u64,
}

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let options = options(&words)?;
    if let Some(sorter) = value(&words, "--sorter") {
        let Figures { wall, cpu, checksum } = sort(sorter, &options)?;
        println!("{wall} {cpu} {checksum}");
        return Ok(());
    }
    let mut rounds: Vec<Vec<Figures>> = vec![Vec::new(); SORTERS.len()];
    for round in 0..options.rounds {
        for (sorter, figures) in SORTERS.iter().zip(&mut rounds) {
            if *sorter == "grenad" && round >= 2 {
                continue; // it takes ten times as long as the others
            }
            figures.push(measured(sorter, &words)?);
        }
    }
    println!(
        "{} records, {} MiB, medians of {} rounds",
        options.records, options.memory, options.rounds
    );
    let medians: Vec<Figures> = rounds.iter().map(|figures| median(figures)).collect();
    let base = medians[0];
    for (sorter, own) in SORTERS.iter().zip(&medians) {
        let ratios = (own.wall / base.wall, own.cpu / base.cpu);
        println!(
            "{sorter:17} {:7.2} s wall {:7.2} s processor   {:5.2} x {:5.2} x of the file job",
            own.wall, own.cpu, ratios.0, ratios.1
        );
        if own.checksum != base.checksum {
            return Err(format!("{sorter} gives another order").into());
        }
    }
    Ok(())
}

fn value<'w>(words: &'w [String], name: &str) -> Option<&'w str> {
    let at = words.iter().position(|word| word == name)?;
    words.get(at + 1).map(String::as_str)
}

fn options(words: &[String]) -> Outcome<Options> {
    let number = |name: &str, default: u64| {
        value(words, name).map_or(Ok(default), |text| text.parse::<u64>())
    };
    Ok(Options {
        records: number("--records", 10_000_000)?,
        memory: number("--memory", 2048)?,
        rounds: number("--rounds", 5)? as usize,
        temp: value(words, "--temp").map_or_else(std::env::temp_dir, PathBuf::from),
    })
}

/// Runs one sorter in a process of its own.
fn measured(sorter: &str, words: &[String]) -> Outcome<Figures> {
    let mut call = Command::new(std::env::current_exe()?);
    let output = call.args(words).args(["--sorter", sorter]).output()?;
    if !output.status.success() {
        return Err(format!("{sorter}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let mut words = text.split_whitespace();
    let mut word = || words.next().ok_or("a figure is missing");
    Ok(Figures { wall: word()?.parse()?, cpu: word()?.parse()?, checksum: word()?.parse()? })
}

/// Returns the processor time of this process so far, in seconds.
fn processor_seconds() -> Outcome<f64> {
    let mut text = String::new();
    std::fs::File::open("/proc/self/stat")?.read_to_string(&mut text)?;
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? / 100.0)
}

fn median(figures: &[Figures]) -> Figures {
    let middle = |of: fn(&Figures) -> f64| {
        let mut values: Vec<f64> = figures.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Figures { wall: middle(|f| f.wall), cpu: middle(|f| f.cpu), checksum: figures[0].checksum }
}

/// The records, the same for every sorter (xorshift; Marsaglia 2003).
struct Records {
    state: u64,
    left: u64,
    record: [u8; RECORD],
}

impl Records {
    fn new(count: u64) -> Self {
        Self { state: 88_172_645_463_325_252, left: count, record: [b'p'; RECORD] }
    }

    fn next(&mut self) -> Option<&[u8; RECORD]> {
        self.left = self.left.checked_sub(1)?;
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.record[..8].copy_from_slice(&self.state.to_be_bytes());
        self.record[8..KEY].copy_from_slice(&(self.left as u16).to_be_bytes());
        Some(&self.record)
    }
}

/// A checksum of keys that depends on their order.
#[derive(Default)]
struct Checksum(u64);

impl Checksum {
    fn add(&mut self, key: &[u8]) {
        let first = key.first_chunk().copied().map_or(0, u64::from_le_bytes);
        self.0 = self.0.rotate_left(5).wrapping_add(first).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Sorts, and returns the figures. Making the records and their checksum is a part of them, but for
/// the job of files.
fn sort(sorter: &str, options: &Options) -> Outcome<Figures> {
    let (started, cpu) = (Instant::now(), processor_seconds()?);
    let mut records = Records::new(options.records);
    let mut checksum = Checksum::default();
    match sorter {
        "file job" => return file_job(options, records),
        "push and pull" | "reserve and pull" => {
            let mut sorter_ = Sorter::new();
            sorter_.memory(ByteSize::mib(options.memory)).threads(THREADS).temp(&options.temp);
            while let Some(record) = records.next() {
                if sorter == "push and pull" {
                    sorter_.push(&record[..KEY], &record[KEY..])?;
                } else {
                    let place = sorter_.reserve(KEY, RECORD - KEY)?;
                    place.key.copy_from_slice(&record[..KEY]);
                    place.payload.copy_from_slice(&record[KEY..]);
                }
            }
            let mut sorted = sorter_.finish()?;
            while let Some(record) = sorted.next()? {
                checksum.add(record.key);
            }
            sorted.close()?;
        }
        "extsort" => {
            // Its memory is a number of records: as many as the memory holds.
            let segment = (options.memory << 20) / RECORD as u64 * 3 / 4;
            let sorter = extsort::ExternalSorter::new()
                .with_segment_size(segment as usize)
                .with_sort_dir(options.temp.clone())
                .with_parallel_sort();
            let mut pushed = sorter.pushed_by_key(|record: &Pushed| record.key());
            while let Some(record) = records.next() {
                pushed.push(Pushed(*record))?;
            }
            for record in pushed.done()? {
                checksum.add(&record?.key());
            }
        }
        "grenad" => {
            let mut builder = grenad::Sorter::builder(First);
            builder.dump_threshold((options.memory << 20) as usize).allow_realloc(false);
            builder.sort_in_parallel(true);
            let mut sorter = builder.build();
            while let Some(record) = records.next() {
                sorter.insert(&record[..KEY], &record[KEY..])?;
            }
            let mut sorted = sorter.into_stream_merger_iter()?;
            while let Some((key, _)) = sorted.next()? {
                checksum.add(key);
            }
        }
        other => return Err(format!("no sorter is named {other}").into()),
    }
    let wall = started.elapsed().as_secs_f64();
    Ok(Figures { wall, cpu: processor_seconds()? - cpu, checksum: checksum.0 })
}

/// A record of extsort.
struct Pushed([u8; RECORD]);

impl Pushed {
    fn key(&self) -> [u8; KEY] {
        self.0.first_chunk().copied().unwrap_or_default()
    }
}

impl extsort::Sortable for Pushed {
    fn encode<W: Write>(&self, writer: &mut W) -> std::io::Result<()> {
        writer.write_all(&self.0)
    }

    fn decode<R: Read>(reader: &mut R) -> std::io::Result<Self> {
        let mut record = [0; RECORD];
        reader.read_exact(&mut record)?;
        Ok(Self(record))
    }
}

/// Keeps the first of equal keys.
struct First;

impl grenad::MergeFunction for First {
    type Error = std::convert::Infallible;

    fn merge<'a>(
        &self,
        _: &[u8],
        values: &[std::borrow::Cow<'a, [u8]>],
    ) -> Result<std::borrow::Cow<'a, [u8]>, Self::Error> {
        Ok(values.first().cloned().unwrap_or_default())
    }
}

/// Writes the records to a file, which is not timed, sorts it to another, and reads that.
fn file_job(options: &Options, mut records: Records) -> Outcome<Figures> {
    let [input, output] = ["in", "out"].map(|name| options.temp.join(format!("peers.{name}")));
    write(&input, &mut records)?;
    let (started, cpu) = (Instant::now(), processor_seconds()?);
    let mut job = SortJob::new(Format::Fixed { length: RECORD as u32 }, &input, &output);
    job.key("0..10".parse()?).memory(ByteSize::mib(options.memory)).threads(THREADS);
    job.temp(&options.temp).sync(false).run()?;
    let (wall, cpu) = (started.elapsed().as_secs_f64(), processor_seconds()? - cpu);
    let mut checksum = Checksum::default();
    let mut reader = std::io::BufReader::with_capacity(1 << 20, std::fs::File::open(&output)?);
    let mut record = [0; RECORD];
    for _ in 0..options.records {
        reader.read_exact(&mut record)?;
        checksum.add(&record[..KEY]);
    }
    std::fs::remove_file(&input)?;
    std::fs::remove_file(&output)?;
    Ok(Figures { wall, cpu, checksum: checksum.0 })
}

fn write(path: &Path, records: &mut Records) -> Outcome<()> {
    let mut file = std::io::BufWriter::with_capacity(1 << 20, std::fs::File::create(path)?);
    while let Some(record) = records.next() {
        file.write_all(record)?;
    }
    file.flush()?;
    Ok(())
}
