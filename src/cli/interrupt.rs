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
            let hang_up = (!is_hang_up_ignored()).then_some(SIGHUP);
            for signal in hang_up.into_iter().chain([SIGINT, SIGTERM]) {
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

    /// Whether whoever started us wants hanging up ignored, as `nohup` does; asked before a handler is set. Elsewhere
    /// than on Linux there is no way to ask that is safe, and it counts as not wanted.
    pub(in crate::cli) fn is_hang_up_ignored() -> bool {
        static IGNORED: OnceLock<bool> = OnceLock::new();
        *IGNORED.get_or_init(|| {
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
            let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
            // The lowest bit is signal 1.
            mask.is_some_and(|mask| mask & (1 << (SIGHUP - 1)) != 0)
        })
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

#[cfg(all(unix, feature = "mcp"))]
pub(super) use caught::is_hang_up_ignored;
pub(super) use caught::{catch, end_by, is_caught, obey};
