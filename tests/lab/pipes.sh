#!/bin/bash
# pipes.sh -- what the lessons' texts say of the Pentium's pipes is what softpmu asm shows of the same loops.
set -u
. "$(dirname "$0")/../lib.sh"

# loop_of LESSON PROGRAM: from the program's last numbered label on, repetitions written out
loop_of() {
	awk -v name="$2" '
		/^[a-z]/ { on = $1 == "program" && $2 == name; is_loop = 0; next }
		!on { next }
		{ sub(/#.*/, ""); sub(/^\t+/, "") }
		/^[0-9]:/ { is_loop = 1; n = 0; if (sub(/\.rept /, "")) { split($0, w, "\t"); line[n++] = w[1]; $0 = ".rept " w[2] } }
		!is_loop { next }
		/^\.rept/ { times = $2; first = n; next }
		/^\.endr/ { last = n; while (--times) for (i = first; i < last; i++) line[n++] = line[i]; next }
		{ line[n++] = $0 }
		END { for (i = 0; i < n; i++) print line[i] }' src/lab/lessons/"$1"-*.lesson |
		sed 's/\br\(si\|ax\|di\)\b/e\1/g' | awk '{ print } /^j[a-z]* [0-9]b$/ { exit }'
}

# pipes_of LESSON PROGRAM: U and V of the loop's instructions; of repetitions in short, as 10U
pipes_of() {
	loop_of "$1" "$2" >"$work/loop.s"
	"$SOFTPMU" asm --cpu pentium --no-run -f "$work/loop.s" 2>&1 |
		sed -n 's/^ *[0-9]\{1,\}  \([UV]\)  .*/\1/p; /^softpmu/p' | tr -d '\n'
}

# shows LESSON PROGRAM PIPES WORDS: asm shows these pipes, and the lesson says so in these words
shows() {
	local got said
	got=$(pipes_of "$1" "$2")
	[ "$got" = "$3" ] && ok || bad "lesson $1, $2: $got, not $3"
	said=$(tr -s '\t\n ' ' ' <"$(echo src/lab/lessons/"$1"-*.lesson)")
	[[ $said == *"$4"* ]] && ok || bad "lesson $1 does not say: $4"
}

shows 04 4K UVUV "one for the pair of load and addition and one for the pair of DEC and jump"
shows 31 pair UVUV "Two moves pair, and so does DEC with the jump behind it"
shows 31 needs UUVU "two do not pair: one in V, three clocks"
shows 31 shift UUVU "two do not pair: one in V, three clocks"
shows 31 turned UVUV "U takes the shift and V the move"
shows 32 near UUVU "addition (alone, for the load needs what it writes), wait, the pair of load and DEC, and the jump alone"
shows 32 far UVUV "a pair stands between the addition and the load of the next turn"
shows 34 plain UVUVUVUVUV "Eight moves without"
shows 34 prefixed UUUUUUUUVU "each goes alone, but for the last one, which has DEC beside it: 16 clocks instead of 4, and one for the jump"
shows 35 three UVUVUVUVUVUVUVU "six in V, and DEC beside NOP is the seventh; the jump goes alone"
shows 35 parted UUUUUUUUUUUUUUUUUUUVU "nothing pairs with an x87 operation but FXCH behind it"
shows 37 same UVUV "They take a clock more: the pair is executed one after the other"
# The ten stores and the 80 NOPs: 10 U, then 40 pairs, and the pair of DEC and jump.
shows 40 stores UUUUUUUUUU"$(printf 'UV%.0s' {1..41})" "all go down U"

# No other lesson of a Pentium names pipes or pairs in its answers.
named=$(grep -lE '\b(pairs?|down [UV]|in [UV])\b' src/lab/lessons/*.lesson | xargs grep -l 'cpus:.*pentium\b' | grep -oE '/[0-9]+-' | tr -d '/-' | tr '\n' ' ')
[ "$named" = "04 31 32 33 34 35 37 40 " ] && ok || bad "lessons that name pairs: $named"
finish
