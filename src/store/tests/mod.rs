//! The files on made-up values: what was written is read, whatever the bytes are no harm is done,
//! and a file that cannot be used is an error for the questions that need it only.
//!
//! - `damage`: bytes that changed or are missing, which checksums and lengths find
//! - `lies`: wrong content with right checksums
//! - `unusable`: files of other versions, rules or pairs, among good ones
//! - `writing`: whole files or none, and the same bytes for any number of threads
//! - `specimen`, `parts`: the files that are damaged

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
