//! Names that say which server they belong to: `<server>:<uri>`, `<server>:<prompt>`.
//!
//! Server names, uris and prompts may all hold colons, so such a name alone does not say where the server ends. It is
//! read against the servers that are known: the longest of them that is a prefix is meant.

/// The name of something of a server, as it is listed and as it can be given back.
#[must_use]
pub fn qualify(server: &str, own: &str) -> String {
    format!("{server}:{own}")
}

/// The server that a qualified name means, and what it calls the thing itself; `None` if no known server is a prefix.
///
/// Of several the longest wins: with the servers `a` and `a:b`, `a:b:c` is `c` of `a:b`.
#[must_use]
pub fn split<'a, 'n>(
    name: &'n str,
    servers: impl IntoIterator<Item = &'a str>,
) -> Option<(&'a str, &'n str)> {
    servers
        .into_iter()
        .filter_map(|server| Some((server, name.strip_prefix(server)?.strip_prefix(':')?)))
        .max_by_key(|(server, _)| server.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_longest_server_wins() {
        let servers = ["a", "a:b", "a:b:c:d", ""];
        assert_eq!(split("a:b:c", servers), Some(("a:b", "c")));
        assert_eq!(split("a:x:c", servers), Some(("a", "x:c")));
        assert_eq!(split("a:b", servers), Some(("a", "b")));
        assert_eq!(split("ab:c", servers), None);
        assert_eq!(split(":c", servers), Some(("", "c")));
        assert_eq!(split("a", servers), None);
        assert_eq!(split("file:///x", ["files"]), None);
    }

    proptest! {
        /// A listed name comes back as it was, unless the thing's own name begins with the rest of a longer server's.
        #[test]
        fn what_is_listed_can_be_given_back(
            servers in proptest::collection::vec("[ab:/ é]{0,4}", 1..5),
            own in "[ab:/ é{}]{0,8}",
        ) {
            for server in &servers {
                let name = qualify(server, &own);
                let (found, rest) = split(&name, servers.iter().map(String::as_str)).expect("its server is known");
                prop_assert_eq!(qualify(found, rest), name.clone());
                if found == server {
                    prop_assert_eq!(rest, own.as_str());
                } else {
                    prop_assert!(found.len() > server.len());
                }
            }
        }
    }
}
