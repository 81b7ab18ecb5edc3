//! Options that override parts of the plan, for users who know their disks.

use clap::Args;
use sortwell::ByteSize;
use sortwell::unstable::codec::CompressRuns;
use sortwell::unstable::incore::GatherStores;
use sortwell::unstable::plan::geometry::Geometry;
use sortwell::unstable::plan::levers::{AsyncIo, Levers as Chosen, PhaseOverlap};
use sortwell::unstable::sys::Affinity;

use super::{EXPERT, values};

/// Sizes and numbers of requests and buffers. All of them are chosen well where nothing is said.
#[derive(Args, Debug)]
#[command(next_help_heading = EXPERT)]
pub struct RequestOptions {
    /// Set the number of reads in flight, over all threads
    ///
    /// Each thread has at least two. Default: 8, which keeps most disks busy, or 16 for streams,
    /// each of which has one read in flight. Example: --queue-depth 32.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096),
          hide_short_help = true)]
    queue_depth: Option<u16>,

    /// Set the size of a read request (256KiB, 4MiB)
    ///
    /// Default: from 256 KiB to 4 MiB, depending on the memory. Maximum: 1 GiB. sortwell rounds the
    /// size up to whole pages, and further if a load would otherwise have more than 4096 blocks.
    /// For streams, it rounds up to a multiple of 64 KiB. A merge reads less of a run at a time if
    /// a slab has less of it. Example: --block-size 1MiB.
    #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>,
          hide_short_help = true)]
    block_size: Option<ByteSize>,

    /// Set the number of output buffers of each thread
    ///
    /// A thread fills one buffer while the others are written. Default: 4. Minimum: 2. Options that
    /// select records, such as --unique, need one more, which is added. Example: --write-buffers 8.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=256),
          hide_short_help = true)]
    write_buffers: Option<u16>,

    /// Set the size of an output buffer, and so of a write request (512KiB, 8MiB)
    ///
    /// Default: from 512 KiB to 4 MiB, depending on memory and threads. Smaller sizes than 32 KiB
    /// become 32 KiB. sortwell rounds larger sizes up to a multiple of 64 KiB, at most 1 GiB. A
    /// request has only records of one task, so that those of very large buffers stay smaller.
    /// Example: --write-buffer-size 2MiB.
    #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>,
          hide_short_help = true)]
    write_buffer_size: Option<ByteSize>,

    /// Set the seek cost of the spill disk, as a number of 4 KiB reads
    ///
    /// It is the time to read a block of 4 KiB, divided by the time that each further block of the
    /// same read takes: (seek + latency) / transfer + 1, like Oracle's SORT_READ_FAC. With a higher
    /// value, a merge reads larger pieces and merges fewer runs at once, but at least two. Each
    /// further unit makes the pieces 12 KiB longer. It has no effect where the number of runs or of
    /// open files limits a merge. Default: 1, for a disk that starts several reads at the same
    /// time. 'sortwell calibrate disk' measures it. Example: --read-factor 42.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=8192),
          hide_short_help = true)]
    read_factor: Option<u32>,

    /// Limit the number of runs or inputs that are merged at once
    ///
    /// Default: as many as memory and open files allow. Example: --merge-width 16.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..),
          hide_short_help = true)]
    merge_width: Option<u16>,

    /// Choose whether a thread continues while its requests are carried out
    ///
    /// on: a thread has several reads and writes in flight. off: a thread waits for each request
    /// before it does anything else, so that it has one in flight, whatever --io, --queue-depth and
    /// --overlap say. auto: on, if the I/O engine takes several requests (uring and threads).
    /// Example: --async-io off.
    #[arg(long, value_name = "WHEN", default_value = "auto",
          value_parser = values::one_of::<AsyncIo>(&["auto", "on", "off"]),
          hide_short_help = true)]
    async_io: AsyncIo,
}

/// Further settings of the plan of a sort.
#[derive(Args, Debug)]
#[command(next_help_heading = EXPERT)]
pub struct LeverOptions {
    #[command(flatten)]
    requests: RequestOptions,

    /// Limit the size of a run to about SIZE (64KiB, 100MB)
    ///
    /// Default: as much as memory allows. Shorter runs take less memory to make, but more memory or
    /// more passes to merge. An input that fits in one run is sorted in one pass. Not for
    /// replacement selection, where the order of the input decides the length of runs. Example:
    /// --run-size 100MB.
    #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>,
          hide_short_help = true)]
    run_size: Option<ByteSize>,

    /// Choose how records are copied to output buffers: through the caches or past them
    ///
    /// cached: with ordinary stores. streaming: with stores that go to memory, so that records do
    /// not displace in the caches what the sort needs. psort has such an option; it seldom helps.
    /// It applies to records that are sorted in memory, not to merges. --stats shows the bytes.
    /// Example: --gather-stores streaming.
    #[arg(long, value_name = "HOW", default_value = "cached",
          value_parser = values::one_of::<GatherStores>(&["cached", "streaming"]),
          hide_short_help = true)]
    gather_stores: GatherStores,

    /// Choose how to merge runs: by slabs, or as streams
    ///
    /// slabs: merge one range of keys at a time. All threads merge a slab while the next one is
    /// read. streams: one thread merges each run from its start to its end, and reads a piece of
    /// each run ahead. That takes little more memory than one record of each run. auto: slabs,
    /// unless records are too long for them. Example: --merge streams.
    #[arg(long, value_name = "HOW", default_value = "auto",
          value_parser = ["auto", "slabs", "streams"], hide_short_help = true)]
    merge: String,

    /// Let buffers of runs grow and shrink: geometry=0 (all equal) to geometry=1
    ///
    /// For --merge streams, after psort's merge. Runs share a space of B bytes. What one run has
    /// used up is free for others at once. With n runs, no buffer has more than (1+G)B/n bytes,
    /// and each run is sure of (1-G)B/n. So reads grow with G, to almost 2B/n where all runs are
    /// used up at one pace. refill=R: refill a buffer when it holds less than R times B/n bytes,
    /// from 0 to 1. Default where runs are merged as streams: geometry=0.5,refill=0.25. Example:
    /// --merge-buffers geometry=1,refill=0.1.
    #[arg(long, value_name = "geometry=G[,refill=R]", value_parser = values::parse::<Geometry>,
          hide_short_help = true)]
    merge_buffers: Option<Geometry>,

    /// Compress runs: off, auto, lz4 or zstd[:LEVEL]
    ///
    /// Blocks of runs are compressed one by one, so less is written to the spill disks and read
    /// back. The output is the same. lz4 is faster, zstd makes runs smaller; its levels are 1 to
    /// 22, and 3 is the default. --temp-limit counts compressed bytes. auto: compress if the spill
    /// disk is slow, because workers wait for it or by the machine's profile, and a sample of the
    /// first run shrinks enough to save time. It chooses lz4 or zstd:1. --stats has the bytes
    /// before and after. Not with --in-place, for which auto is off. Write buffers have 64 KiB at
    /// least. Example: --compress-runs zstd:1.
    #[arg(long, value_name = "HOW", default_value = "off",
          value_parser = values::parse::<CompressRuns>, hide_short_help = true)]
    compress_runs: CompressRuns,

    /// Choose whether to read one load while another is sorted and written
    ///
    /// pipelined: read the next load at the same time. Each load has half of the memory. sync: fill
    /// all memory with one load, sort it, write it, and then read the next. Runs are twice as long,
    /// and there are half as many. Merges work in the same way.
    ///
    /// With sync, disks rest while processors work. It is faster if fewer runs have to be merged
    /// twice, or if a disk is slow when it reads and writes at once. auto: sync if that makes less
    /// of a file merge twice, and always pipelined with --in-place; otherwise pipelined.
    /// Replacement selection, and merges of the longest records, ignore this option.
    ///
    /// Run generation and merges can be set separately: runs=sync,merge=pipelined. A phase that is
    /// not named is auto. Example: --overlap sync.
    #[arg(long, value_name = "HOW", default_value = "auto",
          value_parser = values::parse::<PhaseOverlap>, hide_short_help = true)]
    overlap: PhaseOverlap,

    /// Choose whether to keep threads on processors
    ///
    /// cores: each thread stays on a processor of its own. nodes: each thread stays on the
    /// processors of one NUMA node. off: threads move freely. auto: nodes, if the machine has
    /// several. Memory belongs to the node of the thread that touches it first. Example: --affinity
    /// cores.
    #[arg(long, value_name = "WHERE", default_value = "auto",
          value_parser = values::one_of::<Affinity>(&["auto", "off", "cores", "nodes"]),
          hide_short_help = true)]
    affinity: Affinity,
}

impl RequestOptions {
    /// Returns the given settings.
    pub fn chosen(&self) -> Chosen {
        Chosen {
            queue_depth: self.queue_depth.map(usize::from),
            block: self.block_size,
            write_buffers: self.write_buffers.map(usize::from),
            write_buffer: self.write_buffer_size,
            read_factor: self.read_factor,
            merge_width: self.merge_width.map(usize::from),
            async_io: self.async_io,
            ..Chosen::default()
        }
    }
}

impl LeverOptions {
    /// Returns the given settings.
    pub fn chosen(&self) -> Chosen {
        Chosen {
            run: self.run_size,
            gather_stores: self.gather_stores,
            merge: self.merge.parse().ok(),
            merge_buffers: self.merge_buffers,
            compress_runs: self.compress_runs,
            overlap: self.overlap.runs,
            merge_overlap: (self.overlap.merge != self.overlap.runs).then_some(self.overlap.merge),
            affinity: self.affinity,
            ..self.requests.chosen()
        }
    }
}
