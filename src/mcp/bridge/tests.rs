use std::collections::BTreeMap;
use std::sync::Mutex;

use serde_json::json;

use super::*;
use crate::mcp::{Gates, Wanted};

/// Servers that list what a test says.
#[derive(Default)]
struct Listed {
    offers: Mutex<BTreeMap<String, Offer>>,
    asked: Mutex<Vec<String>>,
    delay: Mutex<BTreeMap<String, Duration>>,
}

impl Listed {
    fn set(&self, server: &str, offer: Offer) {
        self.offers.lock().unwrap().insert(server.to_owned(), offer);
    }

    /// Takes that long for its list from now on.
    fn delay(&self, server: &str, delay: Duration) {
        self.delay.lock().unwrap().insert(server.to_owned(), delay);
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Lister for Listed {
    fn running(&self) -> Vec<String> {
        self.offers.lock().unwrap().keys().cloned().collect()
    }

    fn list(&self, server: &str) -> BoxFuture<'static, Result<Offer, String>> {
        self.asked.lock().unwrap().push(server.to_owned());
        let offer = self.offers.lock().unwrap().get(server).cloned();
        let delay = self
            .delay
            .lock()
            .unwrap()
            .get(server)
            .copied()
            .unwrap_or_default();
        Box::pin(async move {
            sleep_until(Instant::now() + delay).await;
            offer.ok_or_else(|| "gone".to_owned())
        })
    }
}

fn offer(of: &[Wanted]) -> Offer {
    let mut offer = Offer::default();
    for wanted in of {
        let value = match wanted {
            Wanted::Tools => json!({"name": "t", "inputSchema": {"type": "object"}}),
            Wanted::Resources => json!({"uri": "a:b", "name": "b"}),
            Wanted::Templates => json!({"uriTemplate": "a:{b}", "name": "b"}),
            Wanted::Prompts => json!({"name": "p"}),
        };
        offer.add(*wanted, value);
    }
    offer
}

struct Bench {
    registry: Arc<Registry>,
    lister: Arc<Listed>,
    events: broadcast::Sender<ServerEvent>,
}

const DEBOUNCE: Duration = Duration::from_millis(50);

impl Bench {
    /// With room for so many events that nobody has read.
    fn new(room: usize) -> Self {
        Self {
            registry: Arc::new(Registry::new()),
            lister: Arc::default(),
            events: broadcast::Sender::new(room),
        }
    }

    fn start(&self) {
        let lister: Arc<dyn Lister> = Arc::<Listed>::clone(&self.lister);
        tokio::spawn(run(
            Arc::clone(&self.registry),
            lister,
            self.events.subscribe(),
            DEBOUNCE,
        ));
    }

    fn tell(&self, server: &str, what: Happening) {
        let _ = self.events.send(ServerEvent {
            server: server.to_owned(),
            what,
        });
    }

    async fn settle(&self) {
        tokio::time::sleep(Duration::from_millis(300)).await;
    }

    fn gates(&self) -> (bool, bool) {
        let gates: Gates = self.registry.gates();
        (gates.resources, gates.prompts)
    }
}

#[tokio::test(start_paused = true)]
async fn what_started_before_anybody_listened_is_not_lost() {
    let bench = Bench::new(16);
    bench.lister.set("early", offer(&[Wanted::Resources]));
    bench.tell("early", Happening::Started);
    bench.start();
    bench.settle().await;
    assert_eq!(bench.gates(), (true, false));
    assert_eq!(bench.registry.live(), ["early"]);
}

#[tokio::test(start_paused = true)]
async fn gates_open_and_close_with_the_last_of_what_they_are_about() {
    let bench = Bench::new(16);
    bench.start();
    bench.settle().await;
    assert_eq!(bench.gates(), (false, false));
    let steps: [(&[Wanted], (bool, bool)); 6] = [
        (&[Wanted::Tools], (false, false)),
        (&[Wanted::Templates], (true, false)),
        (&[Wanted::Templates, Wanted::Prompts], (true, true)),
        (&[Wanted::Resources], (true, false)),
        (&[Wanted::Prompts], (false, true)),
        (&[], (false, false)),
    ];
    for (wanted, gates) in steps {
        bench.lister.set("a", offer(wanted));
        bench.tell("a", Happening::Changed);
        bench.settle().await;
        assert_eq!(bench.gates(), gates, "{wanted:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_of_two_servers_keeps_the_gate_open() {
    let bench = Bench::new(16);
    bench.start();
    bench.lister.set("a", offer(&[Wanted::Prompts]));
    bench.lister.set("b", offer(&[Wanted::Prompts]));
    bench.tell("a", Happening::Started);
    bench.tell("b", Happening::Started);
    bench.settle().await;
    bench.lister.set("a", offer(&[]));
    bench.tell("a", Happening::Changed);
    bench.settle().await;
    assert_eq!(bench.gates(), (false, true));
    bench.tell("b", Happening::Removed);
    bench.settle().await;
    assert_eq!(bench.gates(), (false, false));
}

#[tokio::test(start_paused = true)]
async fn one_that_stops_or_crashes_counts_with_its_snapshot_and_one_that_is_removed_does_not() {
    for what in [Happening::Stopped, Happening::Crashed] {
        let bench = Bench::new(16);
        bench.start();
        bench.lister.set("a", offer(&[Wanted::Resources]));
        bench.tell("a", Happening::Started);
        bench.settle().await;
        bench.lister.offers.lock().unwrap().clear();
        bench.tell("a", what);
        bench.settle().await;
        assert!(bench.registry.live().is_empty());
        assert_eq!(bench.gates(), (true, false), "{what:?}");
        bench.tell("a", Happening::Removed);
        bench.settle().await;
        assert_eq!(bench.gates(), (false, false));
    }
}

#[tokio::test(start_paused = true)]
async fn restarting_changes_nothing() {
    let bench = Bench::new(16);
    bench.start();
    bench.lister.set("a", offer(&[Wanted::Resources]));
    bench.tell("a", Happening::Started);
    bench.settle().await;
    let (version, asked) = (bench.registry.version(), bench.lister.asked());
    bench.tell("a", Happening::Restarting);
    bench.settle().await;
    assert_eq!((bench.registry.version(), bench.lister.asked()), (version, asked));
}

#[tokio::test(start_paused = true)]
async fn many_changes_at_once_are_one_question() {
    let bench = Bench::new(64);
    bench.start();
    bench.lister.set("a", offer(&[Wanted::Tools]));
    bench.tell("a", Happening::Started);
    bench.settle().await;
    let asked = bench.lister.asked();
    for _ in 0..20 {
        bench.tell("a", Happening::Changed);
    }
    bench.settle().await;
    assert_eq!(bench.lister.asked(), asked + 1);
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_lags_behind_looks_at_everything_again() {
    let bench = Bench::new(2);
    bench.start();
    bench.lister.set("gone", offer(&[Wanted::Prompts]));
    bench.tell("gone", Happening::Started);
    bench.settle().await;
    // More than there is room for, and none of them about what really changed.
    bench.lister.offers.lock().unwrap().clear();
    bench.lister.set("new", offer(&[Wanted::Resources]));
    for _ in 0..10 {
        bench.tell("other", Happening::Restarting);
    }
    bench.settle().await;
    assert_eq!(bench.registry.live(), ["new"]);
    assert!(bench.gates().0);
}

#[tokio::test(start_paused = true)]
async fn a_slow_server_keeps_no_other_waiting() {
    let bench = Bench::new(16);
    bench.start();
    bench.lister.delay("slow", Duration::from_secs(60));
    bench.lister.set("slow", offer(&[Wanted::Prompts]));
    bench.lister.set("quick", offer(&[Wanted::Resources]));
    bench.tell("slow", Happening::Started);
    bench.tell("quick", Happening::Started);
    bench.settle().await;
    assert_eq!(bench.gates(), (true, false));
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert_eq!(bench.gates(), (true, true));
}

#[tokio::test(start_paused = true)]
async fn a_change_while_a_server_is_asked_is_asked_for_again() {
    let bench = Bench::new(16);
    bench.start();
    bench.lister.delay("a", Duration::from_millis(200));
    bench.lister.set("a", offer(&[Wanted::Tools]));
    bench.tell("a", Happening::Started);
    tokio::time::sleep(Duration::from_millis(100)).await;
    bench.lister.set("a", offer(&[Wanted::Prompts]));
    bench.tell("a", Happening::Changed);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(bench.gates(), (false, true));
    assert_eq!(bench.lister.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn one_that_changes_whenever_it_is_asked_is_asked_less_and_less() {
    let bench = Bench::new(64);
    bench.lister.set("a", offer(&[Wanted::Tools]));
    bench.start();
    bench.settle().await;
    let begin = Instant::now();
    let mut asked = bench.lister.asked();
    while begin.elapsed() < Duration::from_secs(60) {
        bench.tell("a", Happening::Changed);
        while bench.lister.asked() == asked {
            sleep_until(Instant::now() + Duration::from_millis(10)).await;
        }
        asked = bench.lister.asked();
    }
    assert!((10..20).contains(&asked), "{asked}");
    // After a while of peace it is asked at once again.
    sleep_until(Instant::now() + SLOWEST * 3).await;
    bench.tell("a", Happening::Changed);
    sleep_until(Instant::now() + SLOWEST * 2).await;
    asked = bench.lister.asked();
    sleep_until(Instant::now() + SLOWEST).await;
    bench.tell("a", Happening::Changed);
    sleep_until(Instant::now() + DEBOUNCE * 2).await;
    assert_eq!(bench.lister.asked(), asked + 1);
}
