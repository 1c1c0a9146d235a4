//! Interruption: what is staged is cleared away first, then the process ends by the signal as if nothing had caught it.

#[cfg(unix)]
mod caught {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, OnceLock};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::flag;

    /// The signal that came; 0 for none.
    static CAUGHT: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

    /// From here on the signals that end a process are kept for [`is_caught`]. Whoever signals twice is not kept waiting.
    pub(in crate::cli) fn catch() {
        CAUGHT.get_or_init(|| {
            let caught = Arc::new(AtomicUsize::new(0));
            for signal in [SIGHUP, SIGINT, SIGTERM] {
                let number = usize::try_from(signal).unwrap_or_default();
                // One that cannot be caught ends the process as ever; the next run clears away.
                let again = Arc::new(AtomicBool::new(false));
                let _ = flag::register_conditional_default(signal, Arc::clone(&again));
                let _ = flag::register(signal, again);
                let _ = flag::register_usize(signal, Arc::clone(&caught), number);
            }
            // A limit on the size of files then fails the write, as a full disk does, and does not end the process.
            let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
            caught
        });
    }

    /// Whether one came.
    pub(in crate::cli) fn is_caught() -> bool {
        CAUGHT
            .get()
            .is_some_and(|caught| caught.load(Ordering::Relaxed) != 0)
    }

    /// Ends the process by the signal that came, if one did.
    pub(in crate::cli) fn obey() {
        let signal = CAUGHT.get().map_or(0, |caught| caught.load(Ordering::Relaxed));
        if let Some(signal) = i32::try_from(signal).ok().filter(|signal| *signal != 0) {
            end_by(signal);
        }
    }

    /// Ends the process by a signal, as if nothing had caught it. Comes back only where that is not to be had.
    pub(in crate::cli) fn end_by(signal: i32) {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
}

#[cfg(not(unix))]
mod caught {
    pub(in crate::cli) fn catch() {}

    pub(in crate::cli) fn is_caught() -> bool {
        false
    }

    pub(in crate::cli) fn obey() {}

    pub(in crate::cli) fn end_by(_signal: i32) {}
}

pub(super) use caught::{catch, end_by, is_caught, obey};
