//! The library's example does what it shows.

#[expect(dead_code, reason = "an example has a main of its own, which a test does not call")]
#[path = "../examples/sort_file.rs"]
mod sort_file;

#[test]
fn sort_file_sorts_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    let record = |index: u32| {
        let mut record = [0; 100];
        record[..4].copy_from_slice(&index.wrapping_mul(2_654_435_761).to_be_bytes());
        record
    };
    let mut records: Vec<[u8; 100]> = (0..5000).map(record).collect();
    std::fs::write(&input, records.concat()).expect("write");
    let statistics = sort_file::sort_file(input, output.clone()).expect("sort");
    assert_eq!(statistics.records, 5000);
    records.sort_unstable();
    assert!(std::fs::read(output).expect("read") == records.concat());
}
