#!/bin/bash
# run.sh -- the laboratory: every claim of every lesson on each of its processors, every try; lessons without tools; a saved lesson.
set -u
. "$(dirname "$0")/../lib.sh"

out=$("$SOFTPMU" lab --all --check 2>&1)
echo "$out" | grep -v ' passed, '
line=$(echo "$out" | tail -n 1)
if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
	passed=${BASH_REMATCH[1]} failed=${BASH_REMATCH[2]}
else
	bad "lab --all --check ends with: $line"
fi

# Files are numbered without a gap, and each is listed.
n=0
for f in src/lab/lessons/*.lesson; do
	n=$((n + 1))
	name=$(basename "$f")
	[ "${name%%-*}" = "$(printf %02d $n)" ] && ok || bad "$f should have number $n"
done
[ "$("$SOFTPMU" lab | grep -c '^ *[0-9]')" = $n ] && ok || bad "softpmu lab lists not all of $n lessons"

# Sources are known, and what a lesson cites of rabbit's page is a statement of docs/COMMENTARY.md that names the lesson.
# is_stated LINE N: does the row of that line name lesson N?
is_stated() {
	awk -F ' *[|] *' -v at="$1" -v lab="lab $2[^0-9]" '
		/^## / { is_rabbit = /^## R:/ }
		is_rabbit && /^[|] [0-9]/ {
			n = split($2, range, "-")
			if (at + 0 >= range[1] + 0 && at + 0 <= range[n] + 0 && $4 " " ~ lab)
				found = 1
		}
		END { exit !found }' docs/COMMENTARY.md
}
is_stated 513 5 && ! is_stated 513 6 && ok || bad "line 513 of the page is the statement of lesson 5"
for f in src/lab/lessons/*.lesson; do
	n=$(basename "$f" | grep -o '^[0-9]*')
	while read -r key rest; do
		cut -f1 catalog/sources.tsv | grep -qx -- "${key%,}" && ok || bad "$f: $key is no source of catalog/sources.tsv"
		[ "$key" != R ] || is_stated "$(grep -oE '[0-9]+' <<<"$rest" | head -n 1)" $((10#$n)) && ok ||
			bad "$f: docs/COMMENTARY.md has no statement with this lesson at $rest"
	done < <(sed -n 's/^source: //p' "$f" | tr ';' '\n')
done

# Lines fit into 80 columns, but for command lines.
"$SOFTPMU" lab --all >"$work/all" 2>&1 && ok || bad "softpmu lab --all fails"
wide=$(grep -nE '^.{81}' "$work/all" | grep -v 'softpmu stat' | head -n 3)
[ -z "$wide" ] && ok || bad "lines of more than 80 columns: $wide"
[ "$(env -i "$SOFTPMU" lab 1)" = "$("$SOFTPMU" lab 1)" ] && ok || bad "an empty environment changes a lesson"

# What --save writes gives the numbers that the lesson shows; its source gives the program.
"$SOFTPMU" lab 1 --save "$work/one" >/dev/null && ok || bad "lab 1 --save fails"
(cd "$work/one" && PATH=$(dirname "$SOFTPMU"):$PATH ./run.sh) 2>&1 | grep -q ' 2,001 *data_mem_refs' && ok ||
	bad "the saved lesson does not count 2,001 references"
(cd "$work/one" && as --64 -o copy.o copy.s && ld -m elf_x86_64 -static -z noseparate-code -s -o again copy.o && cmp copy again) 2>&1 && ok ||
	bad "the saved source does not give the saved program"
finish
