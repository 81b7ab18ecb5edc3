//! The header against the standards of C and C++, the symbols of the library and the version.

use std::fs;
use std::process::Command;

use crate::harness::{installation, source, succeeded};

/// All C files of the crate.
fn files() -> Vec<String> {
    let folders = ["examples", "tests/c"];
    let names = folders.iter().flat_map(|folder| {
        let entries = fs::read_dir(source(folder)).expect("a folder");
        entries.map(move |entry| {
            let name = entry.expect("a file").file_name();
            format!("{folder}/{}", name.to_string_lossy())
        })
    });
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".c")).collect();
    names.sort();
    assert!(names.len() > 5, "the programs were not found: {names:?}");
    names
}

/// Returns the functions that the header declares.
fn declared() -> Vec<String> {
    let header = fs::read_to_string(source("include/sortwell.h")).expect("the header");
    let (_, code) = header.split_once("extern \"C\" {").expect("declarations");
    let mut code = code.to_owned();
    while let Some((before, rest)) = code.split_once("/*") {
        let (_, after) = rest.split_once("*/").expect("the end of a comment");
        code = format!("{before}{after}");
    }
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '(');
    let calls = words.filter_map(|word| word.strip_suffix('(').or(word.split_once('(')?.0.into()));
    let mut names: Vec<String> =
        calls.filter(|name| name.starts_with("sortwell_")).map(str::to_owned).collect();
    names.sort();
    names
}

#[test]
fn programs_compile_as_c_and_as_cpp() {
    let Some(installed) = installation() else { return };
    let flags = installed.flags(&["--cflags"]);
    let standards = [("cc", "c", "c99"), ("cc", "c", "c11"), ("c++", "c++", "c++17")];
    for (compiler, language, standard) in standards {
        for file in files() {
            let mut call = Command::new(compiler);
            call.args(["-x", language, &format!("-std={standard}"), "-fsyntax-only"]);
            call.args(["-Wall", "-Wextra", "-pedantic", "-Werror"]).args(&flags);
            succeeded(call.arg(source(&file)));
        }
    }
}

#[test]
fn the_functions_of_the_header_are_exported_with_a_version() {
    let Some(installed) = installation() else { return };
    let mut call = Command::new("readelf");
    let table = succeeded(call.args(["--dyn-syms", "-W"]).arg(installed.at("lib/libsortwell.so")));
    let symbols = table.lines().filter(|line| line.contains(" FUNC ") && !line.contains(" UND "));
    let mut exported: Vec<String> = symbols
        .map(|line| {
            let name = line.split_whitespace().last().expect("a name");
            let (name, version) = name.split_once("@@").expect("a version");
            assert_eq!(version, "SORTWELL_0", "{line}");
            name.to_owned()
        })
        .collect();
    exported.sort();
    assert_eq!(exported, declared());
    assert!(exported.len() > 20, "{exported:?}");
}

#[test]
fn pages_show_parts_of_the_examples() {
    let read = |path: &str| fs::read_to_string(source(path)).expect("a file");
    let examples: Vec<String> = files().iter().map(|path| read(path)).collect();
    for (page, count) in [("../../README.md", 1), ("../../docs/guide/c.md", 4)] {
        let page_text = read(page);
        let blocks: Vec<&str> = page_text.split("```c\n").skip(1).collect();
        assert_eq!(blocks.len(), count, "blocks of {page}");
        for block in blocks {
            let block = block.split("```").next().unwrap_or_default();
            let is_shown = examples.iter().any(|example| example.contains(block));
            assert!(is_shown, "{page}: no example has these lines:\n{block}");
        }
    }
}

#[test]
fn the_library_has_a_name_for_its_version() {
    let Some(installed) = installation() else { return };
    let mut call = Command::new("readelf");
    let dynamic = succeeded(call.args(["-d", "-W"]).arg(installed.at("lib/libsortwell.so")));
    assert!(dynamic.contains("[libsortwell.so.0]"), "{dynamic}");
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(installed.flags(&["--modversion"]), [version]);
    let header = fs::read_to_string(installed.at("include/sortwell.h")).expect("the header");
    assert!(header.contains(&format!("#define SORTWELL_VERSION \"{version}\"")));
    let number = version
        .split('.')
        .fold(0, |number, part| number * 100 + part.parse::<u32>().expect("a number"));
    assert!(header.contains(&format!("#define SORTWELL_VERSION_NUMBER {number}\n")));
}
