//! With `-- --test` criterion does each benchmark once, so that counts repeat; without, as often as its clock says.
use criterion::{black_box, criterion_group, criterion_main, Criterion};

fn count(c: &mut Criterion) {
    let text: String = (0..5000).map(|i| format!("word{} ", i * i % 97)).collect();
    c.bench_function("count", |b| b.iter(|| words::count(black_box(&text))));
}

criterion_group!(benches, count);
criterion_main!(benches);
