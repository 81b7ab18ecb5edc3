//! Pieces of every geometry.

use super::*;

const MIB: usize = 1 << 20;

fn pieces(geometry: &str, mean: usize, count: usize) -> Vec<usize> {
    geometry.parse::<Geometry>().unwrap().pieces(mean, count)
}

#[test]
fn pieces_grow_around_the_mean() {
    assert_eq!(pieces("geometry=0", MIB, 3), [MIB; 3]);
    assert_eq!(pieces("geometry=0.5", MIB, 3), [MIB / 2, MIB, 3 * MIB / 2].map(block));
    assert_eq!(pieces("geometry=1", MIB, 2), [BLOCK, 2 * MIB - BLOCK]);
    assert_eq!(pieces("geometry=1", MIB, 1), [MIB]);
    assert!(pieces("geometry=0.7", MIB, 0).is_empty());
}

fn block(bytes: usize) -> usize {
    bytes / BLOCK * BLOCK
}

#[test]
fn pieces_are_whole_blocks_and_take_no_more_than_even_ones() {
    for thousandths in [0, 1, 333, 500, 999, 1000] {
        let geometry = Geometry { thousandths };
        for mean in [BLOCK, 2 * BLOCK, 5 * BLOCK, 4 * MIB] {
            for count in 1..40 {
                let pieces = geometry.pieces(mean, count);
                assert_eq!(pieces.len(), count);
                assert!(pieces.iter().all(|piece| *piece >= BLOCK && piece % BLOCK == 0));
                assert!(pieces.is_sorted());
                assert!(pieces.iter().sum::<usize>() <= count * mean, "{geometry} {mean} {count}");
            }
        }
    }
}

#[test]
fn what_is_no_geometry_is_refused() {
    for text in ["", "0.5", "geometry", "geometry=", "geometry=-0.1", "geometry=1.1", "geometry=x"]
    {
        let words = text.parse::<Geometry>().unwrap_err().to_string();
        assert!(words.contains("geometry=0 to geometry=1"), "{words}");
    }
    assert!("geometry=0".parse::<Geometry>().unwrap().is_even());
    assert_eq!("geometry=0.25".parse::<Geometry>().unwrap().to_string(), "geometry=0.25");
}
