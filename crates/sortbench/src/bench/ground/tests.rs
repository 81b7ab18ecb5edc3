//! Grounds: what they hold and what they leave.

use super::*;

#[test]
fn nothing_is_left_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let progress = Progress::new();
    let program = Program("nowhere".into());
    let ground =
        Ground::new(directory.path(), program, 0, None, &progress, "bench".into()).unwrap();
    assert_eq!(ground.runs, 1);
    let input = ground.generate("input", 100, FileRecords::Lines).unwrap();
    assert_eq!(fs::metadata(&input).unwrap().len(), 10_000);
    assert!(chill(&input).unwrap());
    let error = ground.sort(&input, FileRecords::Lines, &[]).unwrap_err();
    assert!(error.to_string().contains("nowhere"), "{error}");
    let setting = ground.setting();
    assert!(setting.disk.contains(" on "), "{}", setting.disk);
    drop(ground);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}
