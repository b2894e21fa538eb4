#!/bin/bash
# fuzz.sh [SECONDS [TARGET]...] -- each fuzz target for SECONDS (default 60), one after the other.
#
# A target is tests/fuzz/fuzz_<name>.c with seeds in tests/fuzz/corpus/<name>. It is linked with the
# library, or with what a line "FUZZ_WITH <files>" of it says. With clang's libFuzzer when that is
# there, else with gcc and tests/fuzz/standalone.c; both under the address and undefined-behaviour
# sanitizers. A crash leaves its input in build/fuzz/<name>/. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
seconds=${1:-60}
[ $# = 0 ] || shift
dir=$PWD/build/fuzz
mkdir -p "$dir"
passed=0 failed=0
common="-std=c11 -D_GNU_SOURCE -g -O1 -Isrc -Iinclude -I$dir -fno-omit-frame-pointer -fno-sanitize-recover=all"

echo 'int LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n) { return 0; }' >"$dir/probe.c"
if clang -fsanitize=fuzzer,address "$dir/probe.c" -o "$dir/probe" 2>/dev/null; then
	cc=clang part=-fsanitize=fuzzer-no-link,address,undefined whole=-fsanitize=fuzzer,address,undefined driver=
else
	cc=gcc part=-fsanitize=address,undefined whole=$part driver=tests/fuzz/standalone.c
fi
if ! make -s -j2 BUILD="$dir" CC=$cc CFLAGS="-O1 $part -fno-sanitize-recover=all" "$dir/libsoftpmu.a" >"$dir/build.log" 2>&1; then
	tail -20 "$dir/build.log"
	echo "0 passed, 1 failed"
	exit 1
fi

for source in tests/fuzz/fuzz_*.c; do
	name=$(basename "$source" .c)
	name=${name#fuzz_}
	[ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	with=$(sed -n 's/.*FUZZ_WITH //p' "$source" | head -1)
	seeds=tests/fuzz/corpus/$name
	[ -d "$seeds" ] || seeds=
	libraries="-lZydis -ljansson -lzstd -lm -lpthread"
	[ -n "$with" ] && libraries=
	rm -rf "${dir:?}/$name" && mkdir "$dir/$name" "$dir/$name/found"
	# shellcheck disable=SC2086 # lists of words
	if ! $cc $common $whole -o "$dir/$name/fuzz" "$source" $driver ${with:-$dir/libsoftpmu.a} $libraries; then
		echo "FAILED $name: does not build"
		failed=$((failed + 1))
		continue
	fi
	if [ -z "$driver" ]; then
		"$dir/$name/fuzz" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=300 -max_len=4096 \
			-artifact_prefix="$dir/$name/" "$dir/$name/found" $seeds
	else
		"$dir/$name/fuzz" "$seconds" ${seeds:+$seeds/*}
	fi >"$dir/$name/log" 2>&1
	status=$?
	if [ $status = 0 ]; then
		passed=$((passed + 1))
		echo "$name: $(grep -aE 'Done|inputs|runs' "$dir/$name/log" | tail -1)"
	else
		failed=$((failed + 1))
		echo "FAILED $name: status $status; $dir/$name/log"
		tail -5 "$dir/$name/log"
	fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
