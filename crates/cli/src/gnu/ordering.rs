//! Ordering options of the command line or of a key.

use super::complaint::Complaint;

/// Comparison options of one key, or of every key without options of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ordering {
    /// `b` of the start: blanks before the first byte do not count.
    pub skips_start_blanks: bool,
    /// `b` of the end: blanks are skipped before its bytes are counted.
    pub skips_end_blanks: bool,
    /// `d`
    pub only_dictionary: bool,
    /// `f`
    pub folds_case: bool,
    /// `g`
    pub general: bool,
    /// `h`
    pub human: bool,
    /// `i`
    pub only_printing: bool,
    /// `M`
    pub month: bool,
    /// `n`
    pub numeric: bool,
    /// `R`
    pub random: bool,
    /// `r`
    pub reverse: bool,
    /// `V`
    pub version: bool,
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
    /// Sets one option. Returns false if the letter is not an option.
    pub fn set(&mut self, letter: u8, side: Side) -> bool {
        match letter {
            b'b' => {
                self.skips_start_blanks |= side != Side::End;
                self.skips_end_blanks |= side != Side::Start;
            }
            b'd' => self.only_dictionary = true,
            b'f' => self.folds_case = true,
            b'g' => self.general = true,
            b'h' => self.human = true,
            b'i' => self.only_printing = true,
            b'M' => self.month = true,
            b'n' => self.numeric = true,
            b'R' => self.random = true,
            b'r' => self.reverse = true,
            b'V' => self.version = true,
            _ => return false,
        }
        true
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
        Self { reverse: false, ..*self }.is_default()
    }

    /// Returns whether keys are numbers.
    pub fn is_numeric(&self) -> bool {
        self.numeric || self.general || self.human
    }

    /// Returns the options that are not among others.
    pub fn without(self, others: &Self) -> Self {
        Self {
            skips_start_blanks: self.skips_start_blanks && !others.skips_start_blanks,
            skips_end_blanks: self.skips_end_blanks && !others.skips_end_blanks,
            only_dictionary: self.only_dictionary && !others.only_dictionary,
            folds_case: self.folds_case && !others.folds_case,
            general: self.general && !others.general,
            human: self.human && !others.human,
            only_printing: self.only_printing && !others.only_printing,
            month: self.month && !others.month,
            numeric: self.numeric && !others.numeric,
            random: self.random && !others.random,
            reverse: self.reverse && !others.reverse,
            version: self.version && !others.version,
        }
    }

    /// Returns the letters, in the order that messages name them; `-d` takes what `-i` does with
    /// it.
    pub fn letters(&self) -> String {
        let has = [
            (self.skips_start_blanks || self.skips_end_blanks, 'b'),
            (self.only_dictionary, 'd'),
            (self.folds_case, 'f'),
            (self.general, 'g'),
            (self.human, 'h'),
            (self.only_printing && !self.only_dictionary, 'i'),
            (self.month, 'M'),
            (self.numeric, 'n'),
            (self.random, 'R'),
            (self.reverse, 'r'),
            (self.version, 'V'),
        ];
        has.into_iter().filter(|(is_there, _)| *is_there).map(|(_, letter)| letter).collect()
    }

    /// Refuses options that name two kinds of comparison. A shuffle and versions look at text, so
    /// they go with each other and with `-d` and `-i`.
    pub fn check(&self) -> Result<(), Complaint> {
        let looks_at_text =
            self.version || self.random || self.only_dictionary || self.only_printing;
        let kinds = [self.numeric, self.general, self.human, self.month, looks_at_text];
        if kinds.into_iter().filter(|&is_there| is_there).count() <= 1 {
            return Ok(());
        }
        let clashing =
            Self { skips_start_blanks: false, skips_end_blanks: false, reverse: false, ..*self };
        Err(Complaint::new(format!("options '-{}' are incompatible", clashing.letters())))
    }
}
