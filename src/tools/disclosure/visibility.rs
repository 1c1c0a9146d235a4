//! The one rule of visibility, clause by clause, and everything that follows from it alone.

use std::time::Duration;

use super::registry::ToolState;
use super::{Clause, ClauseKind, DiscoveryRegistry, KnownTools, Stage, TriggerRule};
use crate::parse::duration::words;
use crate::tools::{SearchIndex, SearchScope};

impl DiscoveryRegistry {
    /// Whether a tool is visible: every clause holds.
    #[must_use]
    pub fn is_visible(&self, name: &str, known: &dyn KnownTools, now: Duration) -> bool {
        self.clauses(name, known, now).iter().all(|clause| clause.holds)
    }

    /// The one rule of visibility, clause by clause; those that do not concern the tool are left out, and a tool that
    /// the rules do not speak of has only that of the operator's policy. Where it is known that there is no such tool,
    /// that is all there is to say.
    #[must_use]
    pub fn clauses(&self, name: &str, known: &dyn KnownTools, now: Duration) -> Vec<Clause> {
        if known.is_known(name) == Some(false) {
            return vec![Clause {
                clause: ClauseKind::Known,
                holds: false,
                detail: "is not among the tools that are known".to_owned(),
            }];
        }
        let rules = self.rules();
        let rule = rules.tool(name);
        let allowed = known.is_allowed(name);
        let mut clauses = vec![Clause {
            clause: ClauseKind::Policy,
            holds: allowed,
            detail: if allowed {
                "the operator allows it"
            } else {
                "the operator denies it"
            }
            .to_owned(),
        }];
        if let Some(rule) = rule.filter(|rule| rule.stage > Stage::default()) {
            clauses.push(Clause {
                clause: ClauseKind::Stage,
                holds: self.stages.reaches(rule),
                detail: format!(
                    "needs stage `{}`; `{}` is reached",
                    rules.stage_name(rule.stage),
                    self.stages.get_current_stage()
                ),
            });
        }
        if let Some((rule, domain)) = rule.and_then(|rule| Some((rule, rule.domain.as_ref()?))) {
            let active = self
                .stages
                .get_active_domain()
                .map_or("none".to_owned(), |active| format!("`{active}`"));
            clauses.push(Clause {
                clause: ClauseKind::Domain,
                holds: self.stages.is_in_domain(rule),
                detail: format!("belongs to domain `{domain}`; active is {active}"),
            });
        }
        let state = self.tools.get(name);
        if self.is_discoverable(name) {
            clauses.push(self.unlocked_clause(name, state));
        }
        if let Some(clause) = self.lease_clause(name, state, now) {
            clauses.push(clause);
        }
        if state.is_some_and(|state| state.hidden) {
            clauses.push(Clause {
                clause: ClauseKind::NotHidden,
                holds: false,
                detail: "was hidden, and stays so until it is shown".to_owned(),
            });
        }
        clauses
    }

    fn unlocked_clause(&self, name: &str, state: Option<&ToolState>) -> Clause {
        let holds = state.is_some_and(|state| state.used_at.is_some());
        let calls: Vec<String> = self.rules().triggers_of(name).map(TriggerRule::call).collect();
        let detail = if holds {
            "was unlocked in this session".to_owned()
        } else {
            format!("is unlocked by {}", calls.join(", or by "))
        };
        Clause {
            clause: ClauseKind::Unlocked,
            holds,
            detail,
        }
    }

    /// Only what was unlocked has a lease: a tool that is visible from the start has nobody to bring it back.
    fn lease_clause(&self, name: &str, state: Option<&ToolState>, now: Duration) -> Option<Clause> {
        if !self.is_discoverable(name) {
            return None;
        }
        let length = self.rules().tool(name)?.auto_hide_after?;
        let state = state?;
        let idle = now.saturating_sub(state.used_at?);
        let holds = state.in_flight > 0 || idle <= length;
        let detail = if state.in_flight > 0 {
            "is being called, which holds its lease".to_owned()
        } else if holds {
            format!(
                "has a lease that runs for {} more",
                words(length.saturating_sub(idle))
            )
        } else {
            format!(
                "had a lease of {} that ran out {} ago",
                words(length),
                words(idle.saturating_sub(length))
            )
        };
        Some(Clause {
            clause: ClauseKind::Lease,
            holds,
            detail,
        })
    }

    /// How long it is until the next lease runs out, if nothing is used meanwhile. One that a call holds counts as if it
    /// began now.
    #[must_use]
    pub fn next_expiry(&self, now: Duration) -> Option<Duration> {
        let left = self.tools.iter().filter_map(|(name, state)| {
            let length = self.rules().tool(name)?.auto_hide_after?;
            let used_at = state.used_at.filter(|_| self.is_discoverable(name))?;
            if state.in_flight > 0 {
                return Some(length);
            }
            // The last moment still holds.
            let over = used_at
                .saturating_add(length)
                .saturating_add(Duration::from_nanos(1));
            over.checked_sub(now).filter(|left| !left.is_zero())
        });
        left.min()
    }

    /// The tools that the rules speak of and that are visible, by name.
    #[must_use]
    pub fn visible_governed_tools(&self, known: &dyn KnownTools, now: Duration) -> Vec<String> {
        let governed = self.rules().governed_tools();
        governed
            .into_iter()
            .filter(|name| self.is_visible(name, known, now))
            .map(str::to_owned)
            .collect()
    }

    /// The tools that are not visible, by name: of those that the rules speak of and those that somebody hid. This, and
    /// not what is visible, tells all that can change: a tool that no rule speaks of is on no list until it is hidden.
    #[must_use]
    pub fn hidden_tools(&self, known: &dyn KnownTools, now: Duration) -> Vec<String> {
        let mut names: Vec<&str> = self.rules().governed_tools();
        names.extend(self.tools.keys().map(String::as_str));
        names.sort_unstable();
        names.dedup();
        names
            .into_iter()
            .filter(|name| !self.is_visible(name, known, now))
            .map(str::to_owned)
            .collect()
    }

    /// The tools of an index that a search may find: those that are visible. Good until visibility changes.
    #[must_use]
    pub fn scope(&self, index: &SearchIndex, known: &dyn KnownTools, now: Duration) -> SearchScope {
        let hidden = self.hidden_tools(known, now);
        let is_hidden = |name: &str| hidden.binary_search_by(|known| known.as_str().cmp(name)).is_ok();
        SearchScope::of(index, |tool| known.is_allowed(tool.name) && !is_hidden(tool.name))
    }

    /// The description of a tool as it stands now, where the rules give it one.
    #[must_use]
    pub fn description(&self, name: &str, known: &dyn KnownTools, now: Duration) -> Option<&str> {
        let rule = self.rules().tool(name)?;
        if !self.is_visible(name, known, now) {
            return rule.hidden_description.as_deref();
        }
        let unlocked = self
            .is_discoverable(name)
            .then_some(rule.discovered_description.as_deref())
            .flatten();
        unlocked.or_else(|| rule.description_at(self.stages.stage()))
    }
}
