//! What a scalar is under the core schema of YAML 1.2, where `yes` is text and `1_000` too.

/// What an unquoted, untagged scalar stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScalarKind {
    Null,
    Text,
    Boolean,
    Number,
}

/// Resolves a plain scalar. (YAML 1.2.2, section 10.3.2)
pub(super) fn plain_kind(text: &str) -> ScalarKind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => ScalarKind::Null,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => ScalarKind::Boolean,
        _ if is_number(text) => ScalarKind::Number,
        _ => ScalarKind::Text,
    }
}

fn is_number(text: &str) -> bool {
    // Nearly every value is text, and this tells by one byte.
    if !text.starts_with(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', '-', '.']) {
        return false;
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return !digits.is_empty() && digits.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let exponent_fits =
        exponent.is_none_or(|exponent| is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)));
    let mantissa_fits = match mantissa.split_once('.') {
        Some(("", fraction)) => is_digits(fraction),
        Some((whole, "")) => is_digits(whole),
        Some((whole, fraction)) => is_digits(whole) && is_digits(fraction),
        None => is_digits(mantissa),
    };
    exponent_fits && mantissa_fits
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_plain_scalars_by_the_core_schema() {
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(plain_kind(text), ScalarKind::Null, "{text:?}");
        }
        for text in ["true", "True", "TRUE", "false", "False", "FALSE"] {
            assert_eq!(plain_kind(text), ScalarKind::Boolean, "{text:?}");
        }
        for text in [
            "0", "007", "-1", "+1", "1.0", "1.", ".5", "-.5", "1e3", "1.5E-3", "0o17", "0xFf", ".inf",
            "-.INF", ".nan",
        ] {
            assert_eq!(plain_kind(text), ScalarKind::Number, "{text:?}");
        }
        for text in [
            "yes",
            "no",
            "on",
            "y",
            "nULL",
            "tRUE",
            "1_000",
            "1.2.3",
            "0b1",
            "0o",
            "0o8",
            "0x",
            "0xG",
            "-",
            "+",
            ".",
            "-.",
            "e3",
            "1e",
            "1e+",
            "2024-01-01",
            "12:30",
            "-.nan",
            "+0x1",
            "...",
            "1 ",
            "v1",
        ] {
            assert_eq!(plain_kind(text), ScalarKind::Text, "{text:?}");
        }
    }
}
