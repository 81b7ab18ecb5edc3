//! Names that other programs have for what an option here does.
//!
//! One table: of GNU sort, csvkit, xsv and qsv, Miller, SQL, DuckDB, DFSORT and SyncSort, pandas
//! and awk. A row is not for a name that an option of `sortwell sort` has. Tests hold every option
//! that an advice names against the definition of the command line.

/// Names, and the advice to those who give them.
const OPTIONS: &[(&[&str], &str)] = &[
    (
        &["delimiter", "delim", "sep", "field-separator", "fs", "ifs", "ofs", "out-delimiter"],
        "write --separator BYTE",
    ),
    (&["tabs", "tab"], "write --separator tab, or --format tsv"),
    (&["csv", "icsv", "ocsv", "csvlite", "c2p"], "write --format csv"),
    (&["tsv", "itsv", "otsv"], "write --format tsv"),
    (&["record-length", "reclen", "lrecl", "fixed", "record-size"], "write --format fixed:N"),
    (&["type", "input-format", "from", "recfm", "record-format"], "write --format FORMAT"),
    (&["zero-terminated", "null", "print0", "nul"], "write --format lines:0"),
    (&["rs", "irs", "record-separator", "line-terminator"], "write --format lines:BYTE"),
    (&["quotechar", "quote-char", "quoting"], "write --quote BYTE"),
    (&["no-headers", "no-header-row", "implicit-csv-header"], "write --no-header"),
    (
        &["headers", "header-row"],
        "write --header N or --header PREFIX for lines; --format csv expects a header",
    ),
    (&["where", "filter", "inccond", "query", "match", "grep"], "write --include EXPR"),
    (&["omit", "omitcond", "reject", "invert-match"], "write --exclude EXPR"),
    (&["distinct", "dedup", "deduplicate", "drop-duplicates", "uniq"], "write --unique"),
    (&["nodups", "dupkeys", "noequals", "duplicates"], "write --unique"),
    (&["dedup-by", "distinct-on", "unique-on", "subset", "partition-by"], "write --unique-by KEY"),
    (&["keep"], "write --unique=first or --unique=last"),
    (
        &[
            "order-by", "orderby", "by", "sort-by", "sort-key", "column", "columns", "field",
            "fields",
        ],
        "write --key KEY, one for each column",
    ),
    (&["keys", "on"], "write --key KEY, one for each column"),
    (&["select-columns", "cols", "usecols", "cut", "outrec"], "write --select PLACES"),
    (&["top", "head", "first", "fetch", "n", "nrows", "stopaft"], "write --limit N"),
    (&["offset", "skiprows", "skip-rows", "skiprec"], "write --skip N"),
    (
        &["group-by", "groupby", "aggregate", "agg"],
        "write --key with --sum, --min, --max or --count",
    ),
    (&["total", "sumfields"], "write --sum PLACE"),
    (&["value-counts", "frequency", "freq"], "write --count"),
    (
        &["desc", "descending", "reversed", "decreasing"],
        "write :desc after a key, as in --key 2:desc, or --reverse for all keys",
    ),
    (&["asc", "ascending"], "leave it out: keys ascend unless :desc follows them"),
    (
        &["numeric", "numeric-sort", "number", "numerical"],
        "write a key's type, as in --key 2:decimal",
    ),
    (&["general-numeric-sort"], "write a key's type, as in --key 2:float"),
    (&["human-numeric-sort", "human-readable"], "write a key's type, as in --key 2:size"),
    (&["month-sort"], "write a key's type, as in --key 2:month"),
    (&["version-sort"], "write a key's type, as in --key 2:version"),
    (&["natural", "natural-sort"], "write a key's type, as in --key 2:natural"),
    (&["random-sort", "shuffle", "random"], "write a key's type, as in --key ..:random"),
    (
        &["ignore-case", "case-insensitive", "no-case", "nocase", "fold-case"],
        "write :ci after a key, as in --key 2:ci",
    ),
    (&["ignore-leading-blanks", "trim", "strip"], "write :trim after a key, as in --key 2:trim"),
    (
        &["nulls-first", "nulls-last", "na-position", "nulls"],
        "write :nulls-first or :nulls-last after a key, as in --key 2:nulls-last",
    ),
    (
        &["locale", "collate", "collation"],
        "write :locale=NAME after a key, as in --key 2:locale=de",
    ),
    (&["ebcdic"], "write a key's type, as in --key 0..8:ebcdic"),
    (&["parallel", "jobs", "nthreads", "num-threads", "workers", "cores"], "write --threads N"),
    (
        &["buffer-size", "memory-limit", "max-memory", "mem", "ram", "mainsize", "storage", "size"],
        "write --memory SIZE",
    ),
    (
        &[
            "tmpdir",
            "temporary-directory",
            "temp-dir",
            "temp-directory",
            "tmp",
            "tmp-dir",
            "sortwk",
            "workspace",
            "work-dir",
            "spill",
            "scratch",
        ],
        "write --temp DIRECTORY",
    ),
    (&["max-temp-directory-size"], "write --temp-limit SIZE"),
    (&["out", "output-file", "outfile", "outfil", "sortout"], "write --output OUTPUT"),
    (&["input", "input-file", "infile", "sortin", "file"], "name inputs without an option"),
    (&["inplace", "overwrite-input"], "write --in-place, or give the input to --output"),
    (&["overwrite", "clobber"], "leave it out: --output replaces a file"),
    (&["files-from", "file-list"], "write --files0-from FILE"),
    (&["compress-program", "compression", "gzip", "zstd"], "write --compress HOW"),
    (&["decompression", "gunzip"], "write --decompress HOW"),
    (&["batch-size", "nmerge"], "write --merge-width N"),
    (&["stable", "equals"], "leave it out: records with equal keys keep their order"),
    (&["quiet", "silent", "no-progress"], "write --progress never"),
    (&["verbose", "statistics", "time", "timing"], "write --stats text"),
    (&["debug", "dry-run", "plan"], "use `sortwell explain`"),
    (&["check-order", "is-sorted", "diagnose-first"], "use `sortwell check`"),
    (&["fsync"], "write --sync on"),
    (&["checksum", "verify-output"], "write --verify on"),
    (&["date-formats", "strptime", "dateformat", "timestampformat"], "write --date-format FORMAT"),
];

/// Words that other programs have for a subcommand, and the advice to those who give them.
const SUBCOMMANDS: &[(&[&str], &str)] = &[
    (&["uniq", "unique", "dedup", "distinct"], "write `sortwell sort --unique`"),
    (&["top", "head"], "write `sortwell sort --limit N`"),
    (&["order", "order-by", "orderby", "tsort"], "write `sortwell sort --key KEY`"),
    (&["filter", "where", "search"], "write `sortwell sort --include EXPR`"),
    (&["plan"], "write `sortwell explain`"),
    (&["verify", "is-sorted"], "write `sortwell check`"),
    (&["clean", "list"], "write `sortwell spill list DIRECTORY`, or clean in place of list"),
    (&["version"], "write `sortwell --version`"),
];

/// Returns the advice for the option `name` of another program, without its dashes.
pub fn advice(name: &str) -> Option<&'static str> {
    find(OPTIONS, name)
}

/// Returns the advice for the subcommand `name` of another program.
pub fn subcommand(name: &str) -> Option<&'static str> {
    find(SUBCOMMANDS, name)
}

fn find(table: &[(&[&str], &'static str)], name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase().replace('_', "-");
    let row = table.iter().find(|(names, _)| names.contains(&name.as_str()));
    row.map(|(_, advice)| *advice)
}

/// Returns the long options that an advice names, without their dashes.
pub fn options_in(advice: &str) -> impl Iterator<Item = &str> {
    advice.split("--").skip(1).map(|rest| {
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        rest.split(|c| !is_name(c)).next().unwrap_or_default()
    })
}

#[cfg(test)]
mod tests;
