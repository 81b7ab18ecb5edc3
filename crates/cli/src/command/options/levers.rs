//! What may be set of a plan, for those who know their disks.

use clap::Args;
use sortwell::ByteSize;
use sortwell::unstable::io::Affinity;
use sortwell::unstable::plan::geometry::Geometry;
use sortwell::unstable::plan::levers::{Levers as Chosen, Overlap};

use super::{EXPERT, values};

/// Sizes and numbers of requests and buffers. All of them are chosen well where nothing is said.
#[derive(Args, Debug)]
#[command(next_help_heading = EXPERT)]
pub struct Requests {
    /// Reads in flight, of all threads together; each has two at least
    ///
    /// Eight if not said, which keep most disks busy; sixteen of streams, each of which has one.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096),
          hide_short_help = true)]
    queue_depth: Option<u16>,

    /// Bytes of a read request (256KiB, 4MiB)
    ///
    /// By the memory there is if not said, from 256 KiB to 4 MiB; no more than 1 GiB. Rounded up to
    /// whole pages, and so far that no load takes more than 4096 of them; of streams to whole 64
    /// KiB. A merge reads less of a run at a time where a slab has less of it.
    #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>,
          hide_short_help = true)]
    block_size: Option<ByteSize>,

    /// Output buffers of each thread; one is filled while the others are written
    ///
    /// Four if not said; three at least.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(3..=256),
          hide_short_help = true)]
    write_buffers: Option<u16>,

    /// Bytes of each output buffer, and so of a write request (512KiB, 8MiB)
    ///
    /// By the memory there is if not said, from 512 KiB to 4 MiB; no more than 1 GiB.
    #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>,
          hide_short_help = true)]
    write_buffer_size: Option<ByteSize>,

    /// How many blocks of 4 KiB could be read in the time that it takes to begin to read one
    ///
    /// The higher it is, the larger are the pieces in which a merge reads runs, and the fewer runs
    /// are merged at once. 32 if not said; 'sortwell calibrate disk' measures it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=8192),
          hide_short_help = true)]
    read_factor: Option<u32>,

    /// Most runs or inputs merged at once; as many as memory and open files allow if not said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..),
          hide_short_help = true)]
    merge_width: Option<u16>,
}

/// What else may be set of a sort's plan.
#[derive(Args, Debug)]
#[command(next_help_heading = EXPERT)]
pub struct Levers {
    #[command(flatten)]
    requests: Requests,

    /// About how many bytes a run has at most (64KiB, 100MB); as many as memory allows if not said
    ///
    /// Shorter runs take less memory to make and more of it, or more passes, to merge: the effect
    /// that the experiment 'bench runs' shows. What fits one run is sorted in one pass. Not for
    /// replacement selection, whose runs are as long as the order of the input makes them.
    #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>,
          hide_short_help = true)]
    run_size: Option<ByteSize>,

    /// How runs are merged: by slabs, or as streams
    ///
    /// slabs are ranges of keys: all threads merge one while the next is read. streams are merged
    /// by one thread, from the beginning of each run to its end, with a piece of each read ahead;
    /// that takes little more memory than a record of each run. auto takes slabs unless records
    /// are too long for them.
    #[arg(long, value_name = "HOW", default_value = "auto",
          value_parser = ["auto", "slabs", "streams"], hide_short_help = true)]
    merge: String,

    /// How pieces differ that streams of runs are read ahead in: geometry=0 (alike) to geometry=1
    ///
    /// Above 0 they grow from run to run around the same mean, so that runs of one length do not
    /// all want their next piece at the same time; after psort's merge. For --merge streams.
    #[arg(long, value_name = "geometry=G", default_value_t = Geometry::default(),
          value_parser = values::parse::<Geometry>, hide_short_help = true)]
    merge_buffers: Geometry,

    /// Whether one load is read while another is sorted and written
    ///
    /// pipelined: it is, and each load has half of the memory. sync reads a load of all memory,
    /// sorts and writes it, and then reads the next: runs are twice as long, and half as many. It
    /// merges so, too. Disks rest while processors work; it is quicker where fewer runs have to be
    /// merged twice, or where reading and writing at once makes a disk slow. auto is sync where a
    /// file has less merged twice then, and else pipelined; with --in-place always. Replacement
    /// selection and merges of the longest records have a way of their own.
    #[arg(long, value_name = "HOW", default_value = "auto",
          value_parser = values::one_of::<Overlap>(&["auto", "sync", "pipelined"]),
          hide_short_help = true)]
    overlap: Overlap,

    /// Whether threads stay on processors: each on one of its own, or on those of a NUMA node
    ///
    /// auto keeps them on nodes where there are several. Memory that a thread touches first is
    /// that of its node.
    #[arg(long, value_name = "WHERE", default_value = "auto",
          value_parser = values::one_of::<Affinity>(&["auto", "off", "cores", "nodes"]),
          hide_short_help = true)]
    affinity: Affinity,
}

impl Requests {
    /// What was said.
    pub fn chosen(&self) -> Chosen {
        Chosen {
            queue_depth: self.queue_depth.map(usize::from),
            block: self.block_size,
            write_buffers: self.write_buffers.map(usize::from),
            write_buffer: self.write_buffer_size,
            read_factor: self.read_factor,
            merge_width: self.merge_width.map(usize::from),
            ..Chosen::default()
        }
    }
}

impl Levers {
    /// What was said.
    pub fn chosen(&self) -> Chosen {
        Chosen {
            run: self.run_size,
            merge: self.merge.parse().ok(),
            merge_buffers: self.merge_buffers,
            overlap: self.overlap,
            affinity: self.affinity,
            ..self.requests.chosen()
        }
    }
}
