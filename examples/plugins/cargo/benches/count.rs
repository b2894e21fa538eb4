//! One run of the function is enough: counts need no repetition.
fn main() {
    let text: String = (0..5000).map(|i| format!("word{} ", i * i % 97)).collect();
    let words = std::hint::black_box(words::count(std::hint::black_box(&text)));
    println!("{} words", words.len());
}
