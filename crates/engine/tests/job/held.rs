//! One job in a folder of its own, held against what must come out: what is the same for every
//! format.

use std::fs;
use std::io::Write;

use sortwell_engine::Error;
use sortwell_engine::job::SortJob;
use sortwell_engine::operator::Select;
use sortwell_engine::stats::{Progress, Statistics};

use crate::line_trial::assert_same;
use crate::trial::{Folder, drain};

/// What a trial of any format is about.
pub struct Held<'a> {
    pub inputs: &'a [Vec<u8>],
    pub select: &'a Select,
    /// Whether inputs and output are pipes.
    pub is_streamed: (bool, bool),
    /// Bytes that pipes bring at a time.
    pub piece: usize,
    /// What is said of it when it fails.
    pub words: String,
}

impl Held<'_> {
    /// Puts the inputs where the job looks for them.
    pub fn lay_out(&self, folder: &Folder) {
        for (index, content) in self.inputs.iter().enumerate() {
            let path = folder.input(index);
            if !self.is_streamed.0 {
                fs::write(path, content).expect("write");
                continue;
            }
            folder.make_pipe(&path);
            let (content, piece) = (content.clone(), self.piece);
            std::thread::spawn(move || {
                let mut pipe = fs::OpenOptions::new().write(true).open(path).expect("a pipe");
                // A job that has what it wants, or fails, closes its end.
                content.chunks(piece).all(|part| pipe.write_all(part).is_ok())
            });
        }
    }

    /// Runs the job and asserts all that must hold for any job, given the output and how many
    /// records are sorted for it.
    pub fn run(
        &self,
        job: impl FnOnce(&Folder) -> SortJob,
        (expected, count): &(Vec<u8>, u64),
    ) -> Statistics {
        let words = &self.words;
        println!("{words}");
        let folder = Folder::on_disk();
        self.lay_out(&folder);
        let reader = self.is_streamed.1.then(|| drain(&folder));
        let outcome = job(&folder).run(&Progress::new());
        let statistics = outcome.unwrap_or_else(|e| panic!("{e}: {words}"));
        let found = match reader {
            Some(reader) => reader.join().expect("the reader"),
            None => fs::read(folder.output()).expect("read"),
        };
        assert_same(&found, expected, words);
        assert_eq!(statistics.records, *count, "{words}");
        if !self.select.is_partial() {
            assert_eq!(statistics.proof.map(|proof| proof.records), Some(*count));
        }
        assert_eq!(statistics.runs == 0, statistics.passes == 1);
        folder.assert_clean(true);
        if !self.is_streamed.0 {
            for (index, content) in self.inputs.iter().enumerate() {
                assert!(fs::read(folder.input(index)).expect("read") == *content, "input touched");
            }
        }
        statistics
    }

    /// Runs a job that must fail as malformed; which input it names, and its words.
    pub fn fails(&self, job: impl FnOnce(&Folder) -> SortJob) -> (usize, String) {
        let words = &self.words;
        println!("{words}");
        let folder = Folder::on_disk();
        self.lay_out(&folder);
        let outcome = job(&folder).run(&Progress::new());
        let error = outcome.err().unwrap_or_else(|| panic!("sorted what is malformed: {words}"));
        folder.assert_clean(false);
        let said = error.to_string();
        let (Error::Malformed { path, .. } | Error::BudgetExceeded { path, .. }) = error else {
            panic!("{said}: {words}")
        };
        let named = (0..self.inputs.len()).find(|index| folder.input(*index) == path);
        (named.unwrap_or_else(|| panic!("no input is named: {said}")), said)
    }
}
