//! Pushes the same records into several sorters and pulls them in order: sortwell's, in Rust and
//! C, and those of the crates extsort and grenad. Beside them runs sortwell's job of files, in
//! Rust, in C, and through the command.
//!
//! ```text
//!   sortwell-peers [--records N] [--memory MIB] [--threads N] [--rounds N] [--slow-rounds N]
//!                  [--temp DIR] [--files DIR] [--distinct KEYS] [--without NAME] [--json FILE]
//!                  [--command FILE] [--library FILE] [--in-memory numbers|pairs]
//! ```
//!
//! Each sort is a process of its own, and the sorts take turns. A record has 100 bytes, the first
//! ten of which are its random key. All sorts have to return the same number of records, with the
//! same keys in the same order; stable ones have to agree about the payloads as well. Making the
//! records, and summing the result, is a part of every time except that of the file job.
//!
//! With `--in-memory`, numbers of 64 bits are sorted in memory instead, alone or in pairs with a
//! second number: by sortwell, and by the crates rdst, voracious_radix_sort and rayon. Summing the
//! result is a part of every time; making the numbers is not. The feature `vqsort` adds Highway's
//! vectorized quicksort, for numbers alone; it takes the library libhwy.

mod c_library;
mod figures;
mod in_memory;
mod options;
mod records;
mod report;
mod sorters;

use std::error::Error;
use std::process::Command;

use figures::Figures;
use options::Options;
use report::Measured;
use sorters::{Contender, InputFile};

/// A result whose error is only printed.
pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let options = Options::parse(&words)?;
    if let Some(name) = &options.contender {
        let contender = options.contenders().into_iter().find(|(_, known)| known == name);
        let (contender, _) = contender.ok_or_else(|| format!("no sort is named {name}"))?;
        println!("{}", contender.run(&options)?.line());
        return Ok(());
    }
    let is_wanted = |(contender, name): &(Contender, &str)| {
        let can = contender.keeps_ties() || options.distinct == 0;
        can && !options.without.iter().any(|without| name.starts_with(without.as_str()))
    };
    let contenders = options.contenders().into_iter().filter(is_wanted);
    let mut measured: Vec<Measured> = contenders.map(Measured::new).collect();
    let input = options.elements.is_none().then(|| InputFile::create(&options)).transpose()?;
    for round in 0..options.rounds {
        for one in &mut measured {
            if one.contender != Contender::Grenad || round < options.slow_rounds {
                one.rounds.push(in_child(one.name, &options, &words)?);
            }
        }
        check(&measured)?;
    }
    drop(input);
    report::print(&options, &measured);
    if let Some(path) = &options.json {
        report::write(path, &options, &words, &measured)?;
    }
    Ok(())
}

/// Runs a contender in a process of its own.
fn in_child(name: &str, options: &Options, words: &[String]) -> Outcome<Figures> {
    let mut call = Command::new(std::env::current_exe()?);
    // For sorts without an option for the directory, and with the number of threads for rayon.
    call.env("TMPDIR", &options.temp).env("RAYON_NUM_THREADS", options.threads.to_string());
    let output = call.args(words).args(["--contender", name]).output()?;
    if !output.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Figures::parse(&String::from_utf8(output.stdout)?)
}

/// Checks that all sorts agree about the records, and the stable ones about those with equal keys.
fn check(measured: &[Measured]) -> Outcome<()> {
    let sorts = || measured.iter().filter(|one| one.contender.is_sort());
    let sums = |one: &Measured| one.rounds.last().map(|figures| figures.sum);
    let first = sorts().find_map(sums);
    let stable = sorts().filter(|one| one.contender.is_stable()).find_map(sums);
    for one in sorts() {
        let same_keys = sums(one).map(|sum| (sum.records, sum.keys))
            == first.map(|sum| (sum.records, sum.keys));
        if !same_keys || one.contender.is_stable() && sums(one) != stable {
            return Err(format!("{} returns other records, or another order", one.name).into());
        }
    }
    Ok(())
}
