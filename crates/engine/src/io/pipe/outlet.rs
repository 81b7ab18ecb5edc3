//! Ends of the caller to which a job writes: pipes, and parts of the program.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::fcntl_dupfd_cloexec;

use super::super::consumer::{Consumer, SharedConsumer};
use super::{Inlet, PipeWriter};
use crate::error::{Error, Result};

/// The writing end of a pipe that somebody reads already, or a part of the program that takes the
/// bytes. It stays open until the last clone and the last writer are gone; clones alone are equal.
#[derive(Clone, Debug)]
pub struct Outlet(OutletTarget);

#[derive(Clone, Debug)]
enum OutletTarget {
    /// A descriptor, and its name in messages.
    Descriptor(Arc<OwnedFd>, PathBuf),
    Inlet(Arc<dyn Inlet>),
    Consumer(SharedConsumer),
}

impl Outlet {
    /// Returns what is open already, called `name` in messages.
    pub fn new(descriptor: impl Into<OwnedFd>, name: &Path) -> Self {
        Self(OutletTarget::Descriptor(Arc::new(descriptor.into()), name.to_owned()))
    }

    /// Returns an outlet whose bytes the program itself takes.
    pub fn inlet(inlet: Arc<dyn Inlet>) -> Self {
        Self(OutletTarget::Inlet(inlet))
    }

    /// Returns an outlet whose tasks the program itself takes, each by itself and in any order.
    pub fn consumer(consumer: Arc<dyn Consumer>) -> Self {
        Self(OutletTarget::Consumer(SharedConsumer(consumer)))
    }

    /// Opens it.
    pub fn open(&self) -> Result<OpenOutlet> {
        match &self.0 {
            OutletTarget::Descriptor(descriptor, name) => {
                let cloned = fcntl_dupfd_cloexec(descriptor, 0);
                let descriptor = cloned.map_err(|e| Error::io("use", name, e))?;
                Ok(OpenOutlet::Stream(PipeWriter::of(descriptor, name)))
            }
            OutletTarget::Inlet(inlet) => {
                Ok(OpenOutlet::Stream(PipeWriter::inlet(Arc::clone(inlet))))
            }
            OutletTarget::Consumer(consumer) => Ok(OpenOutlet::Tasks(consumer.clone())),
        }
    }
}

/// An outlet that is open.
#[derive(Debug)]
pub enum OpenOutlet {
    /// A stream, which takes bytes in order.
    Stream(PipeWriter),
    /// A part of the program that takes tasks in any order.
    Tasks(SharedConsumer),
}

impl PartialEq for Outlet {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (OutletTarget::Descriptor(one, _), OutletTarget::Descriptor(other, _)) => {
                Arc::ptr_eq(one, other)
            }
            (OutletTarget::Inlet(one), OutletTarget::Inlet(other)) => Arc::ptr_eq(one, other),
            (OutletTarget::Consumer(one), OutletTarget::Consumer(other)) => one == other,
            _ => false,
        }
    }
}

impl Eq for Outlet {}
