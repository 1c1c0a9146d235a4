//! Access tokens that can be told by their form alone: those whose makers gave them a beginning of their own, so that
//! scanners find them where nobody meant to put them.
//!
//! Each line is a form that its maker documents, or that the scanners of code hosting services look for (GitHub's
//! secret scanning, gitleaks). A token is taken for one when it stands by itself, begins so, and what follows is long
//! enough and as mixed as chance makes it: a digit and a letter in it, or, for a form of capitals only, that length and
//! nothing else. So `sk-learn-pipeline-with-long-name` and `hf_model_name_without_digits` are words.

use super::MASK;

/// What the rest of a token is made of.
#[derive(Clone, Copy)]
enum Tail {
    /// Letters, digits, `-` and `_`.
    Mixed,
    /// Capitals and digits, exactly as many as given.
    Capitals,
    /// Hexadecimal digits.
    Hex,
}

/// How tokens begin, what follows, and how many characters of that at least.
///
/// The numbers are below the documented lengths, since makers have changed those and kept the beginnings.
const FORMS: [(&str, Tail, usize); 43] = [
    // OpenAI (sk-, sk-proj-), Anthropic (sk-ant-), OpenRouter (sk-or-) and those who took it over.
    ("sk-", Tail::Mixed, 20),
    // GitHub: personal, OAuth, user-to-server, server-to-server, refresh; fine-grained.
    ("ghp_", Tail::Mixed, 16),
    ("gho_", Tail::Mixed, 16),
    ("ghu_", Tail::Mixed, 16),
    ("ghs_", Tail::Mixed, 16),
    ("ghr_", Tail::Mixed, 16),
    ("github_pat_", Tail::Mixed, 20),
    // GitLab.
    ("glpat-", Tail::Mixed, 16),
    ("gldt-", Tail::Mixed, 16),
    ("glrt-", Tail::Mixed, 16),
    // Slack: bot, user, app, refresh, configuration, session.
    ("xoxb-", Tail::Mixed, 10),
    ("xoxp-", Tail::Mixed, 10),
    ("xoxa-", Tail::Mixed, 10),
    ("xoxr-", Tail::Mixed, 10),
    ("xoxe-", Tail::Mixed, 10),
    ("xoxs-", Tail::Mixed, 10),
    ("xapp-", Tail::Mixed, 10),
    // AWS access key ids: long-lived, temporary.
    ("AKIA", Tail::Capitals, 16),
    ("ASIA", Tail::Capitals, 16),
    // Google API keys and OAuth.
    ("AIza", Tail::Mixed, 30),
    ("GOCSPX-", Tail::Mixed, 20),
    ("ya29.", Tail::Mixed, 20),
    // Stripe: secret and restricted keys, webhooks.
    ("sk_live_", Tail::Mixed, 16),
    ("sk_test_", Tail::Mixed, 16),
    ("rk_live_", Tail::Mixed, 16),
    ("rk_test_", Tail::Mixed, 16),
    ("whsec_", Tail::Mixed, 16),
    // Package registries: npm, PyPI, crates.io, Docker Hub.
    ("npm_", Tail::Mixed, 30),
    ("pypi-", Tail::Mixed, 50),
    ("cio", Tail::Mixed, 32),
    ("dckr_pat_", Tail::Mixed, 16),
    // Models and search: Hugging Face, Groq, Perplexity, xAI, Replicate, Tavily.
    ("hf_", Tail::Mixed, 30),
    ("gsk_", Tail::Mixed, 30),
    ("pplx-", Tail::Mixed, 30),
    ("xai-", Tail::Mixed, 30),
    ("r8_", Tail::Mixed, 30),
    ("tvly-", Tail::Mixed, 20),
    // Services that MCP servers are often given keys of: Linear, Figma, Notion, DigitalOcean, Supabase, Sentry.
    ("lin_api_", Tail::Mixed, 20),
    ("figd_", Tail::Mixed, 20),
    ("ntn_", Tail::Mixed, 30),
    ("dop_v1_", Tail::Hex, 32),
    ("sbp_", Tail::Hex, 32),
    ("sntrys_", Tail::Mixed, 30),
];

/// How the parts of a JSON Web Token begin: `{"` in base64.
const JWT: &str = "eyJ";

/// The text without access tokens that can be told by their form.
pub(super) fn mask_tokens(text: &str) -> Option<String> {
    let mut masked = String::new();
    let mut copied = 0;
    let mut start = None;
    let mut found_any = false;
    let end = std::iter::once((text.len(), ' '));
    for (offset, character) in text.char_indices().chain(end) {
        if is_part(character) {
            start.get_or_insert(offset);
            continue;
        }
        let Some(word) = start
            .take()
            .and_then(|start| Some((start, text.get(start..offset)?)))
        else {
            continue;
        };
        let (start, word) = word;
        // A sentence may end behind it.
        let word = word.trim_end_matches('.');
        if is_token(word) {
            masked.push_str(text.get(copied..start).unwrap_or_default());
            masked.push_str(MASK);
            copied = start + word.len();
            found_any = true;
        }
    }
    found_any.then(|| {
        masked.push_str(text.get(copied..).unwrap_or_default());
        masked
    })
}

const fn is_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')
}

fn is_token(word: &str) -> bool {
    let by_form = FORMS.iter().any(|(start, tail, least)| {
        word.strip_prefix(start)
            .is_some_and(|rest| fits(rest, *tail, *least))
    });
    by_form || is_jwt(word)
}

fn fits(rest: &str, tail: Tail, least: usize) -> bool {
    // What follows a dot is no part of most tokens, and a file's extension is none of any.
    let rest = rest.split('.').next().unwrap_or_default();
    let has_both =
        rest.contains(|c: char| c.is_ascii_digit()) && rest.contains(|c: char| c.is_ascii_alphabetic());
    match tail {
        Tail::Mixed => rest.len() >= least && has_both && is_unlike_words(rest),
        Tail::Capitals => {
            rest.len() == least
                && rest
                    .bytes()
                    .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        }
        Tail::Hex => rest.len() >= least && rest.bytes().all(|byte| byte.is_ascii_hexdigit()),
    }
}

/// Whether a piece between `-` and `_` is one that chance makes: long, or of digits and letters.
fn is_unlike_words(rest: &str) -> bool {
    rest.split(['-', '_']).any(|piece| {
        let digits = piece.bytes().filter(u8::is_ascii_digit).count();
        let letters = piece.bytes().filter(u8::is_ascii_alphabetic).count();
        let turns = piece
            .as_bytes()
            .windows(2)
            .filter(|pair| matches!(pair, [a, b] if a.is_ascii_digit() != b.is_ascii_digit()))
            .count();
        piece.len() >= 8 && digits >= 1 && (letters == 0 || turns >= 2 || piece.len() >= 16)
    })
}

/// Three parts with dots between, of which the first two are JSON in base64.
fn is_jwt(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    matches!(parts.as_slice(), [header, claims, signature]
        if header.starts_with(JWT) && claims.starts_with(JWT) && header.len() >= 16 && claims.len() >= 16
            && signature.len() >= 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A made-up tail, so that no test holds what a scanner would take for a leak.
    fn tail(length: usize) -> String {
        "a1B2c3D4e5F6g7H8".chars().cycle().take(length).collect()
    }

    #[test]
    fn every_form_is_known_by_itself_and_in_text() {
        for (start, form, least) in FORMS {
            let rest = match form {
                Tail::Mixed => tail(least.max(36)),
                Tail::Capitals => "A1B2C3D4E5F6G7H8".chars().take(least).collect(),
                Tail::Hex => "0123456789abcdef".repeat(4),
            };
            let token = format!("{start}{rest}");
            assert_eq!(mask_tokens(&token).as_deref(), Some("***"), "{token}");
            let text = format!("run --with {token}, \u{e9} \"{token}\" and {token}.");
            assert_eq!(
                mask_tokens(&text).as_deref(),
                Some("run --with ***, \u{e9} \"***\" and ***."),
                "{token}"
            );
        }
        let jwt = format!("eyJ{}.eyJ{}.{}", tail(20), tail(20), tail(20));
        assert_eq!(mask_tokens(&format!("t={jwt}")).as_deref(), Some("t=***"));
        let openai = format!("sk-proj-{}-{}", tail(20), tail(20));
        assert_eq!(mask_tokens(&openai).as_deref(), Some("***"));
        let slack = format!("xoxb-{}-{}-{}", "123456789012", "123456789012", tail(24));
        assert_eq!(mask_tokens(&slack).as_deref(), Some("***"));
    }

    #[test]
    fn words_that_look_like_one_are_kept() {
        for text in [
            "",
            "sk-",
            "sk-learn-pipeline-with-a-rather-long-name",
            "sk-2024-roadmap-for-the-whole-team",
            "task-1234567890-abcdef1234567890",
            "hf_transformers_model_name_of_some_length",
            "npm_config_registry_for_this_project_2",
            "npm_lifecycle_event",
            "pypi-server",
            "cioran-quotes-server-for-everyone-v2",
            "AKIAKOREA",
            "AKIAIOSFODNN7EXAMPLEx",
            "ASIAPACIFICREGIONSERVER",
            "xai-org-grok-cookbook-examples-and-more-2",
            "r8_quantized",
            "@modelcontextprotocol/server-everything",
            "mcp-server-github@2025.4.8",
            "https://example.com/xapp-v2/index.html",
            "550e8400-e29b-41d4-a716-446655440000",
            "d41d8cd98f00b204e9800998ecf8427e",
            "eyJhbGciOiJIUzI1NiJ9",
            "config.production.local.json",
            "glpat-",
            "figd_plugin_settings_for_design_2",
        ] {
            assert_eq!(mask_tokens(text), None, "{text}");
        }
    }

    #[test]
    fn time_is_linear() {
        let text = "sk-".repeat(200_000) + &".".repeat(200_000) + &"eyJ.".repeat(100_000);
        assert_eq!(mask_tokens(&text), None);
    }
}
