//! Memory for records of one length: slots, each of which holds one.

use crate::io::Region;

/// Slots.
#[derive(Debug)]
pub struct Slots {
    memory: Region,
    length: usize,
    /// Number of slots used so far.
    used: u32,
    /// The one that was given back last. Whatever is given back is wanted by the next record, or by
    /// none any more, so that no others need be known.
    free: Option<u32>,
}

impl Slots {
    /// Slots for records of `length` bytes.
    pub fn new(memory: Region, length: usize) -> Self {
        Self { memory, length, used: 0, free: None }
    }

    /// Copies a record into a free slot, if there is one.
    #[inline]
    pub fn put(&mut self, record: &[u8]) -> Option<u32> {
        let place = self.free.unwrap_or(self.used);
        let start = place as usize * self.length;
        self.memory.get_mut(start..start + self.length)?.copy_from_slice(record);
        match self.free.take() {
            Some(_) => {}
            None => self.used += 1,
        }
        Some(place)
    }

    /// Returns the record in a slot.
    #[inline]
    pub fn get(&self, place: u32) -> &[u8] {
        &self.memory[place as usize * self.length..][..self.length]
    }

    /// Gives a slot back.
    #[inline]
    pub fn release(&mut self, place: u32) {
        self.free = Some(place);
    }

    /// Returns the memory.
    pub fn into_region(self) -> Region {
        self.memory
    }
}
