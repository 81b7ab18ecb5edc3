//! What `--help` and `--version` print.

/// The version, under the name that scripts look for.
pub fn version() -> String {
    format!("sort (sortwell) {}\n", env!("CARGO_PKG_VERSION"))
}

/// The help, for a command of this name.
pub fn help(name: &[u8]) -> Vec<u8> {
    let name = String::from_utf8_lossy(name);
    let usage =
        format!("Usage: {name} [OPTION]... [FILE]...\n  or:  {name} [OPTION]... --files0-from=F\n");
    [usage.as_bytes(), TEXT.as_bytes()].concat()
}

const TEXT: &str = "\
Sorts the lines of all FILEs together, and writes them to standard output.
Without FILE, or where FILE is -, standard input is read.

What lines are compared by:
  -b, --ignore-leading-blanks   leave out blanks where a key begins
  -d, --dictionary-order        look at blanks, letters and digits only
  -f, --ignore-case             take small letters for capitals
  -g, --general-numeric-sort    numbers as in C: 1e3, 0x1f, inf
  -h, --human-numeric-sort      sizes such as 2K or 1.5G
  -i, --ignore-nonprinting      look at printable characters only
  -k, --key=KEY                 a part of the line, see below; may be repeated
  -M, --month-sort              names of months, anything else before them
  -n, --numeric-sort            decimal numbers of any length
  -r, --reverse                 largest first
  -R, --random-sort             shuffle, equal keys together
      --random-source=FILE      take chance from FILE
      --sort=WORD               general-numeric, human-numeric, month, numeric,
                                random or version, as -g -h -M -n -R -V
  -t, --field-separator=C       fields lie between Cs; '\\0' for a NUL
  -V, --version-sort            names with version numbers in them

What is done:
  -c, --check[=diagnose-first]  say where the first line out of order is
  -C, --check=quiet|silent      the same, without a word
  -m, --merge                   merge files that are each sorted
  -o, --output=FILE             write to FILE; it may be one of the inputs
  -s, --stable                  leave lines with equal keys as they came
  -u, --unique                  only the first of equal lines; with -c, equal
                                lines are out of order
  -z, --zero-terminated         lines end with NUL
      --debug                   show what of each line is compared
      --files0-from=F           take the files' names from F, a NUL behind each

What is used for it:
  -S, --buffer-size=SIZE        memory: KiB, or with b % K M G T P E Z Y R Q
  -T, --temporary-directory=D   a place for run files; may be repeated
      --batch-size=N            merge at most N files at once
      --compress-program=PROG   compress run files with it; it expands with -d
      --parallel=N              threads

      --help                    print this
      --version                 print the version

KEY is F[.C][OPTIONS][,F[.C][OPTIONS]]: where it starts and where it ends, as
field and character in it, counted from 1. Without an end it goes to the end of
the line; an end without C is the end of its field. OPTIONS are letters of
bdfghiMnRrV and count for this key instead of those for all.

The locale counts; LC_ALL=C compares bytes.

Exit status: 0 done, 1 -c or -C found a line out of order, 2 trouble.
";
