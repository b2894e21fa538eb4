#!/bin/bash
# same_counts.sh -- the same program on the same input gives the same counts, to the last digit.
#
# Two runs, with variables of different length that the program does not read (python3 and perl copy all
# of them, so they take no part in this one), from two directories, with address randomisation as the
# machine has it: equal counts and equal input_digest. Two quite different environments under --env
# clean. A program whose work depends on the clock may count differently only when the digest says so.
. "$(dirname "$0")/lib.sh"

mkdir -p "$work/a" "$work/quite/another/directory"
seq 1 4000 | awk '{ print $1 * 7919 % 10007, "text" }' >"$work/text"
cat >"$work/a.py" <<'E'
import json
d = {str(i): i * i % 97 for i in range(2000)}
print(sum(d.values()), len(json.dumps(d)), hash("x") != 0, len({"a", "b", "c"}))
E
cat >"$work/a.pl" <<'E'
my %h = map { $_ => $_ * 3 } 1 .. 2000; my $s = 0;
$s += $h{$_} for keys %h; print "$s ", join(",", (sort keys %h)[0 .. 3]), "\n";
E
echo 'for i = 1, 3000 do t = tostring(i) .. "x" end; print(t)' >"$work/a.lua"
echo 'create table t(a, b); insert into t values(1, random() is not null); select * from t;' >"$work/a.sql"

events=inst_retired,uops_retired,br_inst_retired,br_miss_pred_retired,data_mem_refs,dcu_lines_in,l2_lines_in,l2_ifetch,itlb_miss,bus_tran_mem,misalign_mem_ref

# run NAME DIR ENV... -- OPTIONS... -- PROGRAM: counts and digest to $work/NAME
run() {
	local name=$1 dir=$2 env=()
	shift 2
	while [ "$1" != -- ]; do env+=("$1"); shift; done
	shift
	(cd "$dir" && env -u PWD -u OLDPWD -u _ "${env[@]}" "$SOFTPMU" stat --json -o "$work/$name.json" -e $events "$@" </dev/null >"$work/$name.out" 2>"$work/$name.err") ||
		echo "status $?" >>"$work/$name.out"
	# Numbers that may differ are the times only.
	grep -oE '"(input_digest|value|name|instructions|status)": *("[^"]*"|[0-9]+)' "$work/$name.json" >"$work/$name" 2>/dev/null
	[ -s "$work/$name" ] || echo "no counts: $(head -n 1 "$work/$name.err")" >"$work/$name"
}

# equal TITLE A B
equal() {
	if grep -q '^no counts' "$work/$2" "$work/$3"; then
		bad "$1: $(cat "$work/$2" "$work/$3" | grep 'no counts' | head -n 1)"
	elif cmp -s "$work/$2" "$work/$3"; then
		ok
	else
		bad "$1: $(diff "$work/$2" "$work/$3" | grep '^[<>]' | head -n 4 | tr '\n' ' ')"
	fi
}

check() {
	local name=$1
	shift
	run first "$work/a" -- -- "$@"
	run again "$work/a" -- -- "$@"
	equal "$name: two runs" first again
	# Programs that make a table of their whole environment do read it.
	case $name in
	python3 | perl) ;;
	*)
		run short "$work/a" SOFT_A=1 SOFT_B=x -- -- "$@"
		run long "$work/a" SOFT_A="$(printf '%5000s' | tr ' ' x)" SOFT_B=hello/there -- -- "$@"
		equal "$name: length of variables that nobody reads" short long
		;;
	esac
	run there "$work/quite/another/directory" -- -- "$@"
	equal "$name: two directories" first there
	run small "$work/a" -i PATH="$PATH" HOME=/ -- --env clean -- "$@"
	run rich "$work/quite" SOFT_C=7 LANG=C TERM=xterm-256color HOME=/root -- --env clean -- "$@"
	equal "$name: two environments under --env clean" small rich
	run seeded "$work/a" -- --seed 7 -- "$@"
	run seeded2 "$work/a" -- --seed 7 -- "$@"
	equal "$name: two runs with one seed" seeded seeded2
}

check python3 /usr/bin/python3 -I "$work/a.py"
check perl /usr/bin/perl "$work/a.pl"
check gzip /bin/gzip -9 -c "$work/text"
check grep /bin/grep -cE '7.*(t|x)' "$work/text"
check sort /usr/bin/sort -n "$work/text"
check awk /usr/bin/mawk '{ s += $1 } END { print s }' "$work/text"
if [ "$CHECK_LEVEL" = all ]; then
	check sqlite3 /usr/bin/sqlite3 -batch -init "$work/a.sql" :memory:
	check busybox /bin/busybox sha1sum "$work/text"
	check true /bin/true
fi

# Bash seeds RANDOM with the time of day, and here its work depends on it: honest digest.
random='for ((i = 0, n = RANDOM % 500; i < n; i++)); do x+=$i; done'
run first "$work/a" -- -- /bin/bash -c "$random"
run again "$work/a" -- -- /bin/bash -c "$random"
if [ "$(grep digest "$work/first")" = "$(grep digest "$work/again")" ]; then
	equal "bash: equal digest although its work depends on the time of day" first again
else
	ok
fi

# The journal: written where there is none, then compared; it names the first call that brought something else.
journal() { "$SOFTPMU" stat --tier 1 --all --journal "$work/journal" -- "$@" 2>&1 >/dev/null | grep journal; }
echo 'the first text' >"$work/input"
line=$(journal cat "$work/input")
[[ $line = *"journal was written"* ]] && ok || bad "journal, first run: $line"
line=$(journal cat "$work/input")
[[ $line = *"are as in the journal"* ]] && ok || bad "journal, the same again: $line"
echo 'the other text' >"$work/input"
line=$(journal cat "$work/input")
[[ $line = *"was read = 15 (thread 0, digest "*"is read = 15 (thread 0, digest "* ]] && ok || bad "journal, other bytes: $line"
line=$("$SOFTPMU" stat -e instructions --journal "$work/input" -- true 2>&1)
[[ $? = 125 && $line = *"no journal of softpmu"* ]] && ok || bad "journal that is none: $line"

# The layout really is fixed although the machine randomises: addresses that a program prints are equal.
cat >"$work/where.c" <<'E'
#include <stdio.h>
#include <stdlib.h>
int main(void) { int x; printf("%p %p %p %p\n", (void *)&x, malloc(9), (void *)main, (void *)stdout); return 0; }
E
$CC -o "$work/where" "$work/where.c"
one=$("$SOFTPMU" stat -e instructions -o /dev/null -- "$work/where")
two=$(X=yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy "$SOFTPMU" stat -e instructions -o /dev/null -- "$work/where")
three=$(X=y "$SOFTPMU" stat -e instructions -o /dev/null -- "$work/where")
[ "$one" != "" ] && [ "$two" = "$three" ] && ok || bad "addresses differ: $two | $three"
finish
