//! The names that were probably meant.

/// How alike two names must be, on a scale from 0 to 1, for one to be offered for the other.
const LIKE: f64 = 0.6;

/// The most names that are offered.
const MOST: usize = 5;

/// The known names nearest to what was given, best first; case does not count, and a name that contains the
/// given one, or is contained in it, counts as near.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted = given.trim().to_lowercase();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .filter_map(|name| {
            let candidate = name.to_lowercase();
            let contains = wanted.len() > 2
                && candidate.len() > 2
                && (candidate.contains(&wanted) || wanted.contains(&candidate));
            let alike = strsim::jaro_winkler(&wanted, &candidate)
                .max(strsim::normalized_damerau_levenshtein(&wanted, &candidate));
            let score = if candidate == wanted {
                2.0
            } else if contains {
                alike.max(LIKE)
            } else {
                alike
            };
            (score >= LIKE && (contains || is_near(&wanted, &candidate))).then_some((score, name))
        })
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    scored.dedup_by(|one, other| one.1 == other.1);
    scored
        .into_iter()
        .take(MOST)
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// A likely slip of the fingers: few edits for the length.
fn is_near(wanted: &str, candidate: &str) -> bool {
    let longest = wanted.chars().count().max(candidate.chars().count());
    strsim::damerau_levenshtein(wanted, candidate) <= (longest / 3).max(1)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let known = ["deploy", "deploy-staging", "review", "lint"];
        assert_eq!(nearest("depoly", known), ["deploy"]);
        assert_eq!(nearest("Deploy", known), ["deploy", "deploy-staging"]);
        assert_eq!(nearest("staging", known), ["deploy-staging"]);
        assert_eq!(nearest("wy", ["why", "scan"]), ["why"]);
        assert!(nearest("quux", known).is_empty());
        assert!(nearest(" ", known).is_empty());
    }
}
