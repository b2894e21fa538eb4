#!/bin/bash
# run.sh -- tests of the catalog: bad tables must be refused by name, the real one must hold the seeds.
#
#   bad/<check>/      files laid over a copy of good/ ("remove" lists files to take away), and in
#                     "expected" the complaint that gencat must make, "file:line: what"
#   seed_rows.tsv     every row of the published tables, compared with gencat --dump
#   look-ups          tests/unit/test_catalog.c has those of the library
# Ends with "N passed, N failed".
set -u
. "$(dirname "$0")/../lib.sh"
gencat=$PWD/$BUILD/tools/gencat
[ -x "$gencat" ] || make -s "$BUILD/tools/gencat" || exit 1

# Does gencat accept the small good catalog, and write tables that compile?
if "$gencat" --check tests/catalog/good 2>"$work/err"; then ok; else bad "good: $(cat "$work/err")"; fi
mkdir "$work/gen"
if "$gencat" catalog "$work/gen" 2>"$work/err" &&
		${CC:-cc} -std=c11 -Wall -Wextra -Werror -Isrc -I"$work" -fsyntax-only "$work/gen/catalog_tables.c"; then
	ok
else
	bad "catalog: $(head -3 "$work/err")"
fi
# A second run must leave unchanged files alone, so that nothing is built again.
touch -d '2000-01-01' "$work/gen/"*
"$gencat" catalog "$work/gen"
if [ "$(find "$work/gen" -newermt '2001-01-01' -type f | wc -l)" = 0 ]; then ok; else bad "rewrites unchanged files"; fi

for bad in tests/catalog/bad/*/; do
	name=$(basename "$bad")
	rm -rf "$work/cat"
	cp -r tests/catalog/good "$work/cat"
	(cd "$bad" && find . -type f ! -name expected ! -name remove) | while read -r f; do
		cp "$bad/$f" "$work/cat/$f"
	done
	[ -f "$bad/remove" ] && (cd "$work/cat" && xargs rm -f) <"$bad/remove"
	(cd "$work" && "$gencat" --check cat) >"$work/out" 2>"$work/err"
	status=$?
	if [ $status = 1 ] && grep -qxF "cat/$(cat "$bad/expected")" "$work/err"; then
		ok
	else
		bad "$name: status $status, wanted: $(cat "$bad/expected"); got: $(head -2 "$work/err")"
	fi
done

# More groups than there is room for: a hundred files beside the one that is there.
rm -rf "$work/cat" && cp -r tests/catalog/good "$work/cat"
for i in $(seq 100); do printf '# one\nLOADS\n' >"$work/cat/toy/groups/z$i.txt"; done
(cd "$work" && "$gencat" --check cat) >"$work/out" 2>"$work/err"
if [ $? = 1 ] && grep -q '^cat/toy/groups/z[0-9]*.txt: more than 100 groups$' "$work/err"; then ok; else bad "101 groups: $(head -2 "$work/err")"; fi

# The recipe of docs/HOWTO_EVENT.md, done as it stands there to a copy, adds the event it promises.
cp -r catalog "$work/howto"
awk -F '\t' '/^       0x/ { sub(/^ +/, ""); print > (NF == 12 ? events : rules) }' \
	events="$work/howto.events" rules="$work/howto.rules" docs/HOWTO_EVENT.md
cat "$work/howto.events" >>"$work/howto/toy/events.tsv"
cat "$work/howto.rules" >>"$work/howto/toy/rules.tsv"
sed -n '/^       ## DATA_WRITES/,/^       -/s/^       //p' docs/HOWTO_EVENT.md >>"$work/howto/toy/notes.md"
if "$gencat" --dump "$work/howto" | grep -q "^toy	05H	1	00	DATA_WRITES	occ$"; then
	ok
else
	bad "docs/HOWTO_EVENT.md: its recipe does not work"
fi

# Every published row is in the catalog, on its processor and counter, with its name and kind.
"$gencat" --dump catalog >"$work/dump" || bad "dump"
result=$(awk -F '\t' '
	NR == FNR { have[$1, $2, $3, $4] = $5 "\t" $6; next }
	/^#/ { next }
	{
		rows++
		key = $2 SUBSEP $3 SUBSEP $4 SUBSEP $5
		if (!(key in have))
			print "missing: " $0 > "/dev/stderr"
		else if ($7 == "-" ? index(have[key], $6 "\t") != 1 : have[key] != $6 "\t" $7)
			print "differs: " $0 " -- catalog has " have[key] > "/dev/stderr"
		else
			good++
	}
	END { print good + 0, rows + 0 }' "$work/dump" tests/catalog/seed_rows.tsv)
passed=$((passed + ${result% *}))
failed=$((failed + ${result#* } - ${result% *}))

finish
