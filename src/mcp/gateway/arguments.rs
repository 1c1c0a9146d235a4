//! The arguments of the gateway's own tools, checked: a model that makes a mistake is told which, and what to do.

use rmcp::model::JsonObject;
use serde_json::Value;

use super::surface::Own;
use crate::model::nearest;

/// The arguments of one call.
pub(super) struct Arguments {
    own: Own,
    given: JsonObject,
}

impl Arguments {
    /// Takes the arguments of a call of one of the gateway's own tools.
    ///
    /// # Errors
    ///
    /// A name that is none of its arguments'.
    pub(super) fn of(own: Own, given: Option<JsonObject>, handles: bool) -> Result<Self, String> {
        let given = given.unwrap_or_default();
        let keys = own.keys(handles);
        if let Some(unknown) = given.keys().find(|key| !keys.contains(*key)) {
            let help = match nearest(unknown, keys.iter().map(String::as_str)).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it takes {}", keys.join(", ")),
            };
            return Err(format!("`{}` takes no `{unknown}`; {help}", own.name()));
        }
        Ok(Self { own, given })
    }

    /// A text that has to be there.
    pub(super) fn text(&mut self, key: &str) -> Result<String, String> {
        match self.optional_text(key)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            _ => Err(format!("`{}` requires a non-empty `{key}`", self.own.name())),
        }
    }

    /// A text that may be left out.
    pub(super) fn optional_text(&mut self, key: &str) -> Result<Option<String>, String> {
        match self.given.remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(format!("`{key}` is {}, not text", kind(&other))),
        }
    }

    /// An object that may be left out.
    pub(super) fn object(&mut self, key: &str) -> Result<Option<JsonObject>, String> {
        match self.given.remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(object)) => Ok(Some(object)),
            Some(other) => Err(format!(
                "`{key}` is {}, not an object: give the arguments themselves, such as {{\"path\": \"/tmp\"}}",
                kind(&other)
            )),
        }
    }

    /// The most hits of a search: 5 if it is not said, or not said as a number of hits; from 1 to 20.
    pub(super) fn limit(&mut self) -> usize {
        const USUAL: usize = 5;
        match self.given.remove("limit").as_ref().and_then(Value::as_u64) {
            Some(limit) => usize::try_from(limit.clamp(1, 20)).unwrap_or(USUAL),
            None => USUAL,
        }
    }
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(own: Own, given: &Value) -> Result<Arguments, String> {
        Arguments::of(own, given.as_object().cloned(), false)
    }

    #[test]
    fn a_limit_that_is_none_is_the_usual_one() {
        for (given, limit) in [
            (json!({}), 5),
            (json!({"limit": 0}), 1),
            (json!({"limit": 7}), 7),
            (json!({"limit": 21}), 20),
            (json!({"limit": -3}), 5),
            (json!({"limit": 2.5}), 5),
            (json!({"limit": "9"}), 5),
        ] {
            assert_eq!(of(Own::ToolSearch, &given).unwrap().limit(), limit, "{given}");
        }
    }

    #[test]
    fn a_mistake_is_named() {
        let unknown = of(Own::ToolSearch, &json!({"querry": "x"})).err().unwrap();
        assert!(unknown.contains("did you mean `query`?"), "{unknown}");
        let mut blank = of(Own::ToolSearch, &json!({"query": " "})).unwrap();
        assert!(blank.text("query").unwrap_err().contains("non-empty `query`"));
        let mut text = of(Own::CallTool, &json!({"name": "a__b", "arguments": "{}"})).unwrap();
        assert!(
            text.object("arguments")
                .unwrap_err()
                .contains("is text, not an object")
        );
        let mut number = of(Own::CallTool, &json!({"name": 1})).unwrap();
        assert!(number.text("name").unwrap_err().contains("a number, not text"));
    }
}
