use std::sync::atomic::Ordering;

use tokio::time::sleep;

use super::*;
use crate::mcp::bridge::Happening;
use crate::mcp::testing::{Fake, Fakes, settle};

fn limits() -> Limits {
    Limits {
        idle_stop: Duration::from_secs(600),
        ..Limits::default()
    }
}

fn pool(fake: &Arc<Fake>) -> Pool {
    Pool::new(Fakes::of([("a", fake)]), limits())
}

#[tokio::test(start_paused = true)]
async fn nothing_is_started_before_it_is_needed_and_one_start_is_shared() {
    let fake = Fake::with_tools(&["echo"]);
    *fake.delay.lock().unwrap() = Duration::from_secs(2);
    let pool = pool(&fake);
    settle().await;
    assert_eq!(fake.starts(), 0);
    let mut waiting = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let pool = pool.clone();
        waiting.spawn(async move { pool.get("a", &Owner::Shared).await.is_ok() });
    }
    while let Some(got) = waiting.join_next().await {
        assert!(got.unwrap());
    }
    settle().await;
    assert_eq!((fake.starts(), fake.alive()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_start_goes_on_when_the_caller_that_needed_it_has_gone() {
    let fake = Fake::with_tools(&["echo"]);
    *fake.delay.lock().unwrap() = Duration::from_secs(2);
    let pool = pool(&fake);
    let gone = tokio::time::timeout(Duration::from_secs(1), pool.get("a", &Owner::Shared)).await;
    assert!(gone.is_err());
    assert!(pool.get("a", &Owner::Shared).await.is_ok());
    assert_eq!(fake.starts(), 1);
}

#[tokio::test(start_paused = true)]
async fn starts_that_fail_wait_longer_each_time() {
    let fake = Fake::with_tools(&["echo"]);
    fake.failing.store(8, Ordering::SeqCst);
    let pool = pool(&fake);
    let mut waits = Vec::new();
    let start = Instant::now();
    let mut last = start;
    while fake.starts() < 9 {
        let starts = fake.starts();
        let got = pool.get("a", &Owner::Shared).await;
        if fake.starts() > starts {
            waits.push(last.elapsed().as_secs());
            last = Instant::now();
        } else {
            let message = got.err().unwrap().message;
            assert!(message.contains("it can be started again in"), "{message}");
            sleep(Duration::from_millis(50)).await;
        }
    }
    assert_eq!(waits, [0, 1, 2, 4, 8, 16, 32, 60, 60]);
    assert!(pool.get("a", &Owner::Shared).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn one_that_is_killed_is_started_afresh() {
    let fake = Fake::with_tools(&["echo"]);
    let pool = pool(&fake);
    let mut events = pool.events();
    drop(pool.get("a", &Owner::Shared).await.unwrap());
    fake.kill();
    settle().await;
    assert_eq!(fake.alive(), 0);
    assert!(pool.get("a", &Owner::Shared).await.is_ok());
    assert_eq!((fake.starts(), fake.alive()), (2, 1));
    let mut happened = Vec::new();
    while let Ok(event) = events.try_recv() {
        happened.push(event.what);
    }
    let expected = [
        Happening::Started,
        Happening::Crashed,
        Happening::Restarting,
        Happening::Started,
    ];
    assert_eq!(happened, expected);
}

#[tokio::test(start_paused = true)]
async fn one_that_is_idle_is_stopped_and_one_in_use_is_not() {
    let fake = Fake::with_tools(&["echo"]);
    let pool = pool(&fake);
    let in_use = pool.get("a", &Owner::Shared).await.unwrap();
    sleep(Duration::from_secs(1200)).await;
    assert_eq!(fake.alive(), 1);
    drop(in_use);
    sleep(Duration::from_secs(590)).await;
    assert_eq!(fake.alive(), 1);
    sleep(Duration::from_secs(20)).await;
    assert_eq!(fake.alive(), 0);
    assert!(pool.get("a", &Owner::Shared).await.is_ok());
    assert_eq!(fake.starts(), 2);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_left_after_closing_and_nothing_is_started() {
    let fake = Fake::with_tools(&["echo"]);
    let slow = Fake::with_tools(&["echo"]);
    *slow.delay.lock().unwrap() = Duration::from_secs(3600);
    let pool = Pool::new(Fakes::of([("a", &fake), ("slow", &slow)]), limits());
    let _in_use = pool.get("a", &Owner::Shared).await.unwrap();
    let other = pool.clone();
    let waiting = tokio::spawn(async move { other.get("slow", &Owner::Shared).await.is_ok() });
    settle().await;
    pool.close().await;
    settle().await;
    assert!(!waiting.await.unwrap());
    assert!(pool.get("a", &Owner::Shared).await.is_err());
    assert_eq!(pool.0.running(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn an_unknown_server_is_an_error() {
    let plans = Plans::new(Vec::new(), limits());
    let pool = Pool::new(Arc::new(plans), limits());
    let error = pool.get("nobody", &Owner::Shared).await.err().unwrap();
    assert_eq!(error.message, "there is no server `nobody`");
}

#[tokio::test(start_paused = true)]
async fn clients_that_cannot_be_told_apart_have_a_server_in_turn() {
    let fake = Fake::with_tools(&["echo"]);
    let pool = pool(&fake);
    let can = || Box::new(serde_json::from_str(r#"{"elicitation": {}}"#).unwrap());
    let owner = Owner::InTurn(can());
    let (one, other) = tokio::join!(pool.get("a", &owner), pool.get("a", &owner));
    let (one, _other) = (one.unwrap(), other.unwrap());
    assert_eq!(
        fake.starts(),
        2,
        "a question must reach the client whose call it is about"
    );
    drop(one);
    let _again = pool.get("a", &owner).await.unwrap();
    assert_eq!(fake.starts(), 2, "one that is free is used again");
    // All turns are taken.
    let mut taken = Vec::new();
    for _ in 2..TURNS {
        taken.push(pool.get("a", &owner).await.unwrap());
    }
    let refused = pool.get("a", &owner).await.err().unwrap();
    assert!(refused.message.contains("16 calls"), "{refused}");

    // One of 2026-07-28 asks nothing by itself, so nobody has to wait for a turn.
    let modern = Fake::with_tools(&["echo"]);
    modern.is_modern.store(true, Ordering::SeqCst);
    let pool = Pool::new(Fakes::of([("a", &modern)]), limits());
    let _one = pool.get("a", &owner).await.unwrap();
    let _other = pool.get("a", &owner).await.unwrap();
    assert_eq!(modern.starts(), 1);
    let _shared = pool.get("a", &Owner::Shared).await.unwrap();
    let client = Owner::Client {
        session: 1,
        capabilities: can(),
        peer: None,
    };
    let _third = pool.get("a", &client).await.unwrap();
    assert_eq!(
        modern.starts(),
        2,
        "the one that all share serves those of 2026-07-28 too"
    );
}

#[tokio::test(start_paused = true)]
async fn whatever_clients_say_of_themselves_they_have_so_many_processes_and_no_more() {
    let says = |nth: usize| {
        let capabilities = serde_json::json!({"sampling": {"tools": {"nth": nth}}});
        Box::new(serde_json::from_value(capabilities).unwrap())
    };
    for session in [None, Some(1)] {
        let fake = Fake::with_tools(&["echo"]);
        let pool = pool(&fake);
        let owner = |nth: usize| match session {
            None => Owner::InTurn(says(nth)),
            Some(session) => Owner::Client {
                session,
                capabilities: says(nth),
                peer: None,
            },
        };
        for nth in 0..100 {
            assert!(pool.get("a", &owner(nth)).await.is_ok());
        }
        sleep(Duration::from_secs(1)).await;
        assert_eq!(fake.alive(), usize::from(TURNS));
        // What is in use is left alone, and what is idle goes first.
        let mut used = Vec::new();
        for nth in 200..200 + usize::from(TURNS) {
            used.push(pool.get("a", &owner(nth)).await.unwrap());
        }
        let refused = pool.get("a", &owner(300)).await.err().unwrap();
        assert!(refused.message.contains("16 calls"), "{refused}");
        used.pop();
        assert!(pool.get("a", &owner(300)).await.is_ok());
        pool.close().await;
    }
}
