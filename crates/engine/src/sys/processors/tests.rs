//! Lists of processors as the system writes them, and where workers stay on machines of all kinds.

use super::*;

#[test]
fn lists_of_processors() {
    assert_eq!(of_list("0-3,8,10-11\n"), Some(vec![0, 1, 2, 3, 8, 10, 11]));
    assert_eq!(of_list("\n"), Some(Vec::new()), "a node of memory alone");
    for wrong in ["a", "3-1", "1-", "-1", "1-99999999999", "1;2", "0-4096"] {
        assert_eq!(of_list(wrong), None, "{wrong}");
    }
}

#[test]
fn workers_are_spread_over_processors_and_nodes() {
    let two = [vec![0, 1, 4], vec![2, 3]];
    let of = |affinity, nodes: &[Vec<usize>], workers| places(affinity, nodes, workers);
    assert_eq!(of(Affinity::Off, &two, 2), [None, None]);
    let cores = of(Affinity::Cores, &two, 6);
    let order: Vec<usize> = cores.into_iter().flatten().flatten().collect();
    assert_eq!(order, [0, 2, 1, 3, 4, 0], "nodes by turns, and again from the first");
    let by_nodes = [Some(vec![0, 1, 4]), Some(vec![2, 3]), Some(vec![0, 1, 4])];
    assert_eq!(of(Affinity::Nodes, &two, 3), by_nodes);
    assert_eq!(of(Affinity::Auto, &two, 3), by_nodes);
    let one = [vec![0, 1]];
    assert_eq!(of(Affinity::Auto, &one, 2), [None, None], "one node is everywhere");
    assert_eq!(of(Affinity::Nodes, &one, 1), [Some(vec![0, 1])]);
    assert_eq!(of(Affinity::Cores, &[], 2), [None, None], "nothing is known");
}

#[test]
fn nodes_are_read_in_their_order_and_within_what_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let node = |name: &str, list: &str| {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join(name).join("cpulist"), list).unwrap();
    };
    node("node10", "0\n");
    node("node2", "1-2\n");
    node("power", "7\n");
    assert_eq!(listed(folder.path()), [vec![1, 2], vec![0]]);
    // These are not the processors of this machine: then nothing is believed.
    node("node3", "1000-1023");
    let all = nodes(folder.path());
    assert_eq!(all.iter().map(Vec::len).sum::<usize>(), allowed().len());
    assert_eq!(nodes(Path::new("/nonexistent")), [allowed()]);
}

#[test]
fn a_thread_stays_where_it_is_told() {
    let place = *allowed().last().unwrap();
    let seen = std::thread::spawn(move || {
        stay_on(&[place]);
        (current(), allowed())
    });
    assert_eq!(seen.join().unwrap(), (place, vec![place]));
    let before = allowed();
    let stay = Stay::on(Some(&[place]));
    assert_eq!(allowed(), [place]);
    drop(stay);
    assert_eq!(allowed(), before);
    drop(Stay::on(None));
    assert_eq!(allowed(), before);
    stay_on(&[]); // Refused, and nothing changes.
    assert!(!allowed().is_empty());
}
