//! The layers of the library use each other in one direction only.

use crate::Fault;
use crate::rules::fault;
use crate::source::Source;

/// The layers in the order of a record's way: a layer may use those before it. Those before `io`
/// serve all; from `io` to `output` a record walks, with `sink` as the hand that writes for `run`
/// and `output`; `plan` decides, `pipeline` does, and `job` is the front door. A layer need not
/// exist yet.
const LAYERS: [&str; 25] = [
    "units",
    "error",
    "format",
    "stats",
    "proof",
    "sys",
    "locale",
    "io",
    "stripe",
    "codec",
    "sink",
    "load",
    "key",
    "order",
    "predicate",
    "incore",
    "run",
    "manifest",
    "merge",
    "operator",
    "output",
    "profile",
    "plan",
    "pipeline",
    "job",
];
const PLACE: &str = "crates/engine/src/";

/// Uses of layers that come later, and layers that have no place in the order.
pub fn imports(path: &str, source: &Source) -> Vec<Fault> {
    let Some(inside) = path.strip_prefix(PLACE) else { return Vec::new() };
    let layer = inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs");
    if matches!(layer, "lib" | "bin") {
        return Vec::new();
    }
    let Some(rank) = LAYERS.iter().position(|known| *known == layer) else {
        let advice = format!("layer '{layer}' has no place; put it into LAYERS in this test");
        return vec![fault(path, 1, advice)];
    };
    let later = used_layers(&source.code).into_iter().filter(|(_, used)| {
        LAYERS.iter().position(|known| known == used).is_some_and(|used| used > rank)
    });
    let words =
        |used| format!("{layer} uses {used}, which comes later; turn the dependency around");
    later.map(|(line, used)| fault(path, line, words(used))).collect()
}

/// Every layer named after `crate::`, alone or in braces, and the line it stands in.
fn used_layers(code: &str) -> Vec<(usize, String)> {
    let mut used = Vec::new();
    for (at, marker) in code.match_indices("crate::") {
        let (before, after) = (&code[..at], &code[at + marker.len()..]);
        // `$crate::` in a macro is the same crate; a longer name that ends in `crate` is not.
        if before.ends_with(|part: char| part.is_alphanumeric() || part == '_') {
            continue;
        }
        let line = 1 + before.matches('\n').count();
        used.extend(first_names(after).into_iter().map(|name| (line, name)));
    }
    used
}

/// The first name of a path, or of every path in a brace group: `{io, key::{A, B}}` names io, key.
fn first_names(path: &str) -> Vec<String> {
    let name_of = |text: &str| -> String {
        let is_part = |character: &char| character.is_alphanumeric() || *character == '_';
        text.trim_start().chars().take_while(is_part).collect()
    };
    let Some(group) = path.strip_prefix('{') else { return vec![name_of(path)] };
    let (mut names, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(name_of(&group[start..at]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(name_of(&group[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    names
}
