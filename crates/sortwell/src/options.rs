//! The options that several kinds of jobs have, each declared once.
//!
//! `SortJob`, `MergeJob` and `CheckJob` use `reading_options` in their `impl` blocks, the first two
//! also `writing_options`. These consist of smaller groups, which the jobs of indexes use as well.
//! With macros, the methods appear in the documentation of each builder, and users import no trait.

/// Declares the methods of a job that reads records, for a type with a field `job`.
macro_rules! reading_options {
    () => {
        crate::options::order_options!();
        crate::options::memory_option!();

        /// Adds an input. All inputs of a sort are read as one, in the order in which they are
        /// added.
        pub fn input(&mut self, input: impl Into<sortwell_engine::job::Input>) -> &mut Self {
            self.job.inputs.push(input.into());
            self
        }

        /// Sets which inputs are decompressed. Default: text in a compressed format, found by its
        /// first bytes, and files with the suffix of one.
        pub fn decompress(&mut self, decompress: sortwell_engine::codec::Decompress) -> &mut Self {
            self.job.decompress = decompress;
            self
        }
    };
}

/// Declares the memory of a job, for a type with a field `job`.
macro_rules! memory_option {
    () => {
        /// Sets the ceiling of the resident size of the process. Default: [`Budget::Auto`].
        ///
        /// [`Budget::Auto`]: crate::Budget::Auto
        pub fn memory(&mut self, memory: impl Into<sortwell_engine::job::Budget>) -> &mut Self {
            self.job.memory = memory.into();
            self
        }
    };
}

/// Declares the methods of a job that makes keys of records, for a type with a field `job`.
macro_rules! order_options {
    () => {
        /// Adds a key, which orders records that are equal in all earlier keys. Without any key,
        /// records are ordered by all of their bytes.
        pub fn key(&mut self, key: sortwell_engine::key::Key) -> &mut Self {
            self.job.keys.push(key);
            self
        }

        /// Sets the byte between the fields of lines. Default: fields are words between blanks. The
        /// separator of CSV is a part of the format.
        pub fn separator(&mut self, separator: u8) -> &mut Self {
            self.job.order.separator = Some(separator);
            self
        }

        /// Sets the place of records with a key that is not a value of its type. Default: such a
        /// record is an error; in lines, numbers and months take as much of the text as they can
        /// read.
        pub fn invalid(&mut self, invalid: sortwell_engine::key::text::Invalid) -> &mut Self {
            self.job.order.invalid = Some(invalid);
            self
        }

        /// Sets the lines at the top of each input that are not records. Default: none. The header
        /// row of CSV is a part of the format.
        pub fn header(&mut self, header: sortwell_engine::format::HeaderLines) -> &mut Self {
            self.job.header = header;
            self
        }
    };
}

/// Declares the methods of a job that writes records, for a type with a field `job`.
macro_rules! writing_options {
    () => {
        /// Leaves out the first records of the order. Default: 0.
        pub fn skip(&mut self, records: u64) -> &mut Self {
            self.job.select.skip = records;
            self
        }

        /// Writes at most this number of records. Default: all.
        pub fn limit(&mut self, records: u64) -> &mut Self {
            self.job.select.limit = Some(records);
            self
        }

        crate::options::place_options!();

        /// Sets how the output is compressed. Default: as the suffix of its name says.
        pub fn compress(&mut self, compress: sortwell_engine::codec::Compress) -> &mut Self {
            self.job.compress = compress;
            self
        }

        /// Limits the size of all temporary files together. Default: no limit.
        pub fn temp_limit(&mut self, limit: sortwell_engine::ByteSize) -> &mut Self {
            self.job.temp_limit = Some(limit);
            self
        }

        /// Sets whether the output is proven to hold the records of the inputs, in order. Default:
        /// true.
        pub fn verify(&mut self, verify: bool) -> &mut Self {
            self.job.verify = verify;
            self
        }

        /// Sets whether a job that fails or is stopped keeps its work, for the same job to continue
        /// with.
        /// Default: [`Resume::Off`](crate::Resume::Off).
        pub fn resume(&mut self, resume: sortwell_engine::job::Resume) -> &mut Self {
            self.job.resume = resume;
            self
        }
    };
}

/// Declares the methods of a job that writes a file, for a type with a field `job`.
macro_rules! place_options {
    () => {
        /// Adds a directory for temporary files; several share the load. Default: the directory of
        /// the output.
        pub fn temp(&mut self, directory: impl Into<std::path::PathBuf>) -> &mut Self {
            self.job.temp.push(directory.into());
            self
        }

        /// Sets the number of worker threads. Default: one for each processor.
        pub fn threads(&mut self, threads: usize) -> &mut Self {
            self.job.threads = Some(threads.max(1));
            self
        }

        /// Sets whether the output is durable before it gets its name. Default: true.
        pub fn sync(&mut self, sync: bool) -> &mut Self {
            self.job.sync = sync;
            self
        }

        /// Sets whether an output without write permission is replaced. Default: false.
        pub fn force(&mut self, force: bool) -> &mut Self {
            self.job.force = force;
            self
        }
    };
}

pub(crate) use {memory_option, order_options, place_options, reading_options, writing_options};
