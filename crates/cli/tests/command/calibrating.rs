//! Measurements of a machine are noted, and used.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::harness::Folder;

/// A folder with two directories and a profile of all that can be measured, quickly.
fn calibrated() -> Folder {
    let folder = Folder::new();
    for name in ["one", "two"] {
        std::fs::create_dir(folder.at(name)).expect("a directory");
    }
    let how = "--seconds 1 --profile machine.toml";
    // A directory that is given twice is one disk.
    let line = format!("calibrate disk one two ./one --stripe set.str {how}");
    let words = folder.run(&line).quietly();
    let words = String::from_utf8(words).expect("text");
    for part in ["disk ", "/one, ", "/two, ", "speed ", "together read", "strides ", "set.str: 2 "]
    {
        assert!(words.contains(part), "'{part}' is missing:\n{words}");
    }
    let text = String::from_utf8(folder.read("set.str")).expect("text");
    assert_eq!(text.matches("member 1x - ").count(), 2, "one disk, equal strides: {text}");
    let line = format!("calibrate disk one --stripe-for read {how}");
    folder.run(&line).fails(2, &["--stripe"]);
    let words = folder.run(&format!("calibrate memory {how}")).quietly();
    assert!(String::from_utf8(words).expect("text").contains("could be used"));
    let words = folder.run(&format!("calibrate cpu one {how}")).quietly();
    assert!(String::from_utf8(words).expect("text").contains("records  in memory"));
    folder
}

#[test]
fn times_are_foretold_of_a_machine_that_was_measured() {
    let folder = calibrated();
    assert_eq!(folder.names(), ["machine.toml", "one", "set.str", "two"], "nothing else is left");
    for name in ["one", "two"] {
        assert_eq!(std::fs::read_dir(folder.at(name)).expect("read").count(), 0);
    }
    folder.run("generate 200000 one/in").quietly();
    let words = "-F fixed:100 -k 0..10 -M 64MiB -o one/out one/in";
    let told = folder.run(&format!("explain --profile machine.toml {words}")).quietly();
    let told = String::from_utf8(told).expect("text");
    assert!(told.contains("\ntime     ") && told.contains(" s writing output ("), "{told}");
    let sorted = folder.run(&format!("sort --stats json --profile machine.toml {words}"));
    assert_eq!(sorted.status, 0, "{sorted:?}");
    let statistics: serde_json::Value = serde_json::from_str(&sorted.words).expect("JSON");
    let phases = statistics["prediction"]["phases"].as_array().expect("phases");
    assert!(phases.iter().any(|phase| phase["phase"] == "writing"), "{statistics}");
    assert!(statistics["prediction"]["seconds"].as_f64().expect("seconds") > 0.0);
    // The striped file that was defined is one.
    folder.run("stripe copy one/in set.str").quietly();
    let told = folder.run("explain --profile machine.toml -F fixed:100 set.str -o set.str");
    assert!(String::from_utf8(told.quietly()).expect("text").contains(" s writing output"));
    // And the disks of its members are those of runs that lie striped over them.
    let words = "-F fixed:100 -M 32MiB -T set.str -o one/out one/in";
    let told = folder.run(&format!("explain --form json --profile machine.toml {words}"));
    let told: serde_json::Value = serde_json::from_slice(&told.quietly()).expect("JSON");
    let phases = told["prediction"]["phases"].as_array().expect("phases");
    let is_spilling = |phase: &serde_json::Value| {
        phase["phase"] == "run-generation" && phase["disk_seconds"].as_f64() > Some(0.0)
    };
    assert!(phases.iter().any(is_spilling), "{told}");
}

#[test]
fn without_a_profile_nothing_is_foretold() {
    let folder = Folder::new();
    folder.write("in", b"b\na\n");
    folder.write("none.toml", b"version = 1\n");
    folder.write("bad.toml", b"version = 1\nspeed = 7\n");
    let explain = |more: &str| {
        String::from_utf8(folder.run(&format!("explain {more} in")).quietly()).expect("text")
    };
    assert!(explain("--profile none.toml").contains("calibrate cpu"), "what to do is said");
    folder.run("sort --profile bad.toml in").fails(3, &["bad.toml", "speed", "calibrate"]);
    folder.run("sort --profile nowhere.toml in").fails(4, &["nowhere.toml"]);
    folder.run("calibrate disk nowhere --profile a.toml").fails(4, &["nowhere"]);
    let words = ["cannot create a directory for the measurement in nowhere"];
    folder.run("calibrate cpu nowhere --profile a.toml").fails(4, &words);
    folder.run("calibrate memory --margin 999TiB --profile a.toml").fails(2, &["--margin 999 TiB"]);
    std::fs::create_dir_all(folder.at("config/sortwell")).expect("a directory");
    folder.write("config/sortwell/machine.toml", b"version = 1\nspeed = 7\n");
    let said = folder.run("sort in");
    assert!(said.status == 0 && said.words.contains("with 'sortwell calibrate'"), "{said:?}");
}

/// The message of a profile that is not valid says to make a new one with calibrate.
#[test]
fn a_profile_that_is_not_valid_makes_room_for_a_new_one() {
    let folder = Folder::new();
    folder.write("in", b"b\na\n");
    let line = "calibrate memory --seconds 1 --profile machine.toml";
    let wrong: [&[u8]; 3] = [b"version = 1\nspeed = 7\n", b"version = 2\n", b"\xff"];
    for (number, text) in (1..).zip(wrong) {
        folder.write("machine.toml", text);
        folder
            .run("sort --profile machine.toml in")
            .fails(3, &["machine.toml", "'sortwell calibrate'"]);
        let said = folder.run(line);
        let old = format!("machine.toml.old-{number}");
        assert_eq!((said.status, said.words.lines().count()), (0, 1), "{said:?}");
        for part in ["sortwell: machine.toml: ", "starting a new profile", &old] {
            assert!(said.words.contains(part), "'{part}' is missing: {}", said.words);
        }
        assert_eq!(folder.read(&old), text);
        folder.run("explain --profile machine.toml in").quietly();
    }
    folder.run(line).quietly();
    let olds = [1, 2, 3].map(|number| format!("machine.toml.old-{number}"));
    let names = ["in", "machine.toml", &olds[0], &olds[1], &olds[2]];
    assert_eq!(folder.names(), names);
}

/// A profile is text, so this is said before anything is measured.
#[test]
fn a_directory_whose_name_is_not_utf_8_is_refused() {
    let folder = Folder::new();
    let name = OsStr::from_bytes(b"\xff");
    std::fs::create_dir(folder.path().join(name)).expect("a directory");
    std::os::unix::fs::symlink(name, folder.at("link")).expect("a link");
    let line = "calibrate disk link --seconds 1 --profile machine.toml";
    folder.run(line).fails(2, &["not UTF-8", "name a directory of the same disk"]);
}

#[test]
fn threads_of_a_measurement_that_cannot_be_started() {
    let folder = Folder::new();
    for name in ["one", "two"] {
        std::fs::create_dir(folder.at(name)).expect("a directory");
    }
    for line in ["calibrate memory", "calibrate disk one two"] {
        let line = format!("{line} --seconds 1 --profile machine.toml");
        folder.run_without_threads(&line).fails(4, &["cannot start a thread"]);
    }
    assert_eq!(folder.names(), ["one", "two"], "nothing was measured, so there is no profile");
    for name in ["one", "two"] {
        assert_eq!(std::fs::read_dir(folder.at(name)).expect("read").count(), 0);
    }
}
