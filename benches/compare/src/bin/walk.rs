//! A plain walker as a process: `walk [--parse] TREE`.

#[path = "../../../support/mod.rs"]
#[allow(dead_code)]
mod support;

use std::path::PathBuf;

use support::tree::Tree;
use support::walker::{self, Depth};

fn main() {
    let mut depth = Depth::Read;
    let mut tree = PathBuf::new();
    for argument in std::env::args_os().skip(1) {
        if argument == "--parse" {
            depth = Depth::Parse;
        } else {
            tree = argument.into();
        }
    }
    let tree = Tree {
        home: tree.join("home"),
        project: tree.join("project"),
    };
    println!("{:?}", walker::walk(&tree.component_dirs(), depth));
}
