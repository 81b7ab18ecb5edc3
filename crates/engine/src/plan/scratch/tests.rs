//! The budget that a refusal names has room for what was refused.

use super::*;

#[test]
fn what_is_refused_fits_into_the_budget_that_is_named() {
    for (lengths, length) in [
        (Lengths::Average(80), 3_000_000),
        (Lengths::Average(1 << 16), 100_000_000),
        (Lengths::Unknown, 1 << 20),
    ] {
        for needed in [length / 3, length, 4 * length] {
            let small = ScratchMemory::new(ByteSize::kib(600), lengths);
            let (message, least) = small.fault(length, needed).expect("a refusal");
            let mib = least.bytes() >> 20;
            assert!(message.to_string().ends_with(&format!("at least {mib} MiB with memory")));
            let named = ScratchMemory::new(ByteSize::mib(mib), lengths);
            assert_eq!(named.fault(length, needed), None, "{lengths:?} {length} {needed}");
            let rest = ByteSize::mib(mib).bytes() - named.part().bytes;
            assert!(rest >= 3 * length as u64, "{lengths:?} {length} {needed}");
        }
    }
}
