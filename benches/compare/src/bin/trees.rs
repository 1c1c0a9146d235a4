//! Makes the trees that are measured: `trees DIRECTORY` makes `typical`, `flat-20000` and `flat-100000` in it.

#[path = "../../../support/mod.rs"]
#[allow(dead_code)]
mod support;

use std::io;
use std::path::PathBuf;

fn main() -> io::Result<()> {
    let Some(at) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "usage: trees DIRECTORY",
        ));
    };
    support::tree::typical(&at.join("typical"))?;
    for skills in [20_000, 100_000] {
        support::tree::flat(&at.join(format!("flat-{skills}")), skills)?;
    }
    Ok(())
}
