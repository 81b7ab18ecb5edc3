//! Striped files never touch the files of others: whatever a damaged text names, a command removes
//! and replaces nothing but members of the set and generation in that text. And one file by two
//! paths is not two files.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::harness::{Folder, Random};

/// Numbers of the set in damaged texts, of its generation, and of a set and generation that are
/// not theirs.
const SET: &str = "5b0c1e77";
const GENERATION: &str = "380ee4b3";
const OTHER: &str = "0123abcd";

/// Members as a person might write them by mistake. `~` alone is what each member file is called
/// behind.
const MEMBERS: [&str; 16] = [
    "precious",
    "./precious",
    "sub/precious",
    "sub/../precious",
    "../outside",
    "/ABSOLUTE/outside",
    "link",
    "linked/precious",
    "sub/",
    "sub/.",
    "..",
    ".",
    "nowhere/precious",
    "precious~5b0c1e77380ee4b3",
    "set.str",
    "in",
];

/// What may stand in a text beside its members.
const WORDS: [&str; 9] = [
    "",
    "set 5b0c1e77\n",
    "set 0123abcd\n",
    "set 5b0c1e77\ngeneration 380ee4b3\n",
    "set 5b0c1e77\ngeneration 0123abcd\n",
    "generation 380ee4b3\n",
    "set 5b0c1e77\ngeneration 380ee4b3\nlength 9\n",
    "length 9\n",
    "set 5b0c1e77\nset 0123abcd\ngeneration 380ee4b3\nlength 9\n",
];

/// All that may remove or replace a file, or take a text for a place.
const COMMANDS: [&str; 9] = [
    "stripe remove set.str",
    "sort -o set.str in",
    "stripe copy in set.str",
    "merge -o set.str in in",
    "sort -T set.str -o out in",
    "sort set.str -o set.str",
    "spill clean set.str",
    "stripe create new.str MEMBERS",
    "sort --split 2 -T set.str -o out in",
];

/// A folder with files that are precious, and the folder in it where commands run.
fn folder() -> (Folder, PathBuf) {
    let folder = Folder::new();
    for name in ["work", "work/sub"] {
        fs::create_dir(folder.at(name)).expect("a directory");
    }
    let numbers = [(SET, OTHER), (OTHER, GENERATION), (OTHER, OTHER)];
    for place in ["outside", "work/precious", "work/sub/precious", "work/sub"] {
        if place != "work/sub" {
            folder.write(place, "precious\n");
        }
        for (set, generation) in numbers {
            folder.write(&format!("{place}~{set}{generation}"), "precious\n");
        }
    }
    symlink("precious", folder.at("work/link")).expect("a link");
    symlink("sub", folder.at("work/linked")).expect("a link");
    folder.write("work/in", "3\n1\n2\n");
    let work = folder.at("work");
    (folder, work)
}

/// All that lies below a directory: the contents of files, and where links lead.
fn contents(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).expect("read") {
        let path = entry.expect("an entry").path();
        if path.is_symlink() {
            let target = fs::read_link(&path).expect("a link");
            found.insert(path, target.into_os_string().into_encoded_bytes());
        } else if path.is_dir() {
            found.extend(contents(&path));
        } else {
            let content = fs::read(&path).expect("read");
            found.insert(path, content);
        }
    }
    found
}

/// Whether a text may dispose of a file: it has the numbers that the text names, or of the same set
/// where the generation in the text is whole.
fn is_own(path: &Path, text: &str) -> bool {
    let number = |word: &str| {
        let mut lines = text.lines().filter_map(|line| line.strip_prefix(word));
        lines.next_back().map(|number| number.trim().to_owned())
    };
    let name = path.to_string_lossy().into_owned();
    match number("set").zip(number("generation")) {
        Some((set, generation)) => {
            let is_numbered = name
                .rsplit_once('~')
                .is_some_and(|(_, numbers)| numbers.len() == 16 && numbers.starts_with(&set));
            is_numbered || name.ends_with(&format!("~{set}{generation}"))
        }
        None => false,
    }
}

#[test]
fn no_damaged_text_makes_a_command_touch_foreign_files() {
    let mut random = Random::fresh();
    let mut pick = |count: usize| (random.share() * count as f64) as usize;
    let mut trials: Vec<(String, Vec<&str>, &str)> = Vec::new();
    // The plain case of each command, then what chance brings.
    trials.extend(COMMANDS.map(|line| (String::new(), vec!["precious"], line)));
    for _ in 0..120 {
        let members = (0..1 + pick(3)).map(|_| MEMBERS[pick(MEMBERS.len())]).collect();
        trials.push((WORDS[pick(WORDS.len())].to_owned(), members, COMMANDS[pick(COMMANDS.len())]));
    }
    for (number, (words, members, line)) in trials.into_iter().enumerate() {
        let (folder, work) = folder();
        let absolute = folder.path().to_str().expect("text").to_owned();
        let members: Vec<String> =
            members.iter().map(|member| member.replace("/ABSOLUTE", &absolute)).collect();
        let mut text = format!("sortwell-stripe 1\nbase 4096\n{words}");
        for member in &members {
            text.push_str(&format!("member 1x - {member}\n"));
        }
        if number >= COMMANDS.len() && number % 4 == 3 {
            // A text of two columns owns no file at all.
            text = members.iter().map(|member| format!("{member} 1\n")).collect();
        }
        folder.write("work/set.str", &text);
        let before = contents(folder.path());
        let line = line.replace("MEMBERS", &members.join(" "));
        let words: Vec<&str> = line.split(' ').collect();
        let ran = folder.command(&words).current_dir(&work).output().expect("run");
        let status = ran.status.code();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(matches!(status, Some(0 | 2 | 3 | 4)), "{line}\n{text}{said}");
        let after = contents(folder.path());
        for (path, content) in before {
            let is_text = path.ends_with("set.str");
            let is_there = after.get(&path) == Some(&content);
            assert!(is_there || is_text || is_own(&path, &text), "{line}\n{text}{path:?}\n{said}");
        }
    }
}

/// The generation that a damaged text names is not there: what is there may be all there is.
#[test]
fn other_generations_stay_while_the_named_one_is_not_whole() {
    let folder = Folder::new();
    folder.write("in", "3\n1\n2\n");
    folder.run("stripe create set.str m").quietly();
    folder.run("stripe copy in set.str").quietly();
    let text = String::from_utf8(folder.read("set.str")).expect("text");
    let line = text.lines().find(|line| line.starts_with("generation ")).expect("a generation");
    let file = folder.names().into_iter().find(|name| name.starts_with("m~")).expect("a member");
    folder.write("set.str", text.replace(line, "generation 00000000"));
    folder.run("sort in -o set.str --split 2").fails(2, &["set.str"]);
    folder.run("sort in -o set.str").quietly();
    assert_eq!(folder.read(&file), b"3\n1\n2\n");
    assert_eq!(folder.run("stripe cat set.str").quietly(), b"1\n2\n3\n");
    // The text is sound again: what is left of before is no longer needed.
    folder.run("sort in -o set.str").quietly();
    assert!(!folder.at(&file).exists());
    folder.write("set.str", text.replace(line, ""));
    folder.run("stripe remove set.str").fails(3, &["set.str", "no generation"]);
}

#[test]
fn one_member_file_by_two_paths_is_refused() {
    let folder = Folder::new();
    fs::create_dir(folder.at("d")).expect("a directory");
    symlink("d", folder.at("link")).expect("a link");
    let data: String = (0..3000).rev().map(|number| format!("{number:05}\n")).collect();
    folder.write("in", &data);
    for other in ["./d/e", "link/e", "d/../d/e"] {
        folder.write(
            "set.str",
            format!("sortwell-stripe 1\nbase 4096\nmember 1x - d/e\nmember 1x - {other}\n"),
        );
        let words = ["set.str", "d/e", other, "two paths of one file"];
        folder.run("sort in -o set.str").fails(3, &words);
        folder.run("stripe info set.str").fails(3, &words);
        folder.run(&format!("stripe create new.str d/e {other}")).fails(2, &["d/e"]);
    }
    assert!(!folder.at("new.str").exists() && contents(&folder.at("d")).is_empty());
    // Through links alone it is a set like any other, from wherever its text is looked at.
    folder.run("stripe create set2.str link/a link/b").quietly();
    symlink("../set2.str", folder.at("d/elsewhere.str")).expect("a link");
    folder.run("sort in -o d/elsewhere.str").quietly();
    let expected: String = (0..3000).map(|number| format!("{number:05}\n")).collect();
    for name in ["set2.str", "link/elsewhere.str"] {
        assert_eq!(folder.run(&format!("stripe cat {name}")).quietly(), expected.as_bytes());
    }
}

/// Directories that are named twice, and those behind links, are as good as any.
#[test]
fn directories_by_several_paths() {
    let folder = Folder::new();
    fs::create_dir(folder.at("d")).expect("a directory");
    symlink("d", folder.at("link")).expect("a link");
    folder.write("in", "3\n1\n2\n");
    folder.run("sort in -o link/out").quietly();
    assert_eq!(folder.read("d/out"), b"1\n2\n3\n");
    folder.run("sort in -o link/parts --split 2").quietly();
    let data: String = (0..600_000).rev().map(|number| format!("{number:09}\n")).collect();
    folder.write("big", &data);
    let line = "sort big -o link/sorted -M 24MiB -T d -T ./d -T link --resume";
    folder.run(line).quietly();
    assert_eq!(folder.read("d/sorted").len(), data.len());
    folder.run("spill list link").quietly();
    let said = folder.run("spill clean link").quietly();
    assert!(String::from_utf8_lossy(&said).starts_with("0 leftovers"), "{said:?}");
    let names: Vec<_> = contents(&folder.at("d")).into_keys().collect();
    assert_eq!(
        names,
        ["out", "parts-1", "parts-2", "sorted"].map(|name| folder.at("d").join(name))
    );
}

#[test]
fn a_page_by_another_path_of_its_job_is_refused() {
    let folder = Folder::new();
    fs::create_dir(folder.at("d")).expect("a directory");
    symlink("d", folder.at("link")).expect("a link");
    folder.write("d/in", "3\n1\n2\n");
    for (output, page) in [
        ("d/out", "./d/out"),
        ("d/out", "link/out"),
        ("link/out", "d/../d/out"),
        ("d/out", "link/in"),
        ("d/out.csv", "link/out-1.csv"),
    ] {
        let split = if output.ends_with("csv") { "--split 2" } else { "" };
        let line = format!("sort d/in -o {output} --report {page} {split}");
        folder.run(&line).fails(2, &["would replace"]);
    }
    assert_eq!(contents(&folder.at("d")).into_keys().count(), 1);
}
