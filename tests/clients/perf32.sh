#!/bin/bash
# perf32.sh -- Debian's 32-bit perf inside softpmu, and LIKWID, which does not know these processors.
. "$(dirname "$0")/lib.sh"
if ! why=$("$clients/fetch.sh" "$papi" perf); then
	skip "32-bit perf: $why"
else
	perf=$root/usr/bin/perf
	told() { awk -F, -v e="$1" '$3 == e { print $1; exit }' "$work/inner"; }
	share() { awk -F, -v e="$1" '$3 == e { print int($5); exit }' "$work/inner"; }
	child() { awk -F, -v e="$1" '$1 ~ /^1[.]1 / && $4 == e { print $2 }' "$work/outside"; }

	# Its child is process 1.1 from fork to end; perf counts it from exec on. What lies between is perf's own: some thousand
	# instructions with cold code.
	outside --per-process --cpu pentium3 -e inst_retired,cycles,r0045 -- "$perf" stat -x, -o "$work/inner" -e instructions,r0045 true
	n=$(child inst_retired) m=$(child r0045)
	within "perf stat true: instructions" "$(told instructions)" $((n - 15000)) $((n - 1))
	within "perf stat true: r0045" "$(told r0045)" $((m - 800)) $((m - 1))
	outside --per-process --cpu pentium3 -e inst_retired,cycles,r0045 -- "$perf" stat -x, -o "$work/inner" -e cycles true
	n=$(child cycles)
	within "perf stat true: cycles" "$(told cycles)" $((n - 60000)) $((n - 1))

	# Three events at once with --counters all. With two counters, as on the chip, they take turns without end: what perf
	# makes of two thirds of the time is the count again, but for rounding.
	inside --counters all --cpu pentium3 -- "$perf" stat -x, -o "$work/inner" -e instructions,cycles,r0045 true
	path=$(inside --tier 2 -- "$perf" stat -o "$work/said" -e instructions sh -c 'echo $PATH')
	env PATH="$path" PREFIX=/usr PERF_BUILDID_DIR=.debug "$SOFTPMU" stat -x, -e inst_retired,cycles,r0045 -o "$work/outer" \
		"$(command -v true)"
	n=$(count_of "$work/outer" inst_retired)
	within "all counters" "$(told instructions)" $n $n
	for pair in cycles:cycles r0045:r0045; do
		n=$(count_of "$work/outer" ${pair#*:})
		within "perf stat, all counters: ${pair%:*}" "$(told ${pair%:*})" $((n * 93 / 100)) $((n * 107 / 100))
	done
	within "all counters: share of time" "$(share cycles)" 100 100
	all="$(told instructions) $(told cycles) $(told r0045)"
	inside --cpu pentium3 -- "$perf" stat -x, -o "$work/inner" -e instructions,cycles,r0045 true
	within "two counters: share of time" "$(share cycles)" 66 67
	for event in instructions cycles r0045; do
		within "perf stat, two counters: $event" "$(told $event)" $((${all%% *} - 3)) $((${all%% *} + 3))
		all=${all#* }
	done
	$CC -O1 -g -w -o "$work/hot" "$clients/hot.c" || exit 1
	inside --tier 2 -- "$perf" record -e instructions -c 9973 -o "$work/data" "$work/hot" >"$work/out" 2>&1
	"$SOFTPMU" stat -x, -e inst_retired -o "$work/outer" "$work/hot" >"$work/said"
	o=$(count_of "$work/outer" inst_retired)
	samples "inside --tier 2 -- $perf" "$work/data" ip,sym >"$work/samples"
	within "perf record: samples" $(wc -l <"$work/samples") $((o / 9973 - 1)) $((o / 9973 + 1))
	within "perf record: percent in one()" $(part one <"$work/samples") 24 26
	inside --tier 2 -- "$perf" report -i "$work/data" --stdio 2>/dev/null | awk '/%/ { print $NF }' | head -n 2 | tr '\n' ' ' >"$work/out"
	[ "$(cat "$work/out")" = "three one " ] && ok || bad "perf report: $(cat "$work/out")"
fi

# --- LIKWID: of the P6 it knows the Pentium M alone, and Debian's build reads registers through a daemon of root's
if ! why=$("$clients/fetch.sh" "$papi" likwid); then
	skip "LIKWID: $why"
else
	x=$papi/likwid
	sed "s#/usr/share/lua#$x/usr/share/lua#" "$x/usr/bin/likwid-perfctr" >"$work/perfctr.lua"
	export LD_LIBRARY_PATH=$x/usr/lib/x86_64-linux-gnu LUA_PATH="$x/usr/share/lua/?.lua;;" LUA_CPATH="$x/usr/lib/x86_64-linux-gnu/?.so"
	# its markers, all of them, in a program that was built with its header and its library
	$CC -O1 -DLIKWID_PERFMON -I"$x/usr/include" -o "$work/markers" "$clients/likwid.c" -L"$x/usr/lib/x86_64-linux-gnu" -llikwid \
		-Wl,--allow-shlib-undefined || bad "LIKWID's markers do not build"
	LD_PRELOAD=$PWD/$BUILD/lib/libsoftpmu-likwid.so timeout 900 "$SOFTPMU" stat --per-region -x, -e inst_retired,branches -o "$work/regions" \
		"$work/markers" >"$work/out" 2>&1 && ok || bad "LIKWID's markers: $(head -n 3 "$work/out" | tr '\n' '|')"
	grep -q '^region-c,0,,inst_retired' "$work/regions" && ok || bad "LIKWID's markers: $(grep ^region "$work/regions" | tr '\n' '|')"
	export PATH=$PATH:$x/usr/sbin
	timeout 900 "$SOFTPMU" run --cpu pentium3 -- "$x/usr/bin/lua5.3" "$work/perfctr.lua" -i >"$work/out" 2>&1
	grep -q 'CPU name:.*softpmu\|CPU name:.*Pentium III' "$work/out" && grep -q 'CPU model:.*7$' "$work/out" && ok || bad "likwid-perfctr -i: $(head -n 3 "$work/out" | tr '\n' '|')"
	timeout 900 "$SOFTPMU" run --cpu pentium3 -- "$x/usr/bin/lua5.3" "$work/perfctr.lua" -e >"$work/out" 2>&1
	grep -q 'Unsupported Processor' "$work/out" && skip "likwid-perfctr: it says 'Unsupported Processor' (docs/HOWTO_CLIENTS.md)" ||
		bad "likwid-perfctr knows the processor, or fails in another way: $(head -n 3 "$work/out" | tr '\n' '|')"
fi
finish
