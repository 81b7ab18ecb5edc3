//! Settings as text, and buffers of every geometry.

use super::*;

fn geometry(text: &str) -> Geometry {
    text.parse().unwrap()
}

#[test]
fn settings_are_read_and_written() {
    let Geometry { growth, refill } = geometry("geometry=0");
    assert_eq!((growth, refill), (0, 250));
    assert_eq!(geometry("geometry=1,refill=0").to_string(), "geometry=1,refill=0");
    assert_eq!(geometry("geometry=0.25").to_string(), "geometry=0.25,refill=0.25");
    assert_eq!(Geometry::default().to_string(), "geometry=0.5,refill=0.25");
    assert_eq!(geometry("geometry=0.5,refill=0.25"), Geometry::default());
}

#[test]
fn what_is_no_geometry_is_refused() {
    let others = [
        "",
        "0.5",
        "geometry",
        "geometry=",
        "geometry=-0.1",
        "geometry=1.1",
        "geometry=x",
        "geometry=NaN",
        "refill=0.5",
        "geometry=0.5,",
        "geometry=0.5,refill=",
        "geometry=0.5,refill=1.01",
        "geometry=0.5,refill=-1",
        "geometry=0.5,refill=0.5,refill=0.5",
        "refill=0.5,geometry=0.5",
    ];
    for text in others {
        let words = text.parse::<Geometry>().unwrap_err().to_string();
        assert!(words.contains("geometry=0 to geometry=1"), "{words}");
    }
}

#[test]
fn buffers_have_the_sizes_of_the_paper() {
    let plan = |text: &str| BufferPlan::new(geometry(text), 15, 480 * BLOCK, 1);
    // 16 buffers of 30 blocks, one of which is the area.
    let even = plan("geometry=0");
    let BufferPlan { space, most, least, areas, .. } = even;
    assert_eq!((space, most, least, areas), (450, 30, 30, 1));
    assert!((0..15).all(|run| even.first(run) == 30));
    assert_eq!((even.threshold_bytes(), even.even_refill()), (15 * BLOCK / 2, 22));
    let half = plan("geometry=0.5");
    assert_eq!((half.space, half.most, half.least, half.even_refill()), (437, 43, 14, 36));
    let whole = plan("geometry=1,refill=0");
    assert_eq!((whole.space, whole.most, whole.least, whole.even_refill()), (424, 56, 1, 56));
    assert_eq!((whole.first(0), whole.first(14)), (4, 56));
}

#[test]
fn buffers_stay_within_memory_and_leave_none_without() {
    for text in ["geometry=0", "geometry=0.001", "geometry=0.5", "geometry=0.999", "geometry=1"] {
        for refill in ["0", "0.25", "1"] {
            let geometry = geometry(&format!("{text},refill={refill}"));
            for runs in (1..70).chain([512]) {
                for blocks in [2 * runs, 2 * runs + 1, 3 * runs, 5 * runs + 3, 1000 * runs] {
                    for depth in [1, 2, 16, 1024] {
                        let plan = BufferPlan::new(geometry, runs, blocks * BLOCK, depth);
                        assert!(plan.bytes() <= blocks * BLOCK, "{plan:?}");
                        assert!(plan.space >= runs * plan.least, "{plan:?}");
                        assert!(plan.least >= 1 && plan.most >= plan.least, "{plan:?}");
                        assert!(plan.areas >= 1 && plan.areas <= depth.max(1), "{plan:?}");
                        assert!(plan.first(runs - 1) == plan.most, "{plan:?}");
                        assert!((1..=plan.most).contains(&plan.even_refill()), "{plan:?}");
                    }
                }
            }
        }
    }
    let rich = BufferPlan::new(Geometry::default(), 20, 1 << 40, 16);
    assert!(rich.bytes() <= 22 * SHARE_MAX, "more memory would make nothing faster");
}

#[test]
fn refills_grow_with_the_geometry() {
    for runs in [2, 7, 17, 49, 300] {
        let refill = |text: &str| {
            BufferPlan::new(geometry(text), runs, 2000 * runs * BLOCK / 64, 16).even_refill()
        };
        let (even, half, whole) =
            (refill("geometry=0"), refill("geometry=0.5"), refill("geometry=1"));
        assert!(even < half && half < whole, "{runs} runs: {even} {half} {whole}");
    }
}
