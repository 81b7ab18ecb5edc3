//! Counters in a directory that looks like the kernel's.

use super::*;

fn package(directory: &Path, name: &str, energy: u64) -> PathBuf {
    let path = directory.join(name);
    fs::create_dir(&path).unwrap();
    fs::write(path.join("energy_uj"), format!("{energy}\n")).unwrap();
    fs::write(path.join("max_energy_range_uj"), "10000000\n").unwrap();
    path.join("energy_uj")
}

#[test]
fn packages_are_summed_and_begin_again() {
    let directory = tempfile::tempdir().unwrap();
    let one = package(directory.path(), "intel-rapl:0", 1_000_000);
    let two = package(directory.path(), "intel-rapl:1", 9_500_000);
    package(directory.path(), "intel-rapl:0:0", 77);
    let meter = EnergyMeter::at(directory.path()).unwrap();
    assert_eq!(meter.counters.len(), 2);
    let before = meter.read().unwrap();
    fs::write(&one, "3500000").unwrap();
    fs::write(&two, "500000").unwrap();
    assert_eq!(meter.joules_since(&before).unwrap(), 3.5);
    fs::remove_file(&one).unwrap();
    assert!(meter.joules_since(&before).is_err());
}

#[test]
fn a_machine_without_counters_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let words = EnergyMeter::at(directory.path()).unwrap_err().to_string();
    assert!(words.contains("does not report its energy"), "{words}");
}
