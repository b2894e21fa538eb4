#!/bin/bash
# units.sh -- intervals of --clocks sampled hold the truth as often as they say, and are not wider than need be.
#
# A run with all units writes what each counted; units.c tries the estimate on that with 64 seeds at 1/16, 1/64 and 1/256. Of intervals
# at 95 % nine in ten must hold the clocks over all programs, eight in ten of each program and distance; of the other events 85 and 70 of 100;
# half of an interval is three times the error at most. Columns is a loop whose units repeat: each sixteenth writes lines back. Three
# programs in make check, four in make check-all, ten with UNITS=all.
set -u
. "$(dirname "$0")/../lib.sh"

${CC:-gcc} -O2 -D_GNU_SOURCE -std=c11 -Wall -Isrc -Iinclude -o "$work/units" tests/model/units.c src/model/parts/estimate.c -lm || exit 1
seq 1 40000 >"$work/text"
awk 'BEGIN { for (i = 1; i <= 12000; i++) print "line", i * 7919 % 10007, "of", i % 97, "kinds", i * i % 1009 }' >"$work/lines"
logs=()

# log NAME PROGRAM...
log() {
	local name=$1
	shift
	command -v "$1" >/dev/null || return
	SOFTPMU_TESTS=1 timeout 300 "$SOFTPMU" stat --env clean --all --clocks sampled:1/1 --unit-log "$work/$name" -o /dev/null -- "$@" >/dev/null 2>&1 </dev/null
	[ -s "$work/$name" ] && logs+=("$name=$work/$name") || bad "$name: no log"
}

make -s -C examples/matrix OUT="$work" >/dev/null
log columns "$work/columns"
log gzip gzip -9 -c "$work/text"
log sort sort "$work/lines"
[ "${CHECK_LEVEL:-quick}" = quick ] && [ "${UNITS:-some}" = some ] ||
	log perl perl -e 'my %h; for my $i (1 .. 30000) { $h{$i * 7 % 5003} .= "x$i" } print length(join ",", sort values %h)'
if [ "${UNITS:-some}" = all ]; then
	log rows "$work/rows"
	log awk awk '{ for (i = 1; i <= NF; i++) c[$i]++ } END { for (k in c) print k, c[k] }' "$work/lines"
	log xz xz -T1 -6 -c "$work/lines"
	log python3 python3 -I -c 'd = {str(i): i * i % 97 for i in range(40000)}; print(sum(len(k) * v for k, v in sorted(d.items())))'
	log lua lua5.4 bench/programs/work.lua 8000
	log sqlite3 sqlite3 :memory: 'create table t(a integer primary key, b text); with recursive n(i) as (select 1 union all select i + 1
		from n where i < 12000) insert into t select i, i * 7919 % 1000 from n; create index tb on t(b); select count(*), sum(a) from t
		where b like "1%"; select b, count(*) from t group by b order by 2 limit 3;'
fi

timeout 600 "$work/units" "${logs[@]}" >"$work/told" || bad "units.c: status $?"
cat "$work/told"
while read -r name distance held wide other; do
	if [ "$name" = all ]; then
		[ "$held" -ge 90 ] && [ "$other" -ge 85 ] && ok || bad "all: $held of 100 intervals of clocks hold, $other of others"
		awk -v w="$wide" 'BEGIN { exit !(w <= 3) }' && ok || bad "all: half of an interval is $wide times the error"
	else
		[ "$held" -ge 80 ] && [ "$other" -ge 70 ] && ok || bad "$name 1/$distance: $held of 100 intervals of clocks hold, $other of others"
	fi
done < <(awk '{ print $1, $2 + 0, $13, $22 + 0, $26 }' "$work/told")
finish
