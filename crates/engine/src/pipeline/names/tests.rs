//! Lists of names: each comes back as it was, whatever its length.

use std::path::Path;

use super::Names;

#[test]
fn names_come_back_by_their_numbers() {
    let mut names = Names::default();
    assert_eq!(names.count(), 0);
    for name in ["a", "", "some/where", "b"] {
        names.push(Path::new(name));
    }
    let back: Vec<&Path> = (0..names.count()).map(|number| names.get(number)).collect();
    assert_eq!(back, ["a", "", "some/where", "b"].map(Path::new));
}
