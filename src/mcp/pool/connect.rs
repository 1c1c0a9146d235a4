//! How servers are reached.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Relay;
use crate::mcp::bridge::BoxFuture;
use crate::mcp::client::{Connection, FailureKind, ServerError, connect};
use crate::mcp::{LaunchPlan, Limits};

/// Reaches servers.
pub trait Connector: Send + Sync + 'static {
    /// The servers that there are, by name.
    fn servers(&self) -> Vec<String>;
    /// Whether a server may still run; asked whenever one is needed, so it must not take long.
    ///
    /// # Errors
    ///
    /// Why it may not.
    fn may_run(&self, _server: &str) -> Result<(), ServerError> {
        Ok(())
    }
    /// Starts or reaches one.
    fn connect(
        &self,
        server: &str,
        relay: Relay,
    ) -> BoxFuture<'static, Result<Connection<Relay>, ServerError>>;
}

/// The servers that launch plans describe.
#[derive(Clone)]
pub struct Plans {
    plans: BTreeMap<String, LaunchPlan>,
    limits: Limits,
    consent: Arc<ConsentOf>,
}

/// Whether the user still agrees to a server of this name.
type ConsentOf = dyn Fn(&str) -> bool + Send + Sync;

impl Plans {
    /// These plans; of two of one name the first counts.
    #[must_use]
    pub fn new(plans: Vec<LaunchPlan>, limits: Limits) -> Self {
        let mut by_name = BTreeMap::new();
        for plan in plans {
            by_name.entry(plan.name.clone()).or_insert(plan);
        }
        Self {
            plans: by_name,
            limits,
            consent: Arc::new(|_: &str| true),
        }
    }

    /// Has this asked whenever a server is needed, whether the user still agrees to it: an approval may be taken back
    /// while the servers run.
    #[must_use]
    pub fn with_consent(mut self, consent: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.consent = Arc::new(consent);
        self
    }
}

impl std::fmt::Debug for Plans {
    // The plans hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.plans.keys()).finish()
    }
}

impl Connector for Plans {
    fn servers(&self) -> Vec<String> {
        self.plans.keys().cloned().collect()
    }

    fn may_run(&self, server: &str) -> Result<(), ServerError> {
        if (self.consent)(server) {
            return Ok(());
        }
        let message =
            "its approval was taken back or is of another definition now, since the gateway was started";
        Err(ServerError::new(FailureKind::Unapproved, message))
    }

    fn connect(
        &self,
        server: &str,
        relay: Relay,
    ) -> BoxFuture<'static, Result<Connection<Relay>, ServerError>> {
        let plan = self.plans.get(server).cloned();
        let limits = self.limits.clone();
        let server = server.to_owned();
        Box::pin(async move {
            match plan {
                Some(plan) => connect(&plan, &limits, relay).await,
                None => Err(unknown(&server)),
            }
        })
    }
}

/// There is no such server.
fn unknown(server: &str) -> ServerError {
    ServerError::new(FailureKind::NotFound, format!("there is no server `{server}`"))
}
