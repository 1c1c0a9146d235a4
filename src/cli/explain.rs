//! `explain`: what a rule, state or diagnostic means.

use std::path::Path;

use aleph_discover::report::explain::{explain, explanations};
use aleph_discover::report::{ExplainListView, nearest, table};

use super::args::{Explain, Format};
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;

/// The most codes that are offered for one that there is not.
const MOST: usize = 5;

pub(super) fn run(args: &Explain, output: &mut Output) -> Result<Exit, Failure> {
    // There are no paths in the answer, so it does not matter what they would be relative to.
    let look = output.look(Path::new(""));
    let Some(code) = &args.code else {
        match output.format {
            Format::Table => table::explanations(&explanations(), &look, output.stdout())?,
            Format::Json => output.json(&ExplainListView::default())?,
            Format::Jsonl => output.json_line(&ExplainListView::default())?,
            Format::Paths => {
                for known in explanations() {
                    output.path(Path::new(known.code))?;
                }
            }
        }
        return Ok(Exit::Done);
    };
    let Some(explanation) = explain(code) else {
        return Err(unknown(code));
    };
    match output.format {
        Format::Table => table::explanation(&explanation, &look, output.stdout())?,
        Format::Json => output.json(&explanation.view())?,
        Format::Jsonl => output.json_line(&explanation.view())?,
        Format::Paths => output.path(Path::new(explanation.code))?,
    }
    Ok(Exit::Done)
}

/// The codes are a closed list, so one that is not in it is a slip, not a question with the answer no.
fn unknown(code: &str) -> Failure {
    let all = explanations();
    let codes = || all.iter().map(|known| known.code);
    let mut near = nearest(code, codes());
    if near.is_empty() {
        // Long codes are remembered by a word of theirs: `natve` for `native-over-claude`.
        let has_word =
            |known: &&str| !nearest(code, known.split('-').filter(|word| word.len() > 3)).is_empty();
        near = codes().filter(has_word).take(MOST).map(str::to_owned).collect();
    }
    let help = match near.as_slice() {
        [] => "`aleph-discover explain` lists all codes; for a name found on disk ask `why`".to_owned(),
        [one] => format!("did you mean `{one}`?"),
        [first @ .., last] => format!("did you mean `{}` or `{last}`?", first.join("`, `")),
    };
    Failure::usage(format!("there is no rule, state or diagnostic `{code}`"), help)
}
