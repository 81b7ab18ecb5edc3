//! What is said where there are no counters.

use super::*;

#[test]
fn reasons_say_what_to_do() {
    let denied = why(&io::Error::from_raw_os_error(13), Some("3\n"));
    assert!(denied.contains("paranoid is 3)") && denied.contains("sysctl"), "{denied}");
    let absent = why(&io::Error::from_raw_os_error(2), Some("2\n"));
    assert!(absent.contains("virtual machines"), "{absent}");
    let hidden = why(&io::Error::from_raw_os_error(38), None);
    assert!(hidden.contains("sandbox"), "{hidden}");
}
