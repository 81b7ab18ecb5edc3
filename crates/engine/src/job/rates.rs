//! Rates of the machine, as far as they concern one sort: which disks its streams are
//! on, and what its records cost.

use std::path::Path;

use super::{Output, SortJob};
use crate::error::{Message, Operation, message};
use crate::format::Framing;
use crate::io::{File, directory_of};
use crate::pipeline;
use crate::plan::prediction::{DiskPart, Rates};
use crate::profile::Profile;
use crate::stripe::Definition;
use crate::stripe::SpillPlace;
use crate::sys::space;

/// Message where no time can be predicted, with what to do.
type Unknown = Message;

impl SortJob {
    /// Returns the rates for a sort of `input` that spills to `temp`.
    pub(super) fn rates(
        &self,
        input: &pipeline::JobInput,
        temp: &[SpillPlace],
    ) -> Result<Rates, Unknown> {
        let Some(profile) = self.profile.as_deref() else {
            return Err(message!("this machine was not measured; see {}", Operation::Calibrate));
        };
        let Some(processor) = &profile.processor else {
            return Err(message!(
                "processors were not measured; run {}",
                Operation::CalibrateProcessors,
            ));
        };
        let costs = match self.format.framing() {
            Framing::Fixed(_) => processor.fixed,
            _ => processor.lines,
        };
        let pipeline::JobInput::Files(files) = input else {
            return Err("the speed of a stream is not known".into());
        };
        let output = match &self.output {
            Output::File(path) => parts_of(profile, path)?,
            Output::Striped(path) => striped_parts(profile, path)?,
            Output::Stdout | Output::Pipe(_) => Vec::new(),
        };
        let mut spill = Vec::with_capacity(temp.len());
        for place in temp {
            let width: u64 = place.directories().map(|(_, stride)| stride).sum();
            for (directory, stride) in place.directories() {
                let share = stride as f64 / width as f64;
                spill.push(part(profile, directory, share / temp.len() as f64)?);
            }
        }
        let memory = profile.memory.as_ref();
        Ok(Rates {
            input: input_parts(profile, files)?,
            spill,
            output,
            costs,
            fresh_memory: memory.map_or(f64::INFINITY, |memory| memory.huge_pages_all),
            reused_memory: memory.map_or(f64::INFINITY, |memory| memory.reused_pages_all),
            cores: processor.threads,
        })
    }
}

/// Returns where inputs lie that have to be read from disk; those in the page cache need none.
fn input_parts(
    profile: &Profile,
    files: &[std::sync::Arc<File>],
) -> Result<Vec<DiskPart>, Unknown> {
    let total: u64 = files.iter().map(|file| file.len()).sum();
    let mut parts = Vec::new();
    for file in files.iter().filter(|file| file.is_direct() || !file.is_cached()) {
        let share = file.len() as f64 / total.max(1) as f64;
        let own = match Definition::is_at(file.path()) {
            true => striped_parts(profile, file.path())?,
            false => parts_of(profile, file.path())?,
        };
        parts.extend(own.into_iter().map(|part| DiskPart { share: part.share * share, ..part }));
    }
    Ok(parts)
}

/// Returns a file, or one that will be made.
fn parts_of(profile: &Profile, path: &Path) -> Result<Vec<DiskPart>, Unknown> {
    part(profile, directory_of(path), 1.0).map(|part| vec![part])
}

/// Members of a striped file have shares as long as their strides.
fn striped_parts(profile: &Profile, path: &Path) -> Result<Vec<DiskPart>, Unknown> {
    let definition = Definition::read(path).map_err(|error| error.message())?;
    let layout = definition.layout();
    let strides: Vec<u64> = (0..layout.members()).map(|member| layout.stride(member)).collect();
    let width: u64 = strides.iter().sum();
    let share = |stride: &u64| *stride as f64 / width as f64;
    let places = definition.places(path);
    let members = places.iter().zip(&strides);
    members.map(|(place, stride)| part(profile, directory_of(place), share(stride))).collect()
}

fn part(profile: &Profile, directory: &Path, share: f64) -> Result<DiskPart, Unknown> {
    let disk = profile.disk_of(directory).cloned();
    let device = space::device(directory).ok();
    let (Some(disk), Some(device)) = (disk, device) else {
        return Err(message!(
            "the disk of {} was not measured; run {}",
            directory.display(),
            Operation::CalibrateDisk.on(directory.display())
        ));
    };
    Ok(DiskPart { device, share, disk })
}
