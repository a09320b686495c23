//! Tests of files with made-up values: written values are read back, no bytes cause a panic, and an
//! unusable file causes errors only for queries that need it.
//!
//! - `bundle`: all files in one
//! - `damage`: bytes that changed or are missing, which checksums and lengths find
//! - `lies`: wrong content with right checksums
//! - `unusable`: files of other versions, rules or pairs, among good ones
//! - `writing`: complete files or none, and the same bytes for any number of threads
//! - `specimen`, `parts`: the files to damage

mod bundle;
mod damage;
mod lies;
mod parts;
pub(crate) mod specimen;
mod unusable;
mod writing;

use crate::rules::Rules;

#[test]
fn the_fingerprint_is_the_one_of_the_documentation() {
    let fingerprint = format!("{:#018x}", Rules::STANDARD.fingerprint());
    assert!(include_str!("../../../docs/FORMAT.md").contains(&fingerprint));
}
