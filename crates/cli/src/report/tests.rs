//! What the page holds, what it never lets out of the statistics, and what is refused.

use std::path::Path;

use serde_json::{Value, json};

use super::*;

fn stats() -> Value {
    json!({ "records": 3, "bytes": 300, "seconds": 0.5, "passes": 1, "streams": {} })
}

fn finding() -> Value {
    json!({ "bench": "scale", "tables": [{ "title": "Seconds", "rows": [[1, 2.5]] }], "later": 1 })
}

/// What stands between the tags of the data.
fn data(page: &str) -> &str {
    let (_, after) = page.split_once(r#"<script type="application/json" id="sorts">"#).unwrap();
    after.split_once("</script>").unwrap().0
}

fn refusal(text: impl AsRef<[u8]>) -> String {
    match read(Path::new("s.json"), text.as_ref()) {
        Err(error) => {
            assert!(matches!(error, Error::Malformed { .. }), "{error}");
            error.to_string()
        }
        Ok(subject) => panic!("taken: {subject:?}"),
    }
}

#[test]
fn the_page_holds_the_statistics_of_every_sort() {
    let sorts = [("a.json".to_owned(), stats()), ("b.json".to_owned(), json!({ "records": 7 }))];
    let page = page(&sorts);
    let held: Value = serde_json::from_str(data(&page)).unwrap();
    assert_eq!(held[0], json!({ "name": "a.json", "stats": stats() }));
    assert_eq!(held[1]["stats"]["records"], 7);
    assert_eq!(held.as_array().unwrap().len(), 2);
}

#[test]
fn the_page_of_a_bench_holds_all_that_it_found() {
    let held: Value = serde_json::from_str(data(&bench_page(&finding()))).unwrap();
    assert_eq!(held, json!({ "bench": finding() }));
}

/// No sort is no page a person would ask for, but it is one.
#[test]
fn a_page_of_nothing_is_whole() {
    assert_eq!(data(&page(&[])), "[]");
}

#[test]
fn nothing_in_the_statistics_becomes_markup() {
    let evil = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>";
    let mut stats = stats();
    stats["advice"] = json!([evil]);
    stats[evil] = json!(evil);
    let sorts = [(evil.to_owned(), stats.clone())];
    let page = page(&sorts);
    assert!(!data(&page).contains('<'), "{}", data(&page));
    let held: Value = serde_json::from_str(data(&page)).unwrap();
    assert_eq!(held, json!([{ "name": evil, "stats": stats }]), "and nothing is lost");
    let plain = super::page(&[]);
    assert_eq!(page.matches("<script").count(), plain.matches("<script").count());
}

#[test]
fn nothing_that_a_bench_found_becomes_markup() {
    let evil = "</script><img src=x onerror=alert(1)><!--<script>";
    let mut finding = finding();
    finding["bench"] = json!(evil);
    finding["tables"][0]["rows"] = json!([[evil, { evil: evil }]]);
    finding[evil] = json!([evil]);
    let page = bench_page(&finding);
    assert!(!data(&page).contains('<'), "{}", data(&page));
    let held: Value = serde_json::from_str(data(&page)).unwrap();
    assert_eq!(held, json!({ "bench": finding }), "and nothing is lost");
}

/// A script that held its own end tag would be cut there.
#[test]
fn assets_fit_into_their_tags() {
    let uplot = include_str!("uplot/uPlot.iife.min.js");
    for script in [SCRIPT, uplot] {
        assert!(!script.to_lowercase().contains("</script") && !script.contains("<!--"));
    }
    for word in ["</", "@import", "url("] {
        assert!(!STYLE.contains(word), "{word}");
    }
    let notice = include_str!("uplot/LICENSE");
    assert!(!notice.contains("*/") && page(&[]).contains(notice), "its licence goes with it");
}

/// Statistics become text: what would make markup of them has no place in our script.
#[test]
fn the_script_makes_no_markup() {
    for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
        assert!(!SCRIPT.contains(word), "{word}");
    }
    for word in ["fetch(", "XMLHttpRequest", "WebSocket", "import(", "sendBeacon"] {
        assert!(!SCRIPT.contains(word), "{word}");
    }
    let policy = "default-src 'none'";
    assert!(page(&[]).contains(policy), "the page forbids itself to load anything");
}

#[test]
fn statistics_are_found_alone_and_behind_words() {
    let line = stats().to_string();
    let many = serde_json::to_string_pretty(&stats()).unwrap();
    let behind = format!("sortwell: warning: {{so}}\nreading 4%\r\x1b[K{line}\n\n");
    for text in [line, many, behind] {
        let subject = read(Path::new("s.json"), text.as_bytes()).unwrap();
        assert_eq!(subject, ReportSubject::Sort(stats()), "{text}");
    }
}

#[test]
fn a_finding_is_told_from_statistics() {
    for text in [finding().to_string(), serde_json::to_string_pretty(&finding()).unwrap()] {
        let subject = read(Path::new("f.json"), text.as_bytes()).unwrap();
        assert_eq!(subject, ReportSubject::Bench(finding()), "{text}");
    }
}

#[test]
fn what_are_no_statistics_is_refused_by_name() {
    for (text, words) in [
        ("", "not JSON"),
        ("sorted 3 records", "not JSON"),
        ("{\"records\": 3", "not JSON"),
        ("[1, 2]", "not an object"),
        ("{}", "no number 'records'"),
        ("{\"records\": \"3\"}", "no number 'records'"),
        ("{\"records\":1,\"bytes\":1,\"seconds\":1,\"passes\":1}", "no 'streams'"),
        ("{\"bench\":\"scale\"}", "not the result of a bench: no list 'tables'"),
        ("{\"bench\":\"scale\",\"tables\":{}}", "no list 'tables'"),
        ("{\"bench\":3,\"tables\":[]}", "its 'bench' is not a name"),
    ] {
        let refusal = refusal(text);
        assert!(refusal.starts_with("s.json: "), "{refusal}");
        assert!(refusal.contains(words), "{text}: {refusal}");
        for what in ["'sortwell sort --stats json' prints", "'sortwell bench --json' writes"] {
            assert!(refusal.contains(what), "what to do: {refusal}");
        }
        assert!(!refusal.contains('\n'), "one line: {refusal}");
    }
    assert!(refusal(b"\xff\xfe{}").contains("not text"));
    // Deeper than the parser follows, which is an error and no overflow.
    assert!(refusal("[".repeat(100_000)).contains("not JSON"));
}

/// Something that never ends is given up, not taken into memory.
#[test]
fn what_is_too_large_is_refused() {
    let error = read(Path::new("endless"), std::io::repeat(b' ')).unwrap_err();
    assert!(error.to_string().contains("larger than 64 MiB"), "{error}");
}
