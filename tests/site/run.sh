#!/bin/bash
# run.sh -- the sources of the site: every event and every unit has a page that tells what softpmu explain and docs/MODELS.md tell; links
# lead somewhere. make check-all makes the site with Sphinx, and looks at it in Chromium.
. "$(dirname "$0")/../lib.sh"
if ! command -v python3 >/dev/null || ! git rev-parse -q --verify HEAD >/dev/null 2>&1; then
	skip "the site: no python3 here, or no checkout"
	finish
fi
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
full=
[ "${CHECK_LEVEL-}" = all ] && full=yes
src=$work/source
quick=--quick
[ -z "$full" ] || quick=
# shellcheck disable=SC2086 # no word, where nothing is left out
$python tools/site/pages.py $quick "$SOFTPMU" "$src" 2>"$work/err" && ok || bad "pages.py: $(cat "$work/err")"
# (in the full way softpmu runs its lessons, and the manual pages are those of the build)

has() { grep -qF -- "$2" "$src/$1" && ok || bad "$1 does not say: $2"; }
for cpu in pentiumpro pentium3 pentium pentium-mmx; do
	family=p6
	case $cpu in pentium | pentium-mmx) family=p5 ;; esac
	missing=$("$SOFTPMU" list --cpu $cpu --json | sed -n 's/^    "name": "\(.*\)",/\1/p' | while read -r e; do
		f=${e//\//-}.md
		[ -s "$src/events/$family/$f" ] && grep -qF "[$e]($f)" "$src/events/$family/index.md" || echo "$e"; done)
	[ -z "$missing" ] && ok || bad "events of a $cpu without a page:" $missing
done
has events/p6/L2_LINES_IN.md 'code | 0x24'
has events/p6/L2_LINES_IN.md 'unit | [l2](../../docs/models/l2.md)'
has events/p6/L2_LINES_IN.md '* [L2_LINES_OUT](L2_LINES_OUT.md) \<= '
has events/p6/L2_LD.md ':MESI           0x0f  any state (default)'
has events/p6/L2_LD.md '../../pictures/p6-l2.svg'
has docs/models/l2.md '[L2_LINES_IN](../../events/p6/L2_LINES_IN.md)'
for part in Does Takes Chosen 'Not modelled' Code Tests; do has docs/models/l2.md "## $part"; done
grep -q 'data-unit="l2".*frame{stroke' "$src/pictures/p6-l2.svg" && ok || bad "the picture of l2 does not mark it"
has README.md '](docs/columns.svg)'
grep -rn '<img' "$src" --include='README.md' >"$work/out" && bad "a picture that Sphinx does not copy: $(cat "$work/out")" || ok
units=$(sed -n 's/^## //p' docs/MODELS.md | grep -vc '^Contents$')
[ "$(find "$src/docs/models" -name '*.md' ! -name index.md | wc -l)" = "$units" ] && ok || bad "MODELS.md has $units parts, and not as many pages"
[ "$(grep -c '^| [0-9]' "$src/lab/index.md")" = "$(find src/lab/lessons -name '*.lesson' | wc -l)" ] && ok || bad "a lesson is missing in the list"

# Links of the sources: all lead to files. One that does not is seen.
links() {
	(cd "$1" && grep -rohE '\]\([^)#: ]+(#[^)]*)?\)' --include='*.md' . -H | sed 's/:](/\t/; s/)$//; s/#.*//' | sort -u |
		while IFS=$'\t' read -r from to; do [ -e "$(dirname "$from")/$to" ] || echo "$from: $to"; done)
}
out=$(links "$src")
[ -z "$out" ] && ok || bad "links that lead nowhere: $(head -n 5 <<<"$out")"
mkdir "$work/wrong" && echo '[a](b.md)' >"$work/wrong/a.md" && [ -n "$(links "$work/wrong")" ] && ok || bad "a link that leads nowhere is not seen"
mkdir "$work/page" && echo '<a id="x" href="#y">a</a><a href="gone.html">b</a>' >"$work/page/a.html"
[ "$($python tools/site/check-links.py "$work/page" | wc -l)" = 2 ] && ok || bad "check-links.py overlooks a link or an anchor that is not there"

if [ -n "$full" ] && $python -c 'import sphinx, myst_parser' 2>/dev/null; then
	$python -m sphinx -q -W --keep-going -b html -d "$work/trees" -c tools/site "$src" "$work/html" >"$work/log" 2>&1 && ok || bad "Sphinx: $(head -n 5 "$work/log")"
	$python tools/site/check-links.py "$work/html" >"$work/log" 2>&1 && ok || bad "links: $(head -n 5 "$work/log")"
	if command -v chromium >/dev/null; then
		out=$($python tests/site/look.py "$work/html")
		grep FAIL <<<"$out"
		line=$(tail -n 1 <<<"$out")
		n=${line%% passed*} f=${line#*, }
		passed=$((passed + ${n:-0})) failed=$((failed + ${f%% failed*}))
	else
		skip "the site in a browser: no chromium here"
	fi
elif [ -n "$full" ]; then
	skip "the site itself: no Sphinx with myst-parser here (tools/install-deps.sh site)"
else
	skip "the site itself, in a browser: make check-all"
fi
finish
