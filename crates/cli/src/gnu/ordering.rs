//! Ordering options of the command line or of a key.

use super::complaint::Complaint;

/// The letters of comparison options, in the order that messages name them.
const LETTERS: &[u8] = b"bdfghiMnRrV";

/// Comparison options of one key, or of every key without options of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ordering {
    /// `b` of the start: blanks before the first byte do not count.
    pub skips_start_blanks: bool,
    /// `b` of the end: blanks are skipped before its bytes are counted.
    pub skips_end_blanks: bool,
    /// A bit for each other letter that is set, at its place in [`LETTERS`].
    others: u16,
}

/// Returns the bit of a letter; none if it is not an option.
fn bit(letter: u8) -> u16 {
    LETTERS.iter().position(|known| *known == letter).map_or(0, |place| 1 << place)
}

/// The ends of a key that `b` can belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The start only.
    Start,
    /// The end only.
    End,
    /// Both: the option of the command line.
    Both,
}

impl Ordering {
    /// Returns one option, other than `b`.
    pub fn of(letter: u8) -> Self {
        Self { others: bit(letter), ..Self::default() }
    }

    /// Sets one option. Returns false if the letter is not an option.
    pub fn set(&mut self, letter: u8, side: Side) -> bool {
        if letter == b'b' {
            self.skips_start_blanks |= side != Side::End;
            self.skips_end_blanks |= side != Side::Start;
        } else {
            self.others |= bit(letter);
        }
        bit(letter) != 0
    }

    /// Returns whether an option other than `b` is set.
    pub fn has(&self, letter: u8) -> bool {
        self.others & bit(letter) != 0
    }

    /// Sets options from the beginning of a text, and returns what follows them.
    pub fn set_all(&mut self, text: &[u8], side: Side) -> usize {
        text.iter().take_while(|&&letter| self.set(letter, side)).count()
    }

    /// Returns whether no option is set. The options of the command line apply then.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether no option but `r` is set. Whole lines need no key then.
    pub fn is_default_but_direction(&self) -> bool {
        self.without(&Self::of(b'r')).is_default()
    }

    /// Returns whether keys are numbers.
    pub fn is_numeric(&self) -> bool {
        b"ngh".iter().any(|letter| self.has(*letter))
    }

    /// Returns the options that are not among others.
    pub fn without(self, others: &Self) -> Self {
        Self {
            skips_start_blanks: self.skips_start_blanks && !others.skips_start_blanks,
            skips_end_blanks: self.skips_end_blanks && !others.skips_end_blanks,
            others: self.others & !others.others,
        }
    }

    /// Returns the letters, in the order that messages name them; `-d` takes what `-i` does with
    /// it.
    pub fn letters(&self) -> String {
        let is_shown = |letter: &u8| match *letter {
            b'b' => self.skips_start_blanks || self.skips_end_blanks,
            b'i' => self.has(b'i') && !self.has(b'd'),
            letter => self.has(letter),
        };
        LETTERS.iter().copied().filter(is_shown).map(char::from).collect()
    }

    /// Refuses options that name two kinds of comparison. A shuffle and versions look at text, so
    /// they go with each other and with `-d` and `-i`.
    pub fn check(&self) -> Result<(), Complaint> {
        let kinds: [&[u8]; 5] = [b"n", b"g", b"h", b"M", b"VRdi"];
        let is_there = |kind: &&[u8]| kind.iter().any(|letter| self.has(*letter));
        if kinds.iter().filter(|kind| is_there(kind)).count() <= 1 {
            return Ok(());
        }
        let harmless = Self { skips_start_blanks: true, skips_end_blanks: true, ..Self::of(b'r') };
        let clashing = self.without(&harmless).letters();
        Err(Complaint::new(format!("options '-{clashing}' are incompatible")))
    }
}
