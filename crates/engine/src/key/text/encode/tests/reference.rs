//! The order of each type written a second time: by comparing digits, tokens and values in place.
//!
//! Nothing here knows keys. Slow and plain on purpose.

use std::cmp::Ordering;

use super::NumberFormat;

/// Sign, digits before and behind the point, and the bytes read.
struct Decimal {
    is_negative: bool,
    whole: Vec<u8>,
    fraction: Vec<u8>,
    read: usize,
}

fn parse(text: &[u8], format: NumberFormat, takes_plus: bool) -> Decimal {
    let mut at = 0;
    while at < text.len() && b" \t\n".contains(&text[at]) {
        at += 1;
    }
    let is_negative = text.get(at) == Some(&b'-');
    if is_negative || takes_plus && text.get(at) == Some(&b'+') {
        at += 1;
    }
    let (mut whole, mut fraction) = (Vec::new(), Vec::new());
    while at < text.len() && (text[at].is_ascii_digit() || Some(text[at]) == format.thousands) {
        if text[at].is_ascii_digit() {
            whole.push(text[at]);
        }
        at += 1;
    }
    if text.get(at) == Some(&format.radix) {
        at += 1;
        while at < text.len() && text[at].is_ascii_digit() {
            fraction.push(text[at]);
            at += 1;
        }
    }
    Decimal { is_negative, whole, fraction, read: at }
}

/// Digit by digit, after padding both to the same places.
fn magnitudes(a: &Decimal, b: &Decimal) -> Ordering {
    let places = a.whole.len().max(b.whole.len());
    let decimals = a.fraction.len().max(b.fraction.len());
    let padded = |number: &Decimal| -> Vec<u8> {
        let mut digits = vec![b'0'; places - number.whole.len()];
        digits.extend(&number.whole);
        digits.extend(&number.fraction);
        digits.resize(places + decimals, b'0');
        digits
    };
    padded(a).cmp(&padded(b))
}

fn is_zero(number: &Decimal) -> bool {
    number.whole.iter().chain(&number.fraction).all(|&digit| digit == b'0')
}

fn signed(a: &Decimal, b: &Decimal) -> Ordering {
    let sign = |number: &Decimal| match (is_zero(number), number.is_negative) {
        (true, _) => 0,
        (false, true) => -1,
        (false, false) => 1,
    };
    let order = magnitudes(a, b);
    let order = if sign(a) < 0 { order.reverse() } else { order };
    sign(a).cmp(&sign(b)).then(order)
}

pub fn decimals(a: &[u8], b: &[u8], format: NumberFormat, takes_plus: bool) -> Ordering {
    signed(&parse(a, format, takes_plus), &parse(b, format, takes_plus))
}

pub fn ints(a: &[u8], b: &[u8]) -> Ordering {
    let whole = |text| Decimal { fraction: Vec::new(), ..parse(text, super::PLAIN, true) };
    signed(&whole(a), &whole(b))
}

pub fn humans(a: &[u8], b: &[u8]) -> Ordering {
    let parsed = |text: &[u8]| {
        let number = parse(text, super::PLAIN, false);
        let suffix = text.get(number.read).copied().unwrap_or(b' ');
        let suffix = if suffix == b'k' { b'K' } else { suffix };
        let order = b"KMGTPEZYRQ".iter().position(|&known| known == suffix);
        let order = order.map_or(0, |order| order as i32 + 1);
        let order = if is_zero(&number) { 0 } else { order };
        (if number.is_negative { -order } else { order }, number)
    };
    let (a, b) = (parsed(a), parsed(b));
    a.0.cmp(&b.0).then_with(|| signed(&a.1, &b.1))
}

pub fn sizes(a: &[u8], b: &[u8]) -> Ordering {
    let parsed = |text: &[u8]| {
        let mut number = parse(text, super::PLAIN, true);
        let rest = &text[number.read..];
        let rest = if rest.first() == Some(&b' ') { &rest[1..] } else { rest };
        // The letters that follow are a suffix as a whole, or none.
        let is_letter = |byte: &&u8| byte.is_ascii_alphabetic() || **byte >= 0x80;
        let mut word: Vec<u8> =
            rest.iter().take_while(is_letter).map(u8::to_ascii_uppercase).collect();
        if rest.get(word.len()).is_some_and(|next| b"0123456789+-".contains(next)) {
            word.clear();
        }
        let word = word.strip_suffix(b"B").unwrap_or(&word);
        let (prefix, factor) = match word.strip_suffix(b"I") {
            Some(prefix) => (prefix, 1024),
            None => (word, 1000),
        };
        let is_prefix = |(_, letter): &(usize, &u8)| prefix == [**letter];
        let steps = b"KMGTPEZYRQ".iter().enumerate().find(is_prefix).map_or(0, |(at, _)| at + 1);
        // The digits as a whole number, multiplied by adding it to itself.
        let decimals = number.fraction.len();
        let mut digits = number.whole.clone();
        digits.extend(&number.fraction);
        for _ in 0..steps {
            digits = times(&digits, factor);
        }
        let point = digits.len().saturating_sub(decimals);
        let mut padded = vec![b'0'; decimals.saturating_sub(digits.len())];
        padded.extend(&digits);
        number.fraction = padded.split_off(point);
        number.whole = padded;
        number
    };
    signed(&parsed(a), &parsed(b))
}

/// Schoolbook multiplication of ASCII digits.
fn times(digits: &[u8], factor: u32) -> Vec<u8> {
    let mut product = vec![0u32; digits.len() + 4];
    for (place, digit) in digits.iter().rev().enumerate() {
        for (shift, power) in [1, 10, 100, 1000].into_iter().enumerate() {
            product[place + shift] += u32::from(digit - b'0') * (factor / power % 10);
        }
    }
    for place in 1..product.len() {
        product[place] += product[place - 1] / 10;
        product[place - 1] %= 10;
    }
    product.iter().rev().map(|&digit| b'0' + digit as u8).collect()
}

/// Whether [`generals`] cannot judge: doubles tell numbers apart only while exponents are small,
/// and NaNs not at all.
pub fn is_far(text: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    let letters = text.iter().enumerate().filter(|(_, byte)| matches!(byte, b'e' | b'p'));
    let digits = |at: usize| {
        let rest = &text[at + 1..];
        let rest = &rest[usize::from(matches!(rest.first(), Some(b'-' | b'+')))..];
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    letters.map(|(at, _)| digits(at)).any(|digits| digits > 2)
        || text.len() > 14
        || text.windows(3).any(|letters| letters == b"nan")
}

/// By doubles, which short numbers that differ do not share.
pub fn generals(a: &[u8], b: &[u8]) -> Ordering {
    let value = |text: &[u8]| -> (u8, f64) {
        let text = text.to_ascii_lowercase();
        let text = str::from_utf8(&text).unwrap().trim_start().as_bytes();
        let sign = if text.first() == Some(&b'-') { -1.0 } else { 1.0 };
        let text = &text[usize::from(matches!(text.first(), Some(b'-' | b'+')))..];
        if text.starts_with(b"inf") {
            return (2, sign * f64::INFINITY);
        }
        if text.starts_with(b"nan") {
            return (1, 0.0);
        }
        if text.starts_with(b"0x") {
            return (2, sign * hexadecimal(&text[2..]) + 0.0);
        }
        // The longest beginning that is a number.
        let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let beginnings = (1..=text.len()).rev().filter_map(|end| str::from_utf8(&text[..end]).ok());
        let mut numbers = beginnings.filter(|text| is_number(text));
        let number: Option<f64> = numbers.find_map(|text| text.parse().ok());
        number.map_or((0, 0.0), |number| (2, sign * number + 0.0))
    };
    let (a, b) = (value(a), value(b));
    a.0.cmp(&b.0).then_with(|| a.1.partial_cmp(&b.1).unwrap())
}

/// What follows `0x`; 0 where no digits do.
fn hexadecimal(text: &[u8]) -> f64 {
    let (mut value, mut scale, mut at, mut is_fraction) = (0.0, 1.0, 0, false);
    while let Some(&byte) = text.get(at) {
        if let Some(digit) = char::from(byte).to_digit(16) {
            value = value * 16.0 + f64::from(digit);
            scale *= if is_fraction { 16.0 } else { 1.0 };
        } else if byte == b'.' && !is_fraction {
            is_fraction = true;
        } else {
            break;
        }
        at += 1;
    }
    let rest = text.get(at).filter(|&&byte| byte == b'p').map_or(&[][..], |_| &text[at + 1..]);
    let sign = usize::from(matches!(rest.first(), Some(b'-' | b'+')));
    let digits = rest[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let power = str::from_utf8(&rest[..sign + digits]).unwrap().parse().unwrap_or(0);
    value / scale * 2f64.powi(power)
}

pub fn floats(a: &[u8], b: &[u8]) -> Ordering {
    let value = |text: &[u8]| -> (u8, f64) {
        match str::from_utf8(text.trim_ascii()).ok().and_then(|text| text.parse::<f64>().ok()) {
            None => (0, 0.0),
            Some(number) if number.is_nan() => (2, 0.0),
            Some(number) => (1, number),
        }
    };
    let (a, b) = (value(a), value(b));
    a.0.cmp(&b.0).then_with(|| a.1.partial_cmp(&b.1).unwrap())
}

pub fn months(a: &[u8], b: &[u8]) -> Ordering {
    const NAMES: &str = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
    let month = |text: &[u8]| {
        let text: String = text.iter().map(|&byte| char::from(byte).to_ascii_uppercase()).collect();
        let text = text.trim_start_matches([' ', '\t', '\n']);
        let begins = |&month: &usize| text.starts_with(&NAMES[3 * month..3 * month + 3]);
        (0..12).find(begins).map_or(0, |month| month + 1)
    };
    month(a).cmp(&month(b))
}

/// As the manual says it: nothing, points, hidden names; then without extensions, then with them.
pub fn versions(a: &[u8], b: &[u8]) -> Ordering {
    let class = |name: &[u8]| match name {
        b"" => 0,
        b"." => 1,
        b".." => 2,
        _ if name[0] == b'.' => 3,
        _ => 4,
    };
    let by_class = class(a).cmp(&class(b));
    if by_class.is_ne() || class(a) < 3 {
        return by_class;
    }
    let (stem_a, stem_b) = (stem(a), stem(b));
    let order = version_parts(stem_a, stem_b);
    if stem_a.len() == a.len() && stem_b.len() == b.len() {
        return order;
    }
    order.then_with(|| version_parts(a, b))
}

/// Tries every point from the left as the beginning of the extensions.
fn stem(name: &[u8]) -> &[u8] {
    let is_extension = |text: &[u8]| {
        text.first().is_some_and(|&byte| byte.is_ascii_alphabetic() || byte == b'~')
            && text.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'~')
    };
    for at in 0..name.len() {
        if name[at] == b'.' && name[at + 1..].split(|&byte| byte == b'.').all(is_extension) {
            return &name[..at];
        }
    }
    name
}

fn version_parts(mut a: &[u8], mut b: &[u8]) -> Ordering {
    let rank = |byte: Option<&u8>| match byte {
        Some(b'~') => (0, 0),
        None | Some(b'0'..=b'9') => (1, 0),
        Some(&byte) if byte.is_ascii_alphabetic() => (2, byte),
        Some(&byte) => (3, byte),
    };
    while !a.is_empty() || !b.is_empty() {
        let (mut at, is_part) =
            (0, |text: &[u8], at: usize| text.get(at).is_some_and(|byte| !byte.is_ascii_digit()));
        while is_part(a, at) || is_part(b, at) {
            let order = rank(a.get(at)).cmp(&rank(b.get(at)));
            if order.is_ne() {
                return order;
            }
            at += 1;
        }
        (a, b) = (&a[at..], &b[at..]);
        let order = runs(a, b);
        if order.is_ne() {
            return order;
        }
        let run = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (a, b) = (&a[run(a)..], &b[run(b)..]);
    }
    Ordering::Equal
}

/// By value of the digits that both begin with.
fn runs(a: &[u8], b: &[u8]) -> Ordering {
    let digits = |text: &[u8]| -> Vec<u8> {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).copied();
        digits.skip_while(|&digit| digit == b'0').collect()
    };
    let (a, b) = (digits(a), digits(b));
    a.len().cmp(&b.len()).then(a.cmp(&b))
}

pub fn naturals(a: &[u8], b: &[u8]) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let order = match (a.first(), b.first()) {
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => runs(a, b),
            (x, y) => x.map(|x| number_or(*x)).cmp(&y.map(|y| number_or(*y))),
        };
        if order.is_ne() || a.is_empty() {
            return order;
        }
        let token =
            |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count().max(1);
        (a, b) = (&a[token(a)..], &b[token(b)..]);
    }
}

/// All digits stand at the place of one.
fn number_or(byte: u8) -> u8 {
    if byte.is_ascii_digit() { b'0' } else { byte }
}
