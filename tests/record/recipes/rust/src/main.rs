// main.rs -- adds up lengths of words.
#[inline(never)]
fn length(word: &str) -> usize {
    word.len() // SLOWER: word.to_string().len()
}

fn main() {
    let words: Vec<String> = (0..500).map(|i| "w".repeat(i % 50 + 1)).collect();
    let mut all = 0;
    for word in &words {
        all += length(std::hint::black_box(word));
    }
    println!("{all}");
}
