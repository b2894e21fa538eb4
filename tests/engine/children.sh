#!/bin/bash
# children.sh -- the handler of SIGCHLD runs at one place, whether a child was faster or slower than its parent. The steps are those of children.c.
set -u
. "$(dirname "$0")/lib.sh"

# places WIDTH CASE FAST SLOW: the steps at which the handler runs.
places() {
	local width=$1 what=$2 tier speed out
	shift 2
	for speed in fast slow; do
		for tier in instructions inst_retired,dcu_lines_in; do
			in_turn || continue
			out=$(timeout 60 "$SOFTPMU" stat -o "$work/counts" -e $tier "$work/children$width" "$what" $speed)
			[ "$out" = "$1" ] && ok || bad "$what, $speed, $width bits, $tier: '$out', not '$1'"
		done
		shift
	done
}

widths=64
has_32_bit && widths="64 32" || skip "32 bits: no C library for them"
for width in $widths; do
	gcc -m$width -O1 -Wall -Wno-unused-result -o "$work/children$width" tests/engine/children.c -lpthread 2>"$work/gcc" ||
		bad "children.c does not build: $(cat "$work/gcc")"
	# Behind the call that finds the child.
	for what in wait4 any group waitid; do places $width $what "2 " "2 "; done
	places $width pipe "4 " "4 "
	places $width vfork "3 " "3 "
	# The call waits for something else, or the image or the handler goes: before it.
	places $width sleep "2 " "2 "
	places $width other "2 2 " "2 2 "
	places $width exec "ran exec" "ran exec"
	places $width handler "1 " ""
	# What the program itself has put off comes as the kernel brings it.
	places $width suspend "2 " "2 "
	places $width masked "3 " "3 "
	# No call waits: a second later. With threads the host decides.
	places $width watch "2 " "2 "
	places $width threads "1 " "2 "
done

# Counts of shells with children repeat, while runs disturb each other, too. The shell has one child at a time: which of two ends first
# is up to the host.
cat >"$work/many.sh" <<'END'
x=$(/bin/echo a)
/bin/true
(exit 3)
y=`/bin/true; echo $x`
z=$(/bin/echo $x$y)
{ /bin/echo $z; }
:
END
steady_numbers
for i in 1 2 3 4 5; do
	timeout 100 "$SOFTPMU" stat -x, -e inst_retired,dcu_lines_in,misalign_mem_ref,cycles -o "$work/counts.$i" dash "$work/many.sh" >/dev/null &
done
wait
for i in 1 2 3 4 5; do grep -v '^#' "$work/counts.$i" | cut -d, -f1 | paste -sd ' '; done >"$work/runs"
[ "$(sort -u "$work/runs" | wc -l)" = 1 ] && grep -q '[0-9] [0-9]' "$work/runs" && ok || bad "counts of dash: $(sort "$work/runs" | uniq -c)"
finish
