//! What an operation's arguments must be for a trigger to fire.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// What one argument must be.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// It equals this value: deeply, and numbers by value, so that 1 and 1.0 are equal.
    Equals(Value),
    /// It is there, or it is not. Null counts as there.
    Present(bool),
    /// It equals one of these values.
    OneOf(Vec<Value>),
    /// It is text that begins so.
    Prefix(String),
}

impl Condition {
    /// Whether an argument, or its absence, is meant.
    #[must_use]
    pub fn holds(&self, argument: Option<&Value>) -> bool {
        match self {
            Self::Equals(expected) => argument.is_some_and(|value| equal(expected, value)),
            Self::Present(wanted) => argument.is_some() == *wanted,
            Self::OneOf(expected) => {
                argument.is_some_and(|value| expected.iter().any(|expected| equal(expected, value)))
            }
            Self::Prefix(prefix) => argument
                .and_then(Value::as_str)
                .is_some_and(|text| text.starts_with(prefix.as_str())),
        }
    }

    /// Whether no argument whatever can meet it.
    #[must_use]
    pub fn is_impossible(&self) -> bool {
        matches!(self, Self::OneOf(values) if values.is_empty())
    }

    /// Whether the same arguments meet both: values are compared as arguments are, and one value is a set of one.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Equals(_) | Self::OneOf(_), Self::Equals(_) | Self::OneOf(_)) => {
                let (one, other) = (self.values(), other.values());
                let has_all = |of: &[Value], all: &[Value]| {
                    all.iter().all(|value| of.iter().any(|known| equal(known, value)))
                };
                has_all(one, other) && has_all(other, one)
            }
            (Self::Present(one), Self::Present(other)) => one == other,
            (Self::Prefix(one), Self::Prefix(other)) => one == other,
            (Self::Equals(_) | Self::OneOf(_) | Self::Present(_) | Self::Prefix(_), _) => false,
        }
    }

    /// The values that it asks for one of.
    fn values(&self) -> &[Value] {
        match self {
            Self::Equals(value) => std::slice::from_ref(value),
            Self::OneOf(values) => values,
            Self::Present(_) | Self::Prefix(_) => &[],
        }
    }

    /// In words, for the argument of this name.
    #[must_use]
    pub fn describe(&self, name: &str) -> String {
        match self {
            Self::Equals(value) => format!("{name} = {value}"),
            Self::Present(true) => format!("{name} is given"),
            Self::Present(false) => format!("{name} is not given"),
            Self::OneOf(values) => {
                let values: Vec<String> = values.iter().map(Value::to_string).collect();
                format!("{name} is one of {}", values.join(", "))
            }
            Self::Prefix(prefix) => format!("{name} begins with {}", Value::from(prefix.as_str())),
        }
    }
}

/// Conditions by argument; all must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArgumentConditions(pub Vec<(String, Condition)>);

impl ArgumentConditions {
    /// Whether an operation's arguments meet all conditions. Arguments that are absent, or that are no object, are an
    /// empty object: a conditional trigger does not fire on them.
    #[must_use]
    pub fn hold(&self, arguments: Option<&Value>) -> bool {
        self.0
            .iter()
            .all(|(name, condition)| condition.holds(arguments.and_then(|all| all.get(name))))
    }

    /// Whether the same arguments meet these conditions and others, in whatever order they stand.
    #[must_use]
    pub fn are_same_as(&self, other: &Self) -> bool {
        let has_all = |of: &Self, all: &Self| {
            all.0.iter().all(|(name, condition)| {
                let same =
                    |(known, other): &(String, Condition)| known == name && condition.is_same_as(other);
                of.0.iter().any(same)
            })
        };
        has_all(self, other) && has_all(other, self)
    }

    /// In words; empty if there are none.
    #[must_use]
    pub fn describe(&self) -> String {
        let parts: Vec<String> = self
            .0
            .iter()
            .map(|(name, condition)| condition.describe(name))
            .collect();
        parts.join(" and ")
    }
}

/// Deep equality of JSON values, numbers by value.
pub(super) fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => same_number(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => one == other,
    }
}

/// Whole numbers are compared as such: floating point cannot tell large ones apart.
fn same_number(one: &Number, other: &Number) -> bool {
    let whole = |number: &Number| {
        number.as_i128().or_else(|| {
            let float = number
                .as_f64()
                .filter(|float| float.fract() == 0.0 && float.abs() < 9.0e15)?;
            // In this range the conversion is exact.
            Some(float as i128)
        })
    };
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one
            .as_f64()
            .zip(other.as_f64())
            .is_some_and(|(one, other)| one.partial_cmp(&other) == Some(Ordering::Equal)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn conditions(name: &str, condition: Condition) -> ArgumentConditions {
        ArgumentConditions(vec![(name.to_owned(), condition)])
    }

    #[test]
    fn absent_arguments_are_an_empty_object() {
        let equals = conditions("kind", Condition::Equals(json!("full")));
        assert!(!equals.hold(None));
        assert!(!equals.hold(Some(&json!("full"))));
        assert!(equals.hold(Some(&json!({"kind": "full", "more": 1}))));
        assert!(ArgumentConditions::default().hold(None));
        assert!(conditions("since", Condition::Present(false)).hold(None));
    }

    #[test]
    fn equality_is_deep_and_numbers_are_compared_by_value() {
        for (one, other, same) in [
            (json!({"a": [1, {"b": 2}]}), json!({"a": [1.0, {"b": 2}]}), true),
            (json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}), true),
            (json!({"a": 1}), json!({"a": 1, "b": 2}), false),
            (json!([1, 2]), json!([2, 1]), false),
            (json!(1), json!("1"), false),
            (json!(1), json!(true), false),
            (
                json!(9_007_199_254_740_993_u64),
                json!(9_007_199_254_740_992_u64),
                false,
            ),
            (json!(0.1), json!(0.1), true),
            (json!(-0.0), json!(0), true),
            (json!(null), json!(null), true),
        ] {
            assert_eq!(equal(&one, &other), same, "{one} {other}");
            assert_eq!(equal(&other, &one), same, "{other} {one}");
        }
    }

    #[test]
    fn conditions_are_the_same_if_the_same_arguments_meet_them() {
        let equals = |value: Value| Condition::Equals(value);
        let one_of = |values: &[Value]| Condition::OneOf(values.to_vec());
        for (one, other, same) in [
            (equals(json!(1)), equals(json!(1.0)), true),
            (equals(json!({"a": [1]})), equals(json!({"a": [1.0]})), true),
            (equals(json!(1)), equals(json!("1")), false),
            (
                one_of(&[json!(1), json!("a")]),
                one_of(&[json!("a"), json!(1.0), json!(1)]),
                true,
            ),
            (one_of(&[json!(1), json!("a")]), one_of(&[json!(1)]), false),
            (one_of(&[json!(2.0)]), equals(json!(2)), true),
            (one_of(&[]), one_of(&[]), true),
            (one_of(&[]), Condition::Present(false), false),
            (Condition::Present(true), Condition::Present(true), true),
            (
                Condition::Prefix("a".into()),
                Condition::Prefix("b".into()),
                false,
            ),
        ] {
            assert_eq!(one.is_same_as(&other), same, "{one:?} {other:?}");
            assert_eq!(other.is_same_as(&one), same, "{other:?} {one:?}");
        }
    }

    #[test]
    fn presence_sets_and_prefixes() {
        assert!(Condition::Present(true).holds(Some(&json!(null))));
        assert!(!Condition::Present(true).holds(None));
        assert!(Condition::OneOf(vec![json!("a"), json!(1)]).holds(Some(&json!(1.0))));
        assert!(!Condition::OneOf(vec![]).holds(Some(&json!(1))));
        assert!(Condition::OneOf(vec![]).is_impossible());
        assert!(Condition::Prefix("ses".into()).holds(Some(&json!("session"))));
        assert!(!Condition::Prefix("ses".into()).holds(Some(&json!(["session"]))));
    }
}
