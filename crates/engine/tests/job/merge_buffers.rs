//! Buffers of runs that are merged as streams: reads grow with psort's geometry, and neither it nor
//! the threshold of refills changes the output.

use std::fs;

use sortwell_engine::ByteSize;
use sortwell_engine::format::Format;
use sortwell_engine::job::{Budget, Input, Output, SortJob};
use sortwell_engine::plan::levers::Levers;
use sortwell_engine::plan::passes::MergeMethod;
use sortwell_engine::stats::{MergeBuffers, Progress, Statistics};

use crate::random::Random;
use crate::trial::{Folder, engines};

const LENGTH: usize = 100;

/// Records whose keys are random; or ascending in parts, so that runs are used up one by one.
fn records(count: usize, is_skewed: bool, random: &mut Random) -> Vec<u8> {
    let mut data = vec![0; count * LENGTH];
    random.fill(&mut data);
    if is_skewed {
        for (number, record) in data.chunks_exact_mut(LENGTH).enumerate() {
            // Nine of ten keys grow with the input, the others are anywhere.
            if number % 10 > 0 {
                record[..2].copy_from_slice(&((number * 60_000 / count) as u16).to_be_bytes());
            }
        }
    }
    data
}

/// Sorts the input of a folder through runs of `run` bytes that are merged as streams.
fn sort(folder: &Folder, run: u64, geometry: Option<&str>, random: &mut Random) -> Statistics {
    let inputs = vec![Input::File(folder.input(0))];
    let output = Output::File(folder.output());
    let mut job = SortJob::new(inputs, output, Format::Fixed { length: LENGTH as u32 });
    job.keys = vec!["0..10".parse().expect("a key")];
    job.memory = Budget::Bytes(ByteSize::mib(32));
    job.temp = vec![folder.at("spill")];
    (job.threads, job.sync, job.engine) = (Some(2), false, random.pick(&engines()));
    job.levers = Levers {
        run: Some(ByteSize(run)),
        merge: Some(MergeMethod::Streams),
        merge_buffers: geometry.map(|text| text.parse().expect("a geometry")),
        ..Levers::default()
    };
    let statistics = job.run(&Progress::new()).expect("sorted");
    assert!(statistics.merge == Some("streams") && statistics.runs > 2, "{statistics:?}");
    statistics
}

/// The buffers of a sort in which all runs were merged at once.
fn buffers(statistics: &Statistics) -> MergeBuffers {
    let buffers = statistics.merge_buffers.expect("buffers");
    assert_eq!(buffers.runs, statistics.merge_width);
    assert_eq!(buffers.refills, statistics.requests.spill_read.count, "each is a request");
    assert_eq!(buffers.refill_bytes, statistics.streams.spill_read);
    assert!(buffers.refill_max <= buffers.buffer_max, "{buffers:?}");
    buffers
}

#[test]
fn reads_grow_with_the_geometry() {
    let mut random = Random::fresh();
    let folder = Folder::on_disk();
    fs::write(folder.input(0), records(1_000_000, false, &mut random)).expect("write");
    let mut expected = None;
    let settings = ["geometry=0,refill=0.4", "geometry=0.5", "geometry=1,refill=0.4"];
    let means = settings.map(|setting| {
        let is_default = setting == "geometry=0.5";
        let statistics = sort(&folder, 6 << 20, (!is_default).then_some(setting), &mut random);
        let buffers = buffers(&statistics);
        println!("{setting}: {buffers:?}");
        let output = fs::read(folder.output()).expect("read");
        assert!(*expected.get_or_insert(output.clone()) == output, "the same bytes");
        let (growth, refill) = (buffers.geometry, if is_default { 0.25 } else { 0.4 });
        assert_eq!(
            (setting.split(',').next(), buffers.refill),
            (Some(&*format!("geometry={growth}")), refill)
        );
        buffers.refill_bytes.0 as f64 / buffers.refills as f64
    });
    let [even, half, whole] = means;
    // Usually half as much again; less if the disk is slow, as more of the pool is being filled.
    assert!(even < half && whole >= 1.1 * even, "{means:?}");
}

#[test]
fn the_output_is_the_same_with_every_geometry_and_threshold() {
    let mut random = Random::fresh();
    for is_skewed in [false, true] {
        let folder = Folder::on_disk();
        fs::write(folder.input(0), records(200_000, is_skewed, &mut random)).expect("write");
        sort(&folder, 1 << 20, None, &mut random);
        let expected = fs::read(folder.output()).expect("read");
        let settings = ["0", "0.3", "0.5", "1"].map(|growth| {
            ["0", "0.125", "0.5", "1"].map(|refill| format!("geometry={growth},refill={refill}"))
        });
        for setting in random.some(settings.concat()) {
            // Few long runs, or so many that they are merged twice.
            let run = random.pick(&[100 << 10, 700 << 10, 5 << 20]);
            let statistics = sort(&folder, run, Some(&setting), &mut random);
            assert!(fs::read(folder.output()).expect("read") == expected, "{setting} {run}");
            if statistics.runs_merged_again == 0 {
                buffers(&statistics);
            }
            folder.assert_clean(true);
        }
    }
}
