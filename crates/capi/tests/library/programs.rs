//! Example programs, built through pkg-config and run: their results against `qsort` and the
//! command.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{command, installation, is_there, left_out, succeeded};

#[test]
fn files_are_sorted_as_by_the_command() {
    let Some(installed) = installation() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("in.csv"), "name,amount\nAnn,7\nBob,30\nCid,-1\n").expect("an input");
    let mut example = installed.call(&installed.program("examples/sort_file.c"));
    example.arg(at("c.csv")).arg(at("in.csv")).args(["--", "key=amount:decimal:desc"]);
    let statistics = succeeded(&mut example);
    assert!(statistics.contains("\"records\":3"), "{statistics}");
    let mut ours = Command::new(command());
    ours.args(["sort", "-k", "amount:decimal:desc", "-o"]).arg(at("command.csv"));
    succeeded(ours.arg(at("in.csv")));
    let [c, command] = ["c.csv", "command.csv"].map(|name| fs::read(at(name)).expect("an output"));
    assert_eq!(c, command);
    let mut wrong = installed.call(&installed.program("examples/sort_file.c"));
    let wrong = wrong.arg(at("c.csv")).arg(at("in.csv")).args(["--", "key=none"]).output();
    let wrong = wrong.expect("the example");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("none"), "{wrong:?}");
}

#[test]
fn the_program_of_the_guide_runs() {
    let Some(installed) = installation() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("orders.csv"), "name,amount\nAnn,7\nBob,30\n").expect("orders");
    let mut call = installed.call(&installed.program("examples/orders.c"));
    succeeded(call.current_dir(&folder));
    let sorted = fs::read_to_string(folder.path().join("sorted.csv")).expect("an output");
    assert_eq!(sorted, "name,amount\nBob,30\nAnn,7\n");
}

#[test]
fn lines_are_pushed_and_pulled() {
    let Some(installed) = installation() else { return };
    let mut example = installed.call(&installed.program("examples/push_pull.c"));
    example.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = example.spawn().expect("the example");
    let mut input = child.stdin.take().expect("its input");
    input.write_all(b"b 10\na 9\nc -3\nd 9\n").expect("lines");
    drop(input);
    let output = child.wait_with_output().expect("its output");
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "c -3\na 9\nd 9\nb 10\n");
}

#[test]
fn callbacks_make_keys_and_take_records() {
    let Some(installed) = installation() else { return };
    let program = installed.program("examples/callbacks.c");
    for points in ["0", "1", "100000"] {
        let printed = succeeded(installed.call(&program).arg(points));
        assert_eq!(printed, format!("{points} points in order\n"));
    }
}

#[test]
fn selected_and_counted_records_are_taken_whole() {
    let Some(installed) = installation() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let program = installed.program("tests/c/shapes.c");
    assert_eq!(succeeded(installed.call(&program).current_dir(&folder)), "");
}

#[test]
fn records_are_sorted_as_by_qsort() {
    let Some(installed) = installation() else { return };
    let program = installed.program("tests/c/quicksort.c");
    for records in ["0", "1", "2", "1000", "65535", "200000"] {
        assert_eq!(succeeded(installed.call(&program).arg(records)), "equal\n");
    }
}

#[test]
fn comparisons_and_passes_apart_sort_as_qsort() {
    let Some(installed) = installation() else { return };
    let program = installed.program("tests/c/passes.c");
    for (records, runs) in [("0", "0 runs\n"), ("1", "1 runs\n"), ("400000", "2 runs\n")] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut call = installed.call(&program);
        assert_eq!(succeeded(call.arg(records).arg(folder.path())), runs);
    }
}

#[test]
fn the_static_library_links_too() {
    let Some(installed) = installation() else { return };
    let built = tempfile::tempdir().expect("a folder");
    let program = built.path().join("program");
    let mut compiler = Command::new("cc");
    let file = crate::harness::source("examples/callbacks.c");
    compiler.args(["-std=c99", "-o"]).arg(&program).arg(file);
    compiler.args(installed.flags(&["--cflags"])).arg(installed.at("lib/libsortwell.a"));
    let libraries = installed.flags(&["--libs", "--static"]);
    compiler.args(libraries.iter().filter(|word| !word.contains("sortwell")));
    succeeded(&mut compiler);
    assert_eq!(succeeded(Command::new(program).arg("10")), "10 points in order\n");
}

#[test]
fn memory_is_used_correctly() {
    let Some(installed) = installation() else { return };
    if !is_there("valgrind") {
        left_out("there is no valgrind");
        return;
    }
    let runs = [("quicksort", "90000"), ("bad_use", "null_arguments"), ("bad_use", "callbacks")];
    for (name, argument) in runs {
        let program = installed.program(&format!("tests/c/{name}.c"));
        let mut call = installed.call(Path::new("valgrind"));
        call.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]);
        call.args(["--errors-for-leak-kinds=definite", "--show-leak-kinds=definite"]);
        succeeded(call.arg(program).arg(argument));
    }
}
