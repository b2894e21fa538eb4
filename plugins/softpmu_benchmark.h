/* softpmu_benchmark.h -- what the loop of a Google Benchmark executes, counted on the model of a
 * processor.
 *
 *	static void sorts(benchmark::State &state)
 *	{
 *		for (auto _ : softpmu::counted(state))
 *			sort(...);
 *	}
 *	BENCHMARK(sorts)->Iterations(100);
 *
 *	SOFTPMU_EVENTS=inst_retired,l2_ld softpmu-runner --benchmark ./bench
 *
 * RULES          the loop is a region: each event becomes a user counter, its count divided by the
 *                iterations, which Google Benchmark prints and writes as JSON. The loop's own three
 *                instructions an iteration are in it, its timers are not. With Iterations(n) counts
 *                repeat to the digit; without, the machine's clock says how many there are.
 *                Without SOFTPMU_EVENTS (softpmu-runner sets it) nothing is counted.
 * NOT MODELLED   benchmarks of several threads (each would set the counters of one), PauseTiming().
 * SOURCES        benchmark/benchmark.h of Google Benchmark 1.7: KeepRunningBatch(), max_iterations.
 */
#ifndef SOFTPMU_BENCHMARK_H
#define SOFTPMU_BENCHMARK_H

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace softpmu
{

class counted
{
      public:
	explicit counted(benchmark::State &s) : state(s)
	{
		const char *list = std::getenv("SOFTPMU_EVENTS");
		std::string event;

		for (; list && *list; list++) {
			if (*list != ',')
				event += *list;
			if ((*list == ',' || !list[1]) && !event.empty() && n_events < 2) {
				name[n_events++] = event;
				event.clear();
			}
		}
	}

	struct end_of_loop {
	};
	/* What the loop's variable is; no compiler complains that it is not used. */
	struct __attribute__((unused)) turn {
		turn()
		{
		}
		~turn()
		{
		}
	};
	class iterator
	{
	      public:
		iterator(counted *of, benchmark::IterationCount n) : loop(of), left(n)
		{
		}
		turn operator*() const
		{
			return turn();
		}
		iterator &operator++()
		{
			left--;
			return *this;
		}
		bool operator!=(end_of_loop) const
		{
			if (__builtin_expect(left != 0, 1))
				return true;
			loop->finish();
			return false;
		}

	      private:
		counted *loop;
		benchmark::IterationCount left;
	};
	iterator begin()
	{
		const benchmark::IterationCount n =
		    state.KeepRunningBatch(state.max_iterations) ? state.max_iterations : 0;

		is_begun = n != 0;
		read(begun);
		return iterator(this, n);
	}
	end_of_loop end()
	{
		return end_of_loop();
	}

      private:
	benchmark::State &state;
	std::string name[2];
	unsigned n_events = 0;
	bool is_begun = false;
	std::uint64_t begun[2], ended[2];

	inline __attribute__((always_inline)) void read(std::uint64_t *to) const
	{
		for (unsigned i = 0; i < n_events; i++) {
			std::uint32_t low, high;

			__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(i) : "memory");
			to[i] = static_cast<std::uint64_t>(high) << 32 | low;
		}
	}
	void finish()
	{
		const std::uint64_t width = (std::uint64_t(1) << 40) - 1;

		read(ended);
		if (!is_begun)
			return;
		state.KeepRunningBatch(state.max_iterations);
		for (unsigned i = 0; i < n_events; i++)
			state.counters[name[i]] =
			    static_cast<double>((ended[i] - begun[i]) & width) /
			    static_cast<double>(state.max_iterations);
	}
};

} /* namespace softpmu */

#endif
