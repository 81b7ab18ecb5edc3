//! Statistics of sorts and the finding of a bench become a page; what is neither is refused, and
//! nothing is left behind.

use crate::harness::{Folder, random_records};

/// A folder with the statistics of a sort in one pass, and of one in two, which said more.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("in", random_records(400_000, 100));
    for (name, memory) in [("one.json", "256MiB"), ("two.json", "34MiB")] {
        let words = format!("sort -F fixed:100 -k 0..10 -M {memory} -j 2 --stats json -o out in");
        let sorted = folder.run(&words);
        assert_eq!(sorted.status, 0, "{sorted:?}");
        folder.write(name, format!("words of before\n{}", sorted.words));
    }
    std::fs::remove_file(folder.at("in")).expect("an input");
    std::fs::remove_file(folder.at("out")).expect("an output");
    folder
}

/// The sorts that a page holds.
fn sorts(page: &[u8]) -> serde_json::Value {
    let page = str::from_utf8(page).expect("text");
    let (_, after) = page.split_once("id=\"sorts\">").expect("data");
    let (data, _) = after.split_once("</script>").expect("its end");
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn a_page_is_made_of_one_sort_or_several() {
    let folder = folder();
    assert!(folder.run("report one.json -o one.html").quietly().is_empty());
    let page = folder.read("one.html");
    assert!(page.starts_with(b"<!DOCTYPE html>") && page.ends_with(b"</html>\n"));
    let one = sorts(&page);
    assert_eq!((&one[0]["name"], &one[0]["stats"]["passes"]), (&"one.json".into(), &1.into()));
    assert_eq!(one[0]["stats"]["records"], 400_000);

    folder.run("report one.json two.json --output one.html").quietly();
    let both = sorts(&folder.read("one.html"));
    assert_eq!(both.as_array().map(Vec::len), Some(2));
    assert_eq!(both[1]["stats"]["passes"], 2);
    assert_eq!(folder.names(), ["one.html", "one.json", "two.json"], "and nothing else");
}

#[test]
fn a_page_goes_through_pipes() {
    let folder = Folder::new();
    let stats = r#"{"records":1,"bytes":2,"seconds":3,"passes":1,"streams":{}}"#;
    let page = folder.run_with("report - -o -", stats.as_bytes()).quietly();
    assert_eq!(sorts(&page)[0]["stats"]["seconds"], 3);
    assert!(folder.names().is_empty());
}

#[test]
fn a_bench_has_a_page_to_itself() {
    let folder = Folder::new();
    folder.write("bench.json", "{\n  \"bench\": \"scale\",\n  \"tables\": []\n}\n");
    folder.write("sort.json", r#"{"records":1,"bytes":2,"seconds":3,"passes":1,"streams":{}}"#);
    folder.run("report bench.json -o page.html").quietly();
    assert_eq!(sorts(&folder.read("page.html"))["bench"]["bench"], "scale");
    std::fs::remove_file(folder.at("page.html")).expect("a page");
    for files in ["bench.json sort.json", "sort.json bench.json", "bench.json bench.json"] {
        let words = ["bench.json holds the result of a bench", "give it alone"];
        folder.run(&format!("report {files} -o page.html")).fails(2, &words);
        assert_eq!(folder.names(), ["bench.json", "sort.json"], "{files}");
    }
}

#[test]
fn what_are_no_statistics_makes_no_page() {
    let folder = Folder::new();
    folder.write("words", "sorted 3 records\n");
    folder.write("list.json", "[1]");
    folder.write("good.json", r#"{"records":1,"bytes":2,"seconds":3,"passes":1,"streams":{}}"#);
    for (line, status, words) in [
        ("report words -o page.html", 3, "words: not JSON"),
        ("report good.json list.json -o page.html", 3, "list.json: not the statistics"),
        ("report nowhere.json -o page.html", 4, "cannot open nowhere.json"),
        ("report . -o page.html", 4, "cannot read ."),
        ("report good.json -o nowhere/page.html", 4, "nowhere/page.html"),
        ("report good.json -o ./good.json", 2, "give the page another name"),
    ] {
        folder.run(line).fails(status, &[words]);
        assert_eq!(folder.names(), ["good.json", "list.json", "words"], "{line}");
    }
    assert_eq!(folder.run("report good.json").status, 2, "no place for the page");
    assert_eq!(folder.run("report -o page.html").status, 2, "nothing to show");
}

/// `sort --report` makes the page of that sort, and finds out beforehand where it cannot.
#[test]
fn a_sort_makes_its_own_page() {
    let folder = Folder::new();
    folder.write("in", "b\na\n");
    folder.run("sort --report page.html -o out in").quietly();
    let page = String::from_utf8(folder.read("page.html")).expect("text");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("\"timeline\":{"), "{page}");
    assert_eq!(folder.read("out"), b"a\nb\n");
    for (line, status, part) in [
        ("sort --report in -o out in", 2, "would replace in"),
        ("sort --report out -o out in", 2, "would replace out"),
        ("sort --report - -o out in", 2, "needs the name of a file"),
        ("sort --report none/page.html -o out in", 4, "none"),
    ] {
        folder.run(line).fails(status, &[part]);
    }
    assert_eq!(folder.read("in"), b"b\na\n");
    assert_eq!(folder.names(), ["in", "out", "page.html"]);
    let said = folder.run("sort --stats --report /dev/full -o late in");
    assert_eq!((said.status, folder.read("late").as_slice()), (4, &b"a\nb\n"[..]), "{said:?}");
    let (statistics, words) = said.words.rsplit_once("sortwell: ").expect("a message");
    assert!(statistics.starts_with("sorted   2 records"), "{said:?}");
    assert!(words.contains("/dev/full") && words.contains("the output is complete"), "{said:?}");
}
