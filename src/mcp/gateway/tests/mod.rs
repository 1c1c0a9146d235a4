//! The gateway between servers and clients in memory.

mod calls;
mod disclosure;
mod full;
mod lists;
mod looks;
mod replay;
mod rounds;

use super::*;
use crate::mcp::testing::{Fake, Fakes, settle};
use crate::tools::disclosure::read_rules;

/// A gateway to these servers, everything else as usual.
pub(super) fn gateway<const N: usize>(servers: [(&str, &Arc<Fake>); N]) -> Gateway {
    Gateway::new(Fakes::of(servers), GatewayConfig::default())
}

/// A gateway with rules of disclosure.
pub(super) fn with_rules<const N: usize>(servers: [(&str, &Arc<Fake>); N], rules: &str) -> Gateway {
    let (rules, problems) = read_rules(rules.as_bytes());
    assert_eq!(problems, []);
    let config = GatewayConfig {
        rules: Arc::new(rules),
        ..GatewayConfig::default()
    };
    Gateway::new(Fakes::of(servers), config)
}

/// A gateway with a policy.
pub(super) fn with_policy<const N: usize>(servers: [(&str, &Arc<Fake>); N], policy: Policy) -> Gateway {
    let config = GatewayConfig {
        policy,
        ..GatewayConfig::default()
    };
    Gateway::new(Fakes::of(servers), config)
}
