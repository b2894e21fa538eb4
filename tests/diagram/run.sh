#!/bin/bash
# run.sh -- the block diagram: its numbers are those of stat --all, each event stands once, and what does not go with it is refused.
#
#   picture.awk    what a picture in ASCII says, a line per event
#   expected.awk   what it has to say by stat --all -x,
#   svg.awk        what an SVG picture says
#   plain.py       is an SVG picture well-formed, without scripts and links?
set -u
. "$(dirname "$0")/../lib.sh"
ascii() { LC_ALL=C "$SOFTPMU" "$@"; }

# Numbers of a picture against those of the table; $1: name, $2: family, $3...: options of stat.
same_numbers() {
	local name=$1 family=$2
	shift 2
	ascii stat --env clean "$@" -x, -o "$work/counts.csv" -- cat /dev/null || bad "$name: stat -x"
	ascii stat --env clean "$@" --diagram -o "$work/picture" -- cat /dev/null || bad "$name: stat --diagram"
	sed '/seconds time elapsed/,$d' "$work/picture" >"$work/drawn"
	awk -F '\t' -f tests/diagram/expected.awk "catalog/$family/events.tsv" "catalog/$family/diagram.tsv" \
		"$work/counts.csv" | sort >"$work/expected"
	LC_ALL=C awk -f tests/diagram/picture.awk "$work/drawn" | sort >"$work/shown"
	if [ -s "$work/expected" ] && diff "$work/expected" "$work/shown" >"$work/diff"; then
		ok
	else
		bad "$name: table (<) and picture (>) differ: $(head -5 "$work/diff")"
	fi
	if [ "$(awk 'length > 80' "$work/drawn" | wc -l)" = 0 ]; then ok; else bad "$name: more than 80 columns"; fi
}

for cpu in pentium:p5 pentium-mmx:p5 pentiumpro:p6 pentium2:p6 pentium3:p6; do
	same_numbers "${cpu%:*}" "${cpu#*:}" --cpu "${cpu%:*}" --all
done
same_numbers "no commas" p6 --all --no-big-num
same_numbers "a few events" p6 -e dcu_lines_in,bus_tran_brd,l2_ld,inst_retired,fp_comp_ops_exe

# Every processor has the picture of its family, with each of its events once.
for cpu in $("$SOFTPMU" list cpus --json | jq -r '.[].name' | grep -v toy); do
	"$SOFTPMU" explain --diagram --cpu "$cpu" >"$work/names" || bad "explain --diagram --cpu $cpu"
	[ "$(wc -l <"$work/names")" -gt 40 ] && ok || bad "$cpu: the picture has $(wc -l <"$work/names") lines"
done

# The SVG says the same, in text and in attributes; its units are the catalog's.
for cpu in pentium:p5 pentium-mmx:p5 pentiumpro:p6 pentium2:p6 pentium3:p6; do
	family=${cpu#*:} cpu=${cpu%:*}
	ascii stat --env clean --cpu "$cpu" --all -x, -o "$work/csv" --diagram="$work/$cpu.svg" -- cat /dev/null ||
		bad "$cpu: --diagram=FILE.svg"
	awk -F, '$3 ~ /^[A-Z]/ { print $3 "\t" $1 }' "$work/csv" | sort >"$work/expected"
	LC_ALL=C awk -f tests/diagram/svg.awk "$work/$cpu.svg" | sort >"$work/shown"
	if [ -s "$work/expected" ] && diff "$work/expected" "$work/shown" >"$work/diff"; then
		ok
	else
		bad "$cpu: table (<) and SVG (>) differ: $(head -5 "$work/diff")"
	fi
	grep -o 'data-unit="[^"]*"' "$work/$cpu.svg" | cut -d '"' -f 2 | sort -u >"$work/units"
	awk -F '\t' '/^[^#]/ { sub(/\..*/, "", $1); print $1 }' "catalog/$family/wires.tsv" | sort -u >"$work/known"
	[ -s "$work/units" ] && [ -z "$(comm -23 "$work/units" "$work/known")" ] && ok ||
		bad "$cpu: no unit: $(comm -23 "$work/units" "$work/known")"
	case $cpu in
	pentium3 | pentium-mmx)
		[ -z "$(comm -13 "$work/units" "$work/known")" ] && ok ||
			bad "$cpu: units without a box: $(comm -13 "$work/units" "$work/known")" ;;
	esac
done

# Names and arguments of any bytes make a document all the same.
"$SOFTPMU" explain --diagram="$work/names.svg" && "$SOFTPMU" stat -e instructions --diagram="$work/odd.svg" -o /dev/null -- \
	/bin/echo '<script>"&' $'\xff\x01\xc3' $'\xed\xa0\x80' >/dev/null && ok || bad "names.svg, odd.svg"
grep -q '<title>/bin/echo &lt;script&gt;&quot;&amp; ??? ???</title>' "$work/odd.svg" && ok ||
	bad "odd.svg: $(grep -m 1 '<title>' "$work/odd.svg")"
if python3 -c 'import xml.parsers.expat' 2>/dev/null; then
	python3 tests/diagram/plain.py "$work"/*.svg >"$work/out" 2>&1 && ok || bad "not well-formed: $(tail -1 "$work/out")"
fi

# In a browser, where there is one, something is drawn: an empty page is smaller.
if command -v chromium >/dev/null; then
	(cd "$work" && HOME=$work timeout 60 chromium --headless --no-sandbox --disable-gpu --window-size=400,900 \
		--screenshot="$work/shot.png" "file://$work/pentium3.svg" >/dev/null 2>&1)
	[ "$(stat -c %s "$work/shot.png" 2>/dev/null || echo 0)" -gt 20000 ] && ok || bad "chromium shows nothing"
fi

# An older picture stays until there is a new one, which takes its place.
cp "$work/pentium3.svg" "$work/again.svg"
"$SOFTPMU" stat -e instructions --diagram="$work/again.svg" -- "$work/no-such-program" 2>/dev/null
cmp -s "$work/pentium3.svg" "$work/again.svg" && ok || bad "a run that fails changes the picture of the one before"
"$SOFTPMU" stat -e instructions --diagram="$work/again.svg" -o /dev/null -- true
[ "$(grep -c '<svg ' "$work/again.svg")" = 1 ] && ok || bad "the new picture does not take the place of the old one"

# Several processors: a file each.
"$SOFTPMU" stat --cpu pentium,pentium3 -e instructions --diagram="$work/x.svg" -o /dev/null -- true
[ -s "$work/x.pentium.svg" ] && [ -s "$work/x.pentium3.svg" ] && ok || bad "--cpu A,B gives not two files"

# What is counted under another mask is not the picture's event: it stands below.
ascii stat --diagram -e l2_ld:m,inst_retired -o "$work/masked" -- true
grep -q '^ *[0-9,]* *l2_ld:m$' "$work/masked" && ok || bad "l2_ld:m is not below the picture"
LC_ALL=C awk -f tests/diagram/picture.awk "$work/masked" | grep -q '^29 ' && bad "l2_ld:m stands in the picture" || ok
ascii stat --diagram -M ipc -o "$work/metric" -- true
grep -q '# .* ipc$\|# .*per clock ipc\|ipc' "$work/metric" && ok || bad "-M ipc is not below the picture"

# Several processors: one picture each.
ascii stat --diagram --cpu pentium,pentium3 -e instructions -o "$work/two" -- true
[ "$(grep -c 'Memory and devices\|L2, memory and devices' "$work/two")" = 2 ] && ok || bad "--cpu A,B gives not two pictures"

"$SOFTPMU" stat --json -e inst_retired -o "$work/old.json" -- true
refused() {
	local text=$1
	shift
	if "$SOFTPMU" "$@" >"$work/out" 2>&1; then bad "not refused: $*"; return; fi
	[ "$(wc -l <"$work/out")" = 1 ] && grep -q -- "$text" "$work/out" && ok || bad "$*: $(cat "$work/out")"
}
refused "in the table's place" stat --diagram -x, -- true
refused "in the table's place" stat --diagram -j -- true
refused "in the table's place" stat --diagram --json -- true
refused "ends in .svg" stat --diagram=x.png -- true
refused "ends in .svg" explain --diagram=.svg
refused "whole run" stat --diagram -I 1000insn -- true
refused "whole program" stat --diagram --per-process -- true
refused "no room for old counts" stat --diagram --against "$work/old.json" -- true
refused "no picture of the toy" stat --diagram --cpu toy -- true
refused "no picture of the toy" explain --diagram --cpu toy
refused "is for a model" stat --diagram --backend hw -- true
refused "cannot write it" stat --diagram=/nowhere/at/all.svg -- true

finish
