#!/bin/bash
# run.sh -- the plug-ins (plugins/) with their examples: pytest, cargo, ctest, Google Benchmark. Each counts the same twice, notices what
# rose, and refuses a baseline that cannot be compared.
. "$(dirname "$0")/../lib.sh"
top=$PWD
full=
[ "${CHECK_LEVEL-}" = all ] && full=yes
export SOFTPMU
cp -r examples/plugins "$work/examples"
real_home=$HOME
export HOME=$work
cd "$work" || exit 1
runner=$top/plugins/softpmu-runner
unset "${!SOFTPMU_@}"
run() { "$@" >out 2>err; status=$?; }
# The text is the test's own. What went wrong comes first: of a failure make check shows ten lines.
check() { if eval "$1"; then ok; else bad "$2 (status $status): $(tail -n 3 err; tail -n 6 out)"; fi; }

# ---- pytest ----------------------------------------------------------------------------------------
python=
for p in python3 /usr/bin/python3; do
	$p -c 'import sys, pytest; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && python=$(command -v $p) && break
done
if [ -n "$python" ]; then
	export PYTHONPATH=$top/plugins PYTHONDONTWRITEBYTECODE=1
	unset PYTEST_ADDOPTS PYTEST_PLUGINS
	counted() { run "$python" -m pytest -p no:cacheprovider -p pytest_softpmu --softpmu --softpmu-command="$SOFTPMU" "$@" test_words.py; }
	cd examples/pytest || exit 1
	counted --softpmu-json=../one.json
	check '[ $status = 0 ] && grep -q "^test_words.py::TestSets::test_unique\[2000\]  *[0-9,]*$" out' "pytest"
	counted --softpmu-json ../two.json --softpmu-baseline=../one.json --softpmu-limit=0%
	check '[ $status = 0 ] && [ $(grep -c " same$" out) = 5 ]' "pytest again, with a baseline and no room"
	cmp -s ../one.json ../two.json && ok || bad "two runs of pytest differ: $(diff ../one.json ../two.json)"
	for alone in joined ${full:+1000 2000 sorted counted}; do
		counted --softpmu-baseline=../one.json --softpmu-limit=0.5% -k "$alone"
		check '[ $status = 0 ] && grep -q "not run now: 4" out' "pytest: $alone alone"
	done
	sed -i 's/assert sorted(text)/assert sorted(sorted(text, reverse=True))/' test_words.py
	counted --softpmu-baseline=../one.json --softpmu-limit=inst_retired=1%
	check '[ $status = 1 ] && [ $(grep -c "^LIMIT" out) = 1 ] && grep -q "^LIMIT test_words.py::test_sorted: inst_retired was" out' "pytest: a test that does more"
	if [ -n "$full" ]; then
		counted --softpmu-options='--cpu pentium' --softpmu-events=instructions_executed
		check '[ $status = 4 ] && grep -q "has no RDPMC" err' "pytest on a processor without RDPMC"
	fi
	counted --softpmu-baseline=../one.json --softpmu-options='--cpu pentium-mmx' --softpmu-events=instructions_executed -k joined
	check '[ $status = 4 ] && grep -q "cannot be compared, another options, events" out' "pytest: another processor"
	counted --softpmu-events=inst_retired,l2_ld,l2_st
	check '[ $status = 4 ] && grep -q "two counters" err' "pytest: three events"
	counted --softpmu-limit=much
	check '[ $status = 4 ] && grep -q "a limit is" err' "pytest: a limit that is none"
	run "$python" -m pytest -q -p no:cacheprovider -p pytest_softpmu test_words.py
	check '[ $status = 0 ] && ! grep -q softpmu out' "pytest without --softpmu"
	cd ../..
	unset PYTHONPATH
else
	skip "pytest: no Python 3.10 with pytest here (package python3-pytest)"
fi

# ---- cargo --------------------------------------------------------------------------------------------
export CARGO_HOME=${CARGO_HOME:-$real_home/.cargo} RUSTUP_HOME=${RUSTUP_HOME:-$real_home/.rustup}
if command -v cargo >/dev/null && cargo --version >/dev/null 2>&1; then
	bench() { (cd examples/cargo && CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=$runner SOFTPMU_RESULTS=$work/$1 cargo bench -q --offline) >out 2>err; status=$?; }
	bench cargo1
	check '[ $status = 0 ] && grep -q "^[0-9]* words" out && [ -s cargo1/count.json ]' "cargo bench"
	bench cargo2
	run "$runner" --table cargo2 --against cargo1 --limit 0%
	check '[ $status = 0 ] && grep -q "^count .* same$" out' "cargo bench twice"
	sed -i 's/let mut words/let _: Vec<_> = text.chars().collect(); let mut words/' examples/cargo/src/lib.rs
	sed -i 's/5000/6000/' examples/cargo/benches/count.rs
	bench cargo3
	run "$runner" --table cargo3 --against cargo1 --limit inst_retired=1%
	check '[ $status = 3 ] && grep -q "count: inst_retired was .* is broken" err' "cargo bench: a version that does more"
else
	skip "cargo: it is not here"
fi
# criterion comes from the crates of Debian's packages, without a network. It takes a minute to compile, little of it made fast.
crates=/usr/share/cargo/registry
if [ -z "$full" ]; then
	skip "criterion: make check-all"
elif ! command -v cargo >/dev/null || ! compgen -G "$crates/criterion-0.3*" >/dev/null; then
	skip "criterion: it is not in $crates (package librust-criterion-dev), or there is no cargo"
else
	mkdir -p examples/criterion/.cargo
	printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "%s"\n[profile.bench.package."*"]\nopt-level = 0\n' $crates >examples/criterion/.cargo/config.toml
	export SOFTPMU_OPTIONS='--env clean,PATH=/nonexistent' # a gnuplot of the PATH would be asked for its version, and counted
	criterion() { (cd examples/criterion && CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=$runner SOFTPMU_RESULTS=$work/$1 cargo bench -q --offline -- --test) >out 2>err; status=$?; }
	criterion criterion1
	check '[ $status = 0 ] && grep -q "^Testing count" out && [ -s criterion1/count_--test_.json ]' "criterion"
	criterion criterion2
	run "$runner" --table criterion2 --against criterion1 --limit 0%
	check '[ $status = 0 ] && grep -q "^count_--test_ .* same$" out' "criterion twice"
	sed -i 's/5000/6000/' examples/criterion/benches/count.rs
	criterion criterion3
	run "$runner" --table criterion3 --against criterion1 --limit inst_retired=+500000
	check '[ $status = 3 ] && grep -q "count_--test_: inst_retired was .* is broken" err' "criterion: a benchmark that does more"
	unset SOFTPMU_OPTIONS
fi

# ---- ctest ----------------------------------------------------------------------------------------------
if command -v ctest >/dev/null && command -v cmake >/dev/null; then
	run cmake -S examples/ctest -B ctest -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CROSSCOMPILING_EMULATOR="$runner"
	run cmake --build ctest
	check '[ $status = 0 ]' "cmake"
	SOFTPMU_RESULTS=$work/ctest1 run ctest --test-dir ctest
	check '[ $status = 0 ] && [ -s ctest1/primes_20000.json ]' "ctest"
	SOFTPMU_RESULTS=$work/ctest2 run ctest --test-dir ctest -j2
	run "$runner" --table ctest2 --against ctest1 --limit 0%
	check '[ $status = 0 ] && [ $(grep -c "^primes_.* same$" out) = 2 ]' "ctest twice"
	SOFTPMU_RESULTS=$work/ctest3 SOFTPMU_EVENTS=inst_retired,dcu_lines_in run ctest --test-dir ctest -R few
	run "$runner" --table ctest3 --against ctest1
	check '[ $status = 2 ] && grep -q "cannot be compared" err' "ctest: other events"
	run "$runner" --table ctest3
	check '[ $status = 0 ] && grep -q "dcu_lines_in" out' "ctest: a table"
	SOFTPMU_RESULTS=$work/fails run "$runner" "$(command -v false)"
	check '[ $status = 1 ]' "a program that fails"
else
	skip "ctest: no cmake here"
fi

# ---- Google Benchmark ---------------------------------------------------------------------------------------
if g++ -O2 -g -Wall -Wextra -Werror -I"$top/plugins" examples/benchmark/bench.cpp -o bench -lbenchmark -lpthread 2>err; then
	run ./bench --benchmark_filter=fill
	check '[ $status = 0 ] && ! grep -q inst_retired out' "a benchmark that nobody counts"
	for i in 1 2; do
		run env SOFTPMU_EVENTS=inst_retired,dcu_lines_in "$runner" --benchmark ./bench --benchmark_out=bench$i.json
		check '[ $status = 0 ] && grep -q "^sorts/1000.*inst_retired=" out' "Google Benchmark"
	done
	run "$runner" --table bench2.json --against bench1.json --limit 0%
	check '[ $status = 0 ] && [ $(grep -c " same$" out) = 6 ]' "Google Benchmark twice"
	sed 's/7u/static_cast<unsigned>(state.iterations())/; s/v(1000)/v(1100)/' examples/benchmark/bench.cpp >more.cpp
	g++ -O2 -g -I"$top/plugins" more.cpp -o bench -lbenchmark -lpthread
	run env SOFTPMU_EVENTS=inst_retired,dcu_lines_in "$runner" --benchmark ./bench --benchmark_out=bench3.json
	run "$runner" --table bench3.json --against bench1.json --limit inst_retired=5%
	check '[ $status = 3 ] && [ $(grep -c "is broken" err) = 1 ] && grep -q "fill.*inst_retired was" err' "Google Benchmark: a loop that does more"
	run env SOFTPMU_EVENTS=inst_retired "$runner" --benchmark ./bench --benchmark_out=bench4.json --benchmark_filter=fill
	run "$runner" --table bench4.json --against bench1.json
	check '[ $status = 2 ]' "Google Benchmark: other events"
else
	grep -q 'benchmark/benchmark.h' err && skip "Google Benchmark: it is not installed (package libbenchmark-dev)" || bad "the example of Google Benchmark: $(head -n 5 err)"
fi

run "$runner" --table nothing
check '[ $status = 2 ] && grep -q "nothing is not there" err' "a table of nothing"
run "$runner" --table . --limit much
check '[ $status = 2 ] && grep -q "a limit is" err' "a limit that is none"
if command -v shellcheck >/dev/null; then
	shellcheck "$runner" && ok || bad "shellcheck of softpmu-runner"
else
	skip "shellcheck: not installed here"
fi
finish
