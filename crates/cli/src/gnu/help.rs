//! Texts that `--help` and `--version` print.

/// Returns the version, under the name that scripts look for.
pub fn version() -> String {
    format!("sort (sortwell) {}\n", env!("CARGO_PKG_VERSION"))
}

/// Returns the help, for a command of this name.
pub fn help(name: &[u8]) -> Vec<u8> {
    let name = String::from_utf8_lossy(name);
    let usage =
        format!("Usage: {name} [OPTION]... [FILE]...\n  or:  {name} [OPTION]... --files0-from=F\n");
    [usage.as_bytes(), TEXT.as_bytes()].concat()
}

const TEXT: &str = "\
Sort the lines of all FILEs together, and write them to standard output.
Without FILE, or if FILE is -, read standard input.

Comparison of lines:
  -b, --ignore-leading-blanks   ignore blanks at the start of a key
  -d, --dictionary-order        compare blanks, letters and digits only
  -f, --ignore-case             compare small letters as capitals
  -g, --general-numeric-sort    compare numbers as in C: 1e3, 0x1f, inf
  -h, --human-numeric-sort      compare sizes such as 2K or 1.5G
  -i, --ignore-nonprinting      compare printable characters only
  -k, --key=KEY                 compare part of the line, see below; repeatable
  -M, --month-sort              compare names of months; other text comes first
  -n, --numeric-sort            compare decimal numbers of any length
  -r, --reverse                 reverse the order: largest first
  -R, --random-sort             shuffle, but keep equal keys together
      --random-source=FILE      read random bytes from FILE
      --sort=WORD               compare by WORD: general-numeric, human-numeric,
                                month, numeric, random or version, as with -g -h
                                -M -n -R -V
  -t, --field-separator=C       separate fields by C; '\\0' is a NUL
  -V, --version-sort            compare names that contain version numbers

Operation:
  -c, --check[=diagnose-first]  report the first line that is out of order
  -C, --check=quiet|silent      check, but print nothing
  -m, --merge                   merge files that are already sorted
  -o, --output=FILE             write to FILE; it may be one of the inputs
  -s, --stable                  keep the input order of lines with equal keys
  -u, --unique                  write only the first of equal lines; with -c,
                                equal lines are out of order
  -z, --zero-terminated         end lines with NUL, not with a line feed
      --debug                   mark the part of each line that is compared
      --files0-from=F           read file names from F, each ended by a NUL

Resources:
  -S, --buffer-size=SIZE        use SIZE of memory: KiB, or a number and a unit
                                b % K M G T P E Z Y R Q
  -T, --temporary-directory=D   put temporary files into D; repeatable
      --batch-size=N            merge at most N files at once
      --compress-program=PROG   compress temporary files; PROG -d expands them
      --parallel=N              use N threads

      --help                    print this help
      --version                 print the version

KEY is F[.C][OPTIONS][,F[.C][OPTIONS]]: its start and its end, each as a field
and a character of the field, counted from 1. Without an end, KEY extends to the
end of the line. An end without C is the end of its field. OPTIONS are letters
of bdfghiMnRrV; they replace the options for all keys.

The locale decides the order; LC_ALL=C compares bytes.

Exit status: 0 success, 1 -c or -C found a line out of order, 2 error.
";
