//! What a text says as a type that checks, written a second time: as a list of numbers that compare
//! like the values. Nothing here knows keys; slow and plain on purpose.

/// The value that all of `text` is, as the type of this name; `None` where it is none.
pub fn value(kind: &str, text: &[u8]) -> Option<Vec<i128>> {
    if kind == "packed" {
        return packed(text);
    }
    if let Some(form) = kind.strip_prefix("zoned") {
        return zoned(form, text);
    }
    if let Some(number) = machine(kind, text) {
        return number;
    }
    let is_blank = |byte: &u8| b" \t\n".contains(byte);
    let start = text.iter().position(|byte| !is_blank(byte))?;
    let end = text.iter().rposition(|byte| !is_blank(byte))?;
    let text = std::str::from_utf8(&text[start..=end]).ok()?;
    match kind {
        "date" => date(text),
        "time" => time(text),
        "timestamp" => timestamp(text),
        "ip" => ip(text),
        "uuid" => uuid(text),
        "semver" => semver(text),
        "1.234,56 €" => price(text),
        "bool" => match text.to_lowercase().as_str() {
            "false" | "f" | "no" | "n" | "0" | "off" => Some(vec![0]),
            "true" | "t" | "yes" | "y" | "1" | "on" => Some(vec![1]),
            _ => None,
        },
        _ => None,
    }
}

fn semver(text: &str) -> Option<Vec<i128>> {
    let number = |text: &str| {
        let is_plain = text == "0" || !text.starts_with('0');
        let is_one = is_plain && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_one { text.parse::<i128>().ok() } else { None }
    };
    let is_word = |text: &&str| {
        !text.is_empty() && text.chars().all(|sign| sign == '-' || sign.is_ascii_alphanumeric())
    };
    let text = text.strip_prefix('v').unwrap_or(text);
    let (text, build) = text.split_once('+').unwrap_or((text, "-"));
    let (core, pre_release) = match text.split_once('-') {
        Some((core, pre_release)) => (core, Some(pre_release)),
        None => (text, None),
    };
    let mut value = core.split('.').map(number).collect::<Option<Vec<_>>>()?;
    if value.len() != 3 || !build.split('.').all(|word| is_word(&word)) {
        return None;
    }
    let Some(words) = pre_release else {
        value.push(3);
        return Some(value);
    };
    for word in words.split('.') {
        is_word(&word).then_some(())?;
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            value.extend([1, number(word)?]);
        } else {
            value.push(2);
            value.extend(word.bytes().map(i128::from));
            value.push(0);
        }
    }
    value.push(0);
    Some(value)
}

/// A number with a decimal comma and thousands by points, in millionths.
fn price(text: &str) -> Option<Vec<i128>> {
    const CURRENCIES: [char; 4] = ['$', '€', '£', '₹'];
    let signed = |text: &str| {
        let rest = text.strip_prefix(['+', '-']);
        rest.map(|rest| (text.starts_with('-'), rest.to_owned()))
    };
    let (mut is_negative, mut rest) = signed(text).unwrap_or((false, text.to_owned()));
    if let Some(behind) = rest.strip_prefix(CURRENCIES) {
        let behind = behind.trim_start();
        let second = if signed(text).is_none() { signed(behind) } else { None };
        (is_negative, rest) = second.unwrap_or((is_negative, behind.to_owned()));
    } else if let Some(before) = rest.strip_suffix(CURRENCIES) {
        rest = before.trim_end().to_owned();
    }
    let (whole, fraction) = rest.split_once(',').unwrap_or((&rest, ""));
    let groups: Vec<&str> = whole.split('.').collect();
    let is_grouped = groups.len() == 1
        || (1..=3).contains(&groups[0].len()) && groups[1..].iter().all(|group| group.len() == 3);
    let digits = groups.concat();
    let all = digits.clone() + fraction;
    if !is_grouped || all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: i128 = format!("{digits}{fraction:0<6}").parse().ok()?;
    Some(vec![if is_negative { -value } else { value }])
}

/// The parts of `text` that a pattern describes: 9 stands for a digit, all else for itself.
fn matched(pattern: &str, text: &str) -> Option<Vec<i128>> {
    if pattern.len() != text.len() {
        return None;
    }
    let mut numbers = vec![0];
    for (expected, found) in pattern.chars().zip(text.chars()) {
        match (expected, found.to_digit(10)) {
            ('9', Some(digit)) if found.is_ascii() => {
                let last = numbers.len() - 1;
                numbers[last] = 10 * numbers[last] + i128::from(digit);
            }
            ('9', _) => return None,
            _ if expected == found => numbers.push(0),
            _ => return None,
        }
    }
    Some(numbers)
}

fn days_in(year: i128, month: i128) -> i128 {
    let is_leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn date(text: &str) -> Option<Vec<i128>> {
    let date = match text.len() {
        10 => matched("9999-99-99", text)?,
        8 => {
            let whole = matched("99999999", text)?[0];
            vec![whole / 10_000, whole / 100 % 100, whole % 100]
        }
        _ => return None,
    };
    let is_day = (1..=12).contains(&date[1]) && (1..=days_in(date[0], date[1])).contains(&date[2]);
    is_day.then_some(date)
}

/// The second of the day, whether it is a leap second, and the digits behind it.
fn time(text: &str) -> Option<Vec<i128>> {
    let end = text.find(['Z', 'z', '+', '-', ' ']).unwrap_or(text.len());
    let (shown, offset) = text.split_at(end);
    let mut value = clock(shown)?;
    let offset = offset.strip_prefix(' ').unwrap_or(offset);
    let ahead = match offset {
        "" | "Z" | "z" => 0,
        _ => {
            let sign = if offset.starts_with('-') { -1 } else { 1 };
            let digits = offset.strip_prefix(['+', '-'])?;
            let numbers = match digits.len() {
                2 => matched("99", digits)?,
                4 => matched("99:99", &format!("{}:{}", digits.get(..2)?, digits.get(2..)?))?,
                _ => matched("99:99", digits)?,
            };
            let minutes = numbers.get(1).copied().unwrap_or(0);
            if numbers[0] > 23 || minutes > 59 {
                return None;
            }
            sign * 60 * (60 * numbers[0] + minutes)
        }
    };
    value[0] -= ahead;
    Some(value)
}

fn clock(text: &str) -> Option<Vec<i128>> {
    let (clock, fraction) = match text.split_once(['.', ',']) {
        Some((_, "")) => return None,
        Some((clock, fraction)) => (clock, fraction),
        None => (text, ""),
    };
    let numbers = match clock.len() {
        4 | 6 if clock.is_ascii() => {
            let pairs: Vec<&str> =
                (0..clock.len() / 2).map(|at| &clock[2 * at..2 * at + 2]).collect();
            matched(&vec!["99"; pairs.len()].join(":"), &pairs.join(":"))?
        }
        5 => matched("99:99", clock)?,
        8 => matched("99:99:99", clock)?,
        _ => return None,
    };
    if numbers.len() < 3 && !fraction.is_empty() {
        return None;
    }
    let second = numbers.get(2).copied().unwrap_or(0);
    if numbers[0] > 23 || numbers[1] > 59 || second > 60 {
        return None;
    }
    let mut value = vec![60 * (60 * numbers[0] + numbers[1]) + second.min(59)];
    value.push(i128::from(second == 60));
    for digit in fraction.chars() {
        value.push(i128::from(digit.to_digit(10).filter(|_| digit.is_ascii())?));
    }
    while value.len() > 2 && value.last() == Some(&0) {
        value.pop();
    }
    Some(value)
}

fn timestamp(text: &str) -> Option<Vec<i128>> {
    let has_hyphens = text.get(4..5) == Some("-");
    let (day, rest) = text.split_at_checked(if has_hyphens { 10 } else { 8 })?;
    let date = date(day)?;
    let mut days = 0;
    for year in 0..date[0] {
        days += if days_in(year, 2) == 29 { 366 } else { 365 };
    }
    for month in 1..date[1] {
        days += days_in(date[0], month);
    }
    days += date[2] - 1;
    if rest.is_empty() {
        return Some(vec![days * 86_400, 0]);
    }
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let mut value = time(rest)?;
    value[0] += days * 86_400;
    Some(value)
}

fn ip(text: &str) -> Option<Vec<i128>> {
    if let Ok(address) = text.parse::<std::net::Ipv4Addr>() {
        return Some(vec![4, i128::from(address.to_bits())]);
    }
    let address = text.parse::<std::net::Ipv6Addr>().ok()?;
    Some([6].into_iter().chain(address.segments().map(i128::from)).collect())
}

fn uuid(text: &str) -> Option<Vec<i128>> {
    let is_urn = text.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("urn:uuid:"));
    let inner = match text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        Some(inner) => inner,
        None if is_urn => &text[9..],
        None => text,
    };
    let groups: Vec<&str> = inner.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    if lengths != [32] && lengths != [8, 4, 4, 4, 12] {
        return None;
    }
    groups.concat().chars().map(|digit| digit.to_digit(16).map(i128::from)).collect()
}

/// A number by its sign and its digits, from 0 to 9.
fn signed(is_negative: bool, digits: &[u8]) -> Vec<i128> {
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    let digits = &digits[zeros..];
    let sign = if is_negative { -1 } else { 1 };
    let numbers = [digits.len() as i128].into_iter().chain(digits.iter().map(|&d| i128::from(d)));
    numbers.map(|number| sign * number).collect()
}

fn packed(bytes: &[u8]) -> Option<Vec<i128>> {
    let shown: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let (digits, sign) = shown.split_at_checked(shown.len().checked_sub(1)?)?;
    let digits: Option<Vec<u8>> =
        digits.chars().map(|digit| digit.to_digit(10).map(|digit| digit as u8)).collect();
    match sign {
        "a" | "c" | "e" | "f" => Some(signed(false, &digits?)),
        "b" | "d" => Some(signed(true, &digits?)),
        _ => None,
    }
}

fn zoned(form: &str, bytes: &[u8]) -> Option<Vec<i128>> {
    let is_ebcdic = form.ends_with("=ebcdic");
    let mut digits = Vec::new();
    let mut is_negative = None;
    for (at, &byte) in bytes.iter().enumerate() {
        let is_place = at == if form.contains("leading") { 0 } else { bytes.len() - 1 };
        let plain = if is_ebcdic { 0xf0..=0xf9 } else { 0x30..=0x39 };
        let over: &[(bool, &[u8])] = match is_ebcdic {
            true => &[
                (false, b"\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9"),
                (false, b"\xc0\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9"),
                (false, b"\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9"),
                (false, b"\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9"),
                (true, b"\xb0\xb1\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9"),
                (true, b"\xd0\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9"),
            ],
            false => &[
                (false, b"0123456789"),
                (false, b"{ABCDEFGHI"),
                (true, b"}JKLMNOPQR"),
                (true, b"pqrstuvwxy"),
            ],
        };
        match (is_place, form.contains("separate")) {
            (true, true) => {
                is_negative = Some(match (byte, is_ebcdic) {
                    (b'+', false) | (0x4e, true) => false,
                    (b'-', false) | (0x60, true) => true,
                    _ => return None,
                });
            }
            (true, false) => {
                let (sign, digit) = over.iter().find_map(|(sign, digits)| {
                    Some((*sign, digits.iter().position(|&digit| digit == byte)?))
                })?;
                is_negative = Some(sign);
                digits.push(digit as u8);
            }
            (false, _) if plain.contains(&byte) => digits.push(byte & 15),
            (false, _) => return None,
        }
    }
    if digits.is_empty() { None } else { Some(signed(is_negative?, &digits)) }
}

/// The value of a machine number; `None` where `kind` is none.
fn machine(kind: &str, bytes: &[u8]) -> Option<Option<Vec<i128>>> {
    let one = |number: i128| Some(vec![number]);
    // The integer in the order of IEEE 754's totalOrder.
    let double = |number: f64| {
        let bits = number.to_bits();
        one(if bits >> 63 == 1 { -i128::from(bits << 1 >> 1) - 1 } else { i128::from(bits) })
    };
    Some(match kind {
        "u8" => bytes.try_into().ok().and_then(|b| one(u8::from_le_bytes(b).into())),
        "i8" => bytes.try_into().ok().and_then(|b| one(i8::from_le_bytes(b).into())),
        "u16le" => bytes.try_into().ok().and_then(|b| one(u16::from_le_bytes(b).into())),
        "u32be" => bytes.try_into().ok().and_then(|b| one(u32::from_be_bytes(b).into())),
        "i32le" => bytes.try_into().ok().and_then(|b| one(i32::from_le_bytes(b).into())),
        "i64be" => bytes.try_into().ok().and_then(|b| one(i64::from_be_bytes(b).into())),
        "f64le" => bytes.try_into().ok().and_then(|b| double(f64::from_le_bytes(b))),
        "f64be" => bytes.try_into().ok().and_then(|b| double(f64::from_be_bytes(b))),
        _ => return None,
    })
}
