//! Command lines that are fine: help, version, remarks of `--debug`, and options that must not be
//! refused.

use std::process::Command;

use crate::both::Both;

fn printed(words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sortwell"));
    let output = command.args(words).output().expect("run");
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What is said, but for what the program says that it cannot do yet.
fn without_open_ends(words: &str) -> Vec<&str> {
    words.lines().filter(|line| !line.contains("is not supported yet")).collect()
}

#[test]
fn help_and_version_are_printed() {
    let help = printed(&["gnu", "--help"]);
    for word in ["Usage: sort ", "--key=KEY", "--files0-from=F", "Exit status"] {
        assert!(help.contains(word), "{word} is missing:\n{help}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 80), "too wide:\n{help}");
    let version = format!("sort (sortwell) {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(printed(&["gnu", "-r", "--version", "--bad"]).as_str(), version);
}

#[test]
fn good_lines_are_not_refused() {
    let both = Both::new();
    for line in GOOD {
        let (ours, theirs) = both.run(&[], line);
        assert_eq!(without_open_ends(&ours.words), [""; 0], "{line}");
        if let Some(theirs) = theirs {
            assert_eq!((theirs.status, theirs.words.as_str()), (Some(0), ""), "{line}");
        }
    }
}

#[test]
fn debug_makes_the_same_remarks() {
    let both = Both::new();
    // Where the machine lacks one of these, both programs say so and go on in C.
    for locale in ["C", "POSIX", "C.UTF-8", "en_US.UTF-8", "no_SUCH"] {
        for line in DEBUG {
            let environment = [("LC_ALL", locale), ("LC_MESSAGES", "C")];
            let (ours, theirs) = both.run(&environment, &format!("--debug {line} f"));
            if let Some(theirs) = theirs {
                let theirs: Vec<&str> = theirs.words.lines().collect();
                assert_eq!(without_open_ends(&ours.words), theirs, "{locale} {line}");
            }
        }
    }
}

/// Standard input named twice, many threads with little memory, and a merge that shows its keys.
#[test]
fn rare_lines_print_the_same() {
    let both = Both::new();
    for (line, printed) in [
        ("- -", "a\nb\n"),
        ("-m - f -", "b\na\nb\na\n"),
        ("--parallel=99999999999999999999 f", "a\nb\n"),
        ("--parallel=1000 -S 1M f", "a\nb\n"),
        ("--parallel=100 -S 1% f", "a\nb\n"),
        ("-m --debug f g", "b\n_\na\n_\nd\n_\nc\n_\n"),
        ("-m --debug -k1,1 -s f", "b\n_\na\n_\n"),
        ("-s +18446744073709551614 f", "b\na\n"),
        ("-s +18446744073709551615 f", "a\nb\n"),
        ("-s +99999999999999999999.2 f", "a\nb\n"),
        ("-s +0 -99999999999999999999.2 f", "a\nb\n"),
    ] {
        // GNU sort has no memory for that number of threads.
        let answers = both.print(line, "f", !line.contains("--parallel"));
        assert!(answers.iter().all(|answer| answer == printed), "{line}: {answers:?}");
    }
}

const GOOD: &[&str] = &[
    "-k 1,1.0 f",
    "-k +1 f",
    "-k ' 1' f",
    "-k 99999999999999999999999 f",
    "-k 1.99999999999999999999999 f",
    "-di f",
    "-diR f",
    "-dV f",
    "-RV f",
    "-nf f",
    r"-t '\0' f",
    "-t a -t a f",
    r"-t '\0' -t '\0' f",
    "-S 0 f",
    "-S 101% f",
    "-S 100% f",
    "-S 1k f",
    "-S 1E f",
    "-S +5 f",
    "-S ' 5' f",
    "-S 5b f",
    "-S 5% f",
    "-S 1000% f",
    "-S 5g f",
    "-S 5m f",
    "-S 5t f",
    "-S 010 f",
    "--parallel=+1 f",
    "--batch-size=2 f",
    "--sort=n f",
    "--sort=ra f",
    "--sort=g f",
    "--co=cat f",
    "--re f",
    "-y f",
    "-y1 f",
    "--z f",
    "--p=1 f",
    "--di f",
    "--me f",
    "--mo f",
    "--n f",
    "--nu f",
    "--hu f",
    "--u f",
    "--t f",
    "--ignore-c f",
    "--ignore-n f",
    "--k=2 f",
    "-y 1 f",
    "-y5 f",
    "-y5",
    "+1 f",
    "+0 f",
    "+1 -2 f",
    "+1.2 -3.4n f",
    "f +1",
    "-r +1 f",
    "+1r -2n f",
    "+0 -0 f",
    "+0.0 -0.0 f",
    "+0 -k1 f",
    "-k1 +0 f",
    "+99999999999999999999 f",
    "+0 -99999999999999999999 f",
    "f +0 -1",
    "-T /nonexist f",
    "-T nofile -S 1 f",
    "-m --batch-size=2 -T nofolder f g",
    "--random-source=nofile f",
    "--random-source=a --random-source=a f",
    "-m --files0-from=list",
    "-Cr f",
    "-k2n -nM f",
    "-k2n -gM f",
    "-k2b -nM f",
    "-k2r -nM f",
    "-k1i -n f",
    "-i -n -k1r f",
    "-in -k1n f",
    "--sort=v -R f",
    "-V -R f",
    "-bdfir f",
    "-Vd f",
    "-Vi f",
    "-Ri f",
    "-Mf f",
    "- f",
    "-k1r,2r f",
    "-k1rr,2 f",
    "-k1,2bdfir f",
    "-k'1, 2' f",
    "-k'1,+2' f",
    "-k01 f",
    "-k1.01 f",
    "-k1.2b,1.0 f",
    "-k18446744073709551615 f",
    "-k1,18446744073709551616 f",
    "--sort=numeric -n f",
    "--sort=h f",
    "--sort=m f",
    "--sort=v f",
    "--sort=month f",
    "--sort=random f",
    "-S 1% f",
    "-S K f",
    "-S 18446744073709551615b f",
    "-S 18014398509481983 f",
    "-S 0b f",
    "-S 100000% f",
    "--parallel=' 3' f",
    "--batch-size=+3 f",
    "--batch-size=19997 f",
];

const DEBUG: &[&str] = &[
    "-k1,1",
    "-k1b,1",
    "-k2,1",
    "+0 -0",
    "+0 -1",
    "+1",
    "+1 -2",
    "+1 -2.1",
    "+1b -2.1b",
    "+18446744073709551614",
    "+18446744073709551615",
    "+99999999999999999999.2 -99999999999999999999",
    "+0 -99999999999999999999.3",
    "-k1.9,1.9",
    "-k2.1,2.3",
    "-k2.1b,2.3b",
    "-k2b,2.3",
    "-k2,2.3b",
    "-n",
    "-k2n",
    "-k2,3n",
    "-k2,2n",
    "-k2g",
    "-k2,2h",
    "-t: -k2,2n",
    "-t: -k2n",
    "-t. -n",
    "-t, -k1,1n",
    "-t- -n",
    "-t+ -g",
    "-g",
    "-M",
    "-h",
    "-V",
    "-R",
    "-d",
    "-b",
    "-bf",
    "-r",
    "-rs",
    "-ru",
    "-k2 -r",
    "-k2 -b",
    "-k1n -b",
    "-k1n -d",
    "-k1n -f",
    "-k1,1 -k2b -k3n -nb",
    "-k1n -k2n -n",
    "-k1,1n -rf",
    "-k1,1n -bdfir",
    "-k1,1b -b",
    "-k1,1b -r",
    "-s -k1,1n -r",
    "-u -k1,1n -r",
    "-k3,2.1",
    "-k3.2,2",
    "-k3,2n",
    "-n -k1,1r",
    "+0n -1r -b",
    "-g -k1,2",
    "-h -k1,2",
    "-M -k1,2",
    "-k2.3,2.1",
    "-k2.2n",
    "-k2.2,2n",
    "-k1.3",
    "-k1,2.1n",
    "-k2,2.3n",
    "-k2,3.1n",
    "-t, -k1n",
    "-t. -k1n",
    "-t- -k1n",
    "-t- -k1,1n",
    "-t- -k1g",
    "-t+ -k1g",
    "-t+ -k1n",
    "-tK -k1h",
    "-t, -k1g",
    "-t, -k1h",
    "-t, -k2n -n",
    "-t. -k1,1g",
    "-k1.2M,1",
    "-k1,1.3M",
    "+1.2 -3.4n",
    "-b -k2.2n",
    "-n -k2.2,2.3",
    "-k1,1n -k2,2n -h",
    "-k1V -d",
    "-k1d -f",
    "-k1,1r -rs",
    "-k1n -r +0",
    "-k99999999999999999999",
];
