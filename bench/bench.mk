# bench.mk -- speed beside native execution and Cachegrind: bench/bench.sh explains.
bench: all
	@bench/bench.sh
bench-record: all
	@bench/bench.sh -o bench/RESULTS.md
