// bench.cpp -- two loops that Google Benchmark times and softpmu counts (docs/HOWTO_CI.md).
#include <softpmu_benchmark.h>

#include <algorithm>
#include <vector>

static std::vector<unsigned> numbers(size_t n)
{
	std::vector<unsigned> v;

	for (unsigned i = 1; v.size() < n; i = i * 1103515245u + 12345u)
		v.push_back(i);
	return v;
}

static void fill(benchmark::State &state)
{
	std::vector<unsigned> v(1000);

	for (auto _ : softpmu::counted(state)) {
		std::fill(v.begin(), v.end(), 7u);
		benchmark::DoNotOptimize(v.data());
	}
}
BENCHMARK(fill)->Iterations(100);

static void sorts(benchmark::State &state)
{
	const std::vector<unsigned> from = numbers(static_cast<size_t>(state.range(0)));

	for (auto _ : softpmu::counted(state)) {
		std::vector<unsigned> v(from);

		std::sort(v.begin(), v.end());
		benchmark::DoNotOptimize(v.data());
	}
}
BENCHMARK(sorts)->Arg(100)->Arg(1000)->Iterations(20);

BENCHMARK_MAIN();
