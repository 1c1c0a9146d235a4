//! Lengths of time as people write them.

use std::time::Duration;

/// Reads a duration: a whole number and `ms`, `s`, `m`, `h` or `d`, such as `10m`.
///
/// # Errors
///
/// What is wrong with the text: one sentence without a full stop.
pub fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let unit = text.strip_prefix(digits).unwrap_or_default();
    let milliseconds: u64 = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => {
            return Err(format!(
                "`{text}` is no duration: a whole number and ms, s, m, h or d"
            ));
        }
    };
    let count: u64 = digits
        .parse()
        .map_err(|_| format!("`{text}` is no duration: a whole number and ms, s, m, h or d"))?;
    let total = count
        .checked_mul(milliseconds)
        .ok_or_else(|| format!("`{text}` is too long"))?;
    Ok(Duration::from_millis(total))
}

/// A duration as people write it: the largest unit that divides it, else milliseconds.
#[must_use]
pub fn words(duration: Duration) -> String {
    let milliseconds = duration.as_millis();
    for (unit, length) in [("h", 3_600_000), ("m", 60_000), ("s", 1_000)] {
        if milliseconds != 0 && milliseconds.is_multiple_of(length) {
            return format!("{}{unit}", milliseconds / length);
        }
    }
    format!("{milliseconds}ms")
}
