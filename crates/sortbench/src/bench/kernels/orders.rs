//! Orders of input that are hard on one sort or another, for the tests of all kernels.

/// Returns `count` values in each of several orders, with the name of the order.
pub fn hard_orders(count: u64) -> [(&'static str, Vec<u64>); 11] {
    let of = |value: &dyn Fn(u64) -> u64| (0..count).map(value).collect();
    let mixed = |at: u64| at.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    [
        ("random", of(&mixed)),
        ("equal", of(&|_| 7 << 32)),
        ("two values", of(&|at| mixed(at) >> 63)),
        ("sorted", of(&|at| at << 32)),
        ("reversed", of(&|at| (count - at) << 32)),
        ("sawtooth", of(&|at| at % 37)),
        ("organ pipe", of(&|at| at.min(count - at))),
        ("low bits reversed", of(&|at| 3 << 60 | (count - at))),
        ("clustered", of(&|at| mixed(at) >> 62 << 62 | mixed(at ^ 1) >> 40)),
        ("largest", of(&|at| u64::MAX - (at & 1))),
        ("sorted except the last", of(&|at| if at + 1 == count { 0 } else { at << 40 })),
    ]
}
