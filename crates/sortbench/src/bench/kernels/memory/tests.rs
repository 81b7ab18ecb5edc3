//! Memory of kinds and sizes.

use super::*;

#[test]
fn memory_holds_what_it_says() {
    for count in [0, 1, 41, 100_000] {
        let mut memory = AlignedValues::<[u8; 100]>::of(count).unwrap();
        assert_eq!(memory.len(), count);
        memory.fill([7; 100]);
        assert!(memory.iter().flatten().all(|byte| *byte == 7));
        assert_eq!(AlignedValues::<u64>::of(count).unwrap().iter().sum::<u64>(), 0);
    }
}
