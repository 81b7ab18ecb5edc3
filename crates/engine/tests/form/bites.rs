//! Each rule is shown a fault it must find and something close to it that is none.

use crate::prose::page as page_faults;
use crate::rules;
use crate::source::Source;
use crate::text::absolute_paths;
use crate::{names, places};

const HEAD: &str = "//! What this file does.\n";
const PLACE: &str = "crates/engine/src/merge/tree.rs";

/// The lines and first words of what the rules find in a file that opens well.
fn found_at(path: &str, body: &str) -> Vec<(usize, String)> {
    let faults = rules::all(path, &format!("{HEAD}{body}"));
    let first = |words: &str| words.split(' ').next().unwrap_or_default().to_owned();
    faults.iter().map(|fault| (fault.line, first(&fault.words))).collect()
}

fn found(body: &str) -> Vec<(usize, String)> {
    found_at(PLACE, body)
}

fn at(line: usize, word: &str) -> Vec<(usize, String)> {
    vec![(line, word.to_owned())]
}

#[test]
fn a_good_file_has_no_fault() {
    assert_eq!(found("\nuse crate::io::File;\n\nfn f() {}\n\n#[cfg(test)]\nmod tests;\n"), []);
}

#[test]
fn a_head_comment_is_missed() {
    for content in
        ["", "fn f() {}\n", "// What this does.\n", "//!\n//! late\n", "\n//! late too\n"]
    {
        let faults = rules::all(PLACE, content);
        assert_eq!(faults.len(), 1, "{content:?}");
        let words = faults[0].to_string();
        assert!(words.starts_with("crates/engine/src/merge/tree.rs:1: no head comment"), "{words}");
    }
}

#[test]
fn long_files_are_found_and_tests_may_be_longer() {
    let body = |lines: usize| "//\n".repeat(lines - 1);
    assert_eq!(found(&body(500)), []);
    assert_eq!(found(&body(501)), at(501, "501"));
    let tests = "crates/engine/src/merge/tree/tests.rs";
    assert_eq!(found_at(tests, &body(800)), []);
    assert_eq!(found_at(tests, &body(801)), at(801, "801"));
    assert_eq!(found_at("crates/engine/tests/any.rs", &body(800)), []);
}

#[test]
fn wide_lines_are_counted_in_characters() {
    let wide = |columns: usize| format!("//{}\n", "é".repeat(columns - 2));
    assert_eq!(found(&wide(100)), []);
    assert_eq!(found(&wide(101)), at(2, "101"));
}

#[test]
fn empty_names_are_found() {
    assert_eq!(found_at("crates/cli/src/utils/size.rs", ""), at(1, "'utils'"));
    assert_eq!(found_at("crates/cli/src/common.rs", ""), at(1, "'common'"));
    assert_eq!(found_at("crates/cli/src/commons.rs", ""), []);
}

#[test]
fn left_over_code_is_found_outside_strings_and_comments() {
    assert_eq!(found("fn f() {\n    dbg!(1);\n}\n"), at(3, "dbg!"));
    assert_eq!(found("fn f() {\n    todo!()\n}\n"), at(3, "todo!"));
    assert_eq!(found("fn f() {\n    unimplemented!()\n}\n"), at(3, "unimplemented!"));
    assert_eq!(found("// no dbg!(x) here\nconst A: &str = \"todo!\";\n"), []);
}

#[test]
fn left_over_words_are_found_in_comments() {
    for word in ["TODO", "FIXME", "XXX"] {
        assert_eq!(found(&format!("// {word}: later\n")), at(2, word));
        assert_eq!(found(&format!("fn f() {{}} // {word}\n")), at(2, word));
        assert_eq!(found(&format!("/* one\n {word} */\n")), at(3, word));
        assert_eq!(found(&format!("// {word}(#12): later\n")), []);
        assert_eq!(found(&format!("const {word}S: &str = \"{word}\";\n")), []);
    }
}

#[test]
fn tests_inside_a_file_are_found() {
    assert_eq!(found("#[cfg(test)]\nmod tests {\n}\n"), at(3, "tests"));
}

#[test]
fn unsafe_stays_behind_its_fence() {
    assert_eq!(found("unsafe fn f() {}\n"), at(2, "unsafe"));
    assert_eq!(found("fn f() {\n    unsafe { g() }\n}\n"), at(3, "unsafe"));
    assert_eq!(found("#![deny(unsafe_code)]\n// unsafe\nconst A: &str = \"unsafe\";\n"), []);
    assert_eq!(found_at("crates/engine/src/io/arena.rs", "unsafe fn f() {}\n"), []);
    assert_eq!(found_at("crates/engine/src/incore/gather.rs", "unsafe fn f() {}\n"), []);
    assert_eq!(found_at("crates/engine/src/iox.rs", "unsafe fn f() {}\n").len(), 2);
}

#[test]
fn long_functions_are_found() {
    let function = |lines: usize| format!("fn long() {{\n{}}}\n", "    g();\n".repeat(lines - 2));
    assert_eq!(found(&function(70)), []);
    assert_eq!(found(&function(71)), at(2, "long"));
    let in_trait = "trait T {\n    fn a(x: [u8; 4]);\n    const F: fn(u8) = g;\n}\n";
    assert_eq!(found(&format!("{in_trait}{}", "//\n".repeat(80))), []);
    let braces = "fn f() {\n    let a = ('{', \"{{{\", r#\"{\"#); // {\n}\n";
    assert_eq!(found(&format!("{braces}{}", "//\n".repeat(80))), []);
}

#[test]
fn parameters_that_are_tuples_are_found() {
    for parameters in [
        "(a, b): (u8, u8)",
        "pair: (u8, u8)",
        "one: u8, pair: &'a mut (u8, Vec<u8>)",
        "one: u8, pair: &(u8, u8), two: u8",
        "&self, &(a, b): &(u8, u8)",
        "one: (u8,)",
    ] {
        assert_eq!(found(&format!("fn f({parameters}) {{}}\n")), at(2, "f"), "{parameters}");
        let generic = format!("fn f<'a, F: Fn(u8, u8) -> u8>(\n    {parameters},\n) {{}}\n");
        assert_eq!(found(&generic), at(2, "f"), "{parameters}");
    }
    for parameters in [
        "",
        "(): ()",
        "&mut self, one: u8",
        "error: &(dyn Error + 'static)",
        "pairs: &[(u8, u8)]",
        "pair: Option<(u8, u8)>",
        "act: impl Fn((u8, u8)) -> (u8, u8)",
        "act: fn(u8, u8)",
        "Pair(a, b): Pair",
        "[a, b]: [u8; 2]",
        "path: std::path::PathBuf",
    ] {
        let body = "{\n    let add = |(a, b): (u8, u8)| a + b;\n}\n";
        assert_eq!(found(&format!("fn f({parameters}) -> (u8, u8) {body}")), [], "{parameters}");
    }
    let test = "crates/engine/src/merge/tree/tests.rs";
    assert_eq!(found_at(test, "fn f((a, b): (u8, u8)) {}\n"), []);
}

#[test]
fn layers_use_only_layers_before_them() {
    assert_eq!(found("use crate::{Error, io::File, key::{Key, KeyError}};\n"), []);
    assert_eq!(found("use crate::plan::Plan;\n"), at(2, "merge"));
    assert_eq!(found("use crate::{io, output::{Sink, Part}};\n"), at(2, "merge"));
    assert_eq!(found("fn f() {\n    crate::job::run();\n}\n"), at(3, "merge"));
    assert_eq!(found("/// See [`crate::job::SortJob`].\nstruct F;\n"), []);
    assert_eq!(
        found_at("crates/engine/src/units.rs", "use crate::error::Error;\n"),
        at(2, "units")
    );
    assert_eq!(found_at("crates/engine/src/merge/tests.rs", "use crate::job::SortJob;\n"), []);
    assert_eq!(found_at("crates/engine/src/lib.rs", "pub use crate::job::SortJob;\n"), []);
    assert_eq!(found_at("crates/cli/src/main.rs", "use crate::command;\n"), []);
}

#[test]
fn a_layer_without_a_place_is_found() {
    assert_eq!(found_at("crates/engine/src/cellar/mod.rs", ""), at(1, "layer"));
}

#[test]
fn options_in_texts_of_the_library_are_found() {
    assert_eq!(found("const A: &str = \"give more --memory\";\n"), at(2, "--memory"));
    assert_eq!(found("const A: &str = \"one\n    --io sync\";\n"), at(3, "--io"));
    assert_eq!(found("// --memory\nconst A: &str = \"a -- b --- c --1 --\";\n"), []);
    assert_eq!(found("const A: &str = \"compress it without --long\";\n"), []);
    let option = "const A: &str = \"--memory\";\n";
    assert_eq!(found_at("crates/engine/src/merge/tests.rs", option), []);
    assert_eq!(found_at("crates/cli/src/wording.rs", option), []);
}

#[test]
fn commands_in_texts_of_the_library_are_found() {
    assert_eq!(found("const A: &str = \"see 'sortwell calibrate'\";\n"), at(2, "'sortwell"));
    assert_eq!(found("const A: &str = \"sortwell \\\n    spill\";\n"), at(2, "'sortwell"));
    assert_eq!(found("const A: &str = \"a type sortwell knows; sortwell-check\";\n"), []);
    assert_eq!(found("/// See `sortwell calibrate`.\nstruct F;\n"), []);
}

#[test]
fn a_library_that_prints_or_exits_is_found() {
    assert_eq!(found("fn f() {\n    eprintln!(\"x\");\n}\n"), at(3, "eprintln!"));
    assert_eq!(found("fn f() {\n    std::process::exit(1);\n}\n"), at(3, "process::exit"));
    assert_eq!(found("fn f() {\n    blueprint!();\n    process::exit_code();\n}\n"), []);
    assert_eq!(found_at("crates/cli/src/main.rs", "fn f() {\n    println!();\n}\n"), []);
}

#[test]
fn places_on_one_machine_are_found() {
    let found = |text: &str| absolute_paths("README.md", text).len();
    for folder in ["work", "root", "tmp", "home"] {
        assert_eq!(found(&format!("see /{folder}/main\n")), 1);
        assert_eq!(found(&format!("(/{folder})\n")), 1);
        assert_eq!(found(&format!("https://example.org/{folder}/main\n")), 0);
        assert_eq!(found(&format!("target/{folder}/x ~/{folder} $DIR/{folder} /{folder}ed\n")), 0);
    }
    assert_eq!(found_at("crates/cli/src/main.rs", "// see /tmp/x\n"), at(2, "/tmp"));
    assert_eq!(found_at("crates/cli/tests/x.rs", "// see /tmp/x\n"), []);
}

#[test]
fn code_is_told_from_comments_and_strings() {
    let file = "let a = 'x'; // one\n\
                fn f<'a>(b: &'a str) { \"two // {\" } /* three /* four */ } */ g()\n\
                let c = br#\"five \" }\"# + '\\'' + b'{' + r#type;\n";
    let source = Source::new(file);
    let code: Vec<&str> = source.code.lines().map(str::trim_end).collect();
    assert_eq!(code[0], "let a = 'x';");
    assert!(code[1].starts_with("fn f<'a>(b: &'a str) {") && code[1].ends_with("g()"));
    assert_eq!(code[1].matches(['{', '}']).count(), 2);
    assert!(code[2].ends_with("+ '\\'' + b'{' + r#type;"), "{}", code[2]);
    assert!(!code[2].contains("five"));
    let words = source.comments.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.starts_with("one three /* four */ }"), "{words}");
    let texts = source.strings.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(texts.starts_with("two // {") && texts.contains("five"), "{texts}");
    assert!(!texts.contains(['x', 'b', 'g']), "{texts}");
    assert_eq!(source.code.lines().count(), file.lines().count());
    assert_eq!(source.strings.lines().count(), file.lines().count());
}

#[test]
fn replaced_words_in_texts_are_found() {
    assert_eq!(found("const A: &str = \"the sort hangs on it\";\n"), at(2, "'hangs"));
    assert_eq!(found("const A: &str = \"one go \\\n    on with it\";\n"), at(2, "'go"));
    assert_eq!(found("const A: &str = \"what is toldest; if there is none\";\n"), []);
    assert_eq!(found("// told\nfn told() {}\n"), []);
    let script = crate::prose::script("page.js", "// told\nlet told = `it is told: ${1}`;\n");
    assert_eq!(script.len(), 1, "{script:?}");
    let words = "const A: &str = \"foretold\";\n";
    assert_eq!(found_at("crates/engine/src/merge/tests.rs", words), []);
    let help = "crates/cli/src/command/join.rs";
    assert_eq!(found_at(help, "/// Sort behind the header\nstruct F;\n"), at(2, "'behind':"));
    assert_eq!(found_at(help, "/// Whether to sort\nstruct F;\n")[1..], at(2, "opens"));
    assert_eq!(found_at(help, "/// Sort\n/// what is there\nstruct F;\n"), []);
}

#[test]
fn pages_are_in_plain_language() {
    let found = |page: &str| {
        let faults = page_faults("docs/any.md", page);
        faults.iter().map(|fault| (fault.line, fault.words.clone())).collect::<Vec<_>>()
    };
    assert_eq!(found("# Sorting\n\nIt sorts. `told`\n\n```sh\necho told\n```\n| told |\n"), []);
    assert_eq!(found("a\n\nIt is\ntold.\n")[0].0, 3, "the line of the paragraph");
    assert_eq!(found("## What is sorted\n").len(), 1);
    assert_eq!(found("## Whatever\n[told](told.md)\n").len(), 1, "the text of a link counts");
    let long = |words: usize| format!("{}end.\n", "word ".repeat(words - 1));
    assert_eq!(found(&format!("{}{}", long(19), "\nOne. Two.\n")), []);
    assert_eq!(found(&long(20)).len(), 1, "the mean");
    assert_eq!(found(&format!("{}\nOne. Two. Three.\n", long(41))).len(), 1, "one sentence");
    assert_eq!(page_faults("docs/reference.md", &long(41)), [], "generated");
}

#[test]
fn comments_of_functions_that_do_not_begin_with_a_verb_are_found() {
    assert_eq!(found("/// Returns the size.\n#[inline]\npub(crate) const fn f() {}\n"), []);
    assert_eq!(found("/// The size.\npub fn f() {}\n"), at(2, "'The'"));
    assert_eq!(found("/// Its size.\n#[inline]\nfn f() {}\n"), at(2, "'Its'"));
    assert_eq!(found("/// The size of a page.\nconst SIZE: usize = 1;\n"), []);
    assert_eq!(found("/// How large a page is.\nconst SIZE: usize = 1;\n"), at(2, "'How'"));
}

#[test]
fn imports_of_the_engine_in_the_command_are_found() {
    let import = "use sortwell_engine::Result;\n";
    assert_eq!(found_at("crates/cli/src/command/sort.rs", import), at(2, "the"));
    assert_eq!(found_at("crates/sortwell/src/lib.rs", import), []);
}

#[test]
fn types_of_two_files_are_found() {
    let file = |path: &str, content: &str| (path.to_owned(), content.to_owned());
    let files = |second: &str| {
        let first = "pub struct Part;\npub enum Kind {}\ntype Short = u8;\n";
        vec![file("crates/a/src/one.rs", first), file("crates/b/src/two.rs", second)]
    };
    let found = |second: &str, known: &[(&str, usize)]| {
        names::unique(&files(second), known)
            .into_iter()
            .map(|fault| fault.words)
            .collect::<Vec<_>>()
    };
    assert_eq!(found("struct Other;\n    type Short = u8;\n// struct Part;\n", &[]), [""; 0]);
    for second in ["trait Part {}\n", "fn f() {\n    struct Part;\n}\n", "pub(super) enum Kind {}"]
    {
        assert_eq!(found(second, &[]).len(), 1, "{second}");
    }
    assert_eq!(
        found("type Short = u8;", &[])[0],
        "Short is a type of crates/a/src/one.rs, \
                crates/b/src/two.rs; rename one"
    );
    assert_eq!(found("struct Part;", &[("Part", 2)]), [""; 0]);
    assert_eq!(found("struct Part;", &[("Part", 3)]).len(), 1, "a list that is too long");
    assert_eq!(found("", &[("Part", 2)]).len(), 1, "a name that is unique now");
    let tests =
        [file("crates/a/src/one/tests.rs", "struct A;"), file("crates/a/src/b.rs", "struct A;")];
    assert_eq!(names::unique(&tests, &[]), [], "tests have names of their own");
}

#[test]
fn rows_of_places_that_are_not_true_are_found() {
    let files: Vec<(String, String)> = [
        (
            "crates/engine/src/io/mod.rs",
            "pub enum Engine {\n    Ring,\n    Pool,\n    Plain,\n}\n\
            use ring::Ring;\n",
        ),
        ("crates/engine/src/io/ring.rs", "impl Queue for Ring {}\n"),
        (
            "crates/engine/src/plan.rs",
            "use crate::io::{Engine, ring::Ring};\n\
            match a {\n    Engine::Ring => 1,\n    Engine::Pool => 2,\n    _ => 3,\n}\n",
        ),
        ("crates/engine/src/job.rs", "if engine == Engine::Plain {}\n"),
        ("docs/io.md", "# Engines\n"),
    ]
    .map(|(path, content)| (path.to_owned(), content.to_owned()))
    .into();
    let found = |cells: &str| {
        let page = format!(
            "# A\n\n## Places to change\n\n| change | files |\n| --- | --- |\n\
            | an engine | {cells} |\n\n## B\n\n| a | `b.rs` |\n"
        );
        let faults = places::breaches(&page, &files);
        faults.into_iter().map(|fault| fault.words).collect::<Vec<_>>()
    };
    let member = "one file in `io/` that implements `Queue`";
    let whole = format!("{member}, and a variant of `Engine`: `io/mod.rs`, `plan.rs`");
    assert_eq!(found(&whole), [""; 0]);
    assert_eq!(found("`io/mod.rs`, `plan.rs`, [engines](docs/io.md)"), [""; 0]);
    let words = found(&format!("{member}, and a variant of `Engine`: `io/mod.rs`")).join(" ");
    assert!(words.contains("plan.rs names 2 of 3 of Engine"), "{words}");
    assert!(words.contains("plan.rs knows Ring of crates/engine/src/io/ring.rs"), "{words}");
    for untrue in [
        "`io/none.rs`",
        "`no/`, `plan.rs`",
        "[engines](docs/none.md), `plan.rs`",
        "whatever seems right",
        "a variant of `Motor`: `plan.rs`",
        "a variant of `Engine`: `plan.rs`",
        "one file in `io/` that implements `Nothing`, `plan.rs`",
    ] {
        assert_eq!(found(untrue).len(), 1, "{untrue}: {:?}", found(untrue));
    }
}
