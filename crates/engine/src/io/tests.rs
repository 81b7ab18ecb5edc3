//! Tests of the room's front: engines and their names.

use super::*;

#[test]
fn names_are_read_back_as_the_engine_they_came_from() {
    for engine in Engine::ALL {
        assert_eq!(engine.to_string().parse(), Ok(engine));
    }
    let refused = "fast".parse::<Engine>().unwrap_err().to_string();
    assert!(refused.contains("fast") && refused.contains("uring"), "{refused}");
}

#[test]
fn auto_becomes_an_engine_that_works_and_the_queue_tells_which() {
    let found = Engine::Auto.probe().unwrap();
    assert!(matches!(found, Engine::Uring | Engine::Threads), "{found}");
    assert_eq!(Engine::Auto.queue(4).unwrap().name(), found.name());
}

#[test]
fn engines_that_need_nothing_special_are_what_they_were_asked_to_be() {
    for engine in [Engine::Threads, Engine::Mmap, Engine::MmapPlain, Engine::Sync] {
        assert_eq!(engine.probe().unwrap(), engine);
        assert_eq!(engine.queue(1).unwrap().name(), engine.name());
    }
}

#[test]
fn a_depth_of_zero_still_works() {
    for engine in Engine::ALL {
        if engine.probe().is_ok() {
            assert_eq!(engine.queue(0).unwrap().in_flight(), 0);
        }
    }
}
