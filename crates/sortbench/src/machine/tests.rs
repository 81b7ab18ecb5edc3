//! What the system's own texts say.

use super::*;

#[test]
fn values_are_found_by_name() {
    let text = "processor\t: 0\nmodel name\t: A: b 3 GHz\nmodel\t\t: 7\nmodel name\t: other\n";
    assert_eq!(value_of(text, "model name"), "A: b 3 GHz");
    assert_eq!(value_of(text, "name"), "");
}

#[test]
fn this_machine_has_some() {
    let machine = MachineProperties::here();
    assert!(machine.cores > 0 && machine.memory.bytes() > 1 << 20, "{machine:?}");
    assert!(machine.kernel.contains('.') && machine.date.ends_with('Z'), "{machine:?}");
}
