//! Counts words.
use std::collections::BTreeMap;

pub fn count(text: &str) -> BTreeMap<&str, usize> {
    let mut words = BTreeMap::new();
    for word in text.split_whitespace() {
        *words.entry(word).or_insert(0) += 1;
    }
    words
}
