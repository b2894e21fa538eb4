#!/bin/bash
# The house rules: layers, headers, file-scope state, guest symbols, names; and the text of the sources.
set -u
. "$(dirname "$0")/../lib.sh"

out=$(tools/check-layers.sh)
echo "$out" | grep FAIL
line=$(echo "$out" | tail -n 1)
passed=${line%% passed*}
failed=${line#*, }; failed=${failed%% failed*}

# All C is formatted, and fits 100 columns.
out=$(tools/check-format.sh)
echo "$out" | grep -E '^(FAIL|skip)'
line=$(echo "$out" | tail -n 1)
passed=$((passed + ${line%% passed*}))
line=${line#*, }
failed=$((failed + ${line%% failed*}))

# CHECK_ONLY with a name that no suite has is a failure at once, not a check of nothing.
case $(CHECK_ONLY=no-such-suite tools/check.sh 2>&1) in
*"no suite has that in its name"*"0 passed, 1 failed") ok ;;
*) bad "CHECK_ONLY=no-such-suite does not say that there is none" ;;
esac

# The checker itself must see a violation: a scratch room that includes what it may not.
mkdir -p build
scratch=$(mktemp -d build/scratch.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
cp -R tools "$scratch/tools"
mkdir -p "$scratch/src/model/p6/units" "$scratch/src/model/p6/kept" "$scratch/src/pmu" "$scratch/build/release/src/pmu" "$scratch/build/release/gen"
echo '#include "pmu/pmu.h"' >"$scratch/src/model/bad.c"
echo 'struct never *f(missing_type);' >"$scratch/src/pmu/pmu.h"
echo 'int count; int f(void); int f(void) { return count++; }' >"$scratch/src/pmu/bad.c"
${CC:-gcc} -c -o "$scratch/build/release/src/pmu/bad.o" "$scratch/src/pmu/bad.c"
cat >"$scratch/src/model/p6/units/l2.c" <<-'END'
	#include "model/p6/kept/memo.h"
	/* p6_not_called() */
	static void own_name(int up_name) { up_name++; }
	void p6_l2(struct p6 *m)
	{
		m->up_value = 1;
		own_name("p6_in_text()"[0]);
		p6_up();
	}
END
cat >"$scratch/src/model/p6/kept/memo.c" <<-'END'
	void p6_up(void)
	{
		p6_l2(0);
	}
	void p6_not_called(void) {}
	void p6_in_text(void) {}
	void up_value(void) {}
	void own_name(int n) {}
END
touch "$scratch/src/model/p6/kept/"{1..45}.def
printf '/* %0100d */\n' 1 >"$scratch/src/pmu/long.c"
cp .clang-format "$scratch"
case $(cd "$scratch" && mkdir -p include tests && GIT_DIR=/dev/null tools/check-format.sh) in
*"src/pmu/long.c:1: 106 columns"*) ok ;;
*) bad "check-format.sh overlooks a long line" ;;
esac
seen=$(cd "$scratch" && BUILD=build/release tools/check-layers.sh includes headers mutable wings folders)
for what in "includes: src/model/bad.c:1: model may not include pmu/pmu.h" \
	"headers: src/pmu/pmu.h: does not compile alone" "mutable: src/pmu/bad.o: count lies in .bss" \
	"wings: src/model/p6/units/l2.c: model/p6/kept/memo.h belongs to a wing" \
	"wings: src/model/p6/units/l2.c: p6_up belongs to a wing" "p6_watch_uncached\" is gone: take it off the list" \
	"folders: src/model/p6/kept: 46 files"; do
	case $seen in *"$what"*) ok ;; *) bad "check-layers.sh overlooks: $what" ;; esac
done

n=$(echo "$seen" | grep -c 'wings: src/')
[ "$n" = 2 ] && ok || bad "check-layers.sh sees $n arrows between the wings of the scratch tree, not 2"
for room in model/p6 model/p5 guest session; do
	echo "note: arrows between the wings of $room that run back (tools/wings-back.txt): $(grep -c "^src/$room/" tools/wings-back.txt)"
done

# The measures of the house, of two files whose measures can be counted by hand: each calls the other.
mkdir "$scratch/pair"
printf '#include "b.h"\nvoid a_first(void)\n{\n\tb_second(1, 2, 3, 4, 5, 6);\n}\n' >"$scratch/pair/a.c"
printf '/* b.c -- a head */\nint b_second(int a, int b, int c, int d, int e, int f)\n{\n\ta_first();\n\treturn a;\n}\n' >"$scratch/pair/b.c"
#     files code about functions lengths over-a-screen args files folder circle back no-head >100
want="2 10 0.10 2 4/4/5 0 1 5/6 2 2 of 2 0 1 0"
got=$(tools/house-measures.sh "$PWD/$scratch/pair" | sed -n 2p | tr -s ' ' | cut -d' ' -f2-)
[ "$got" = "$want" ] && ok || bad "tools/house-measures.sh: of two files: $got, not: $want"

# Text: no blanks at line ends.
files=$(git ls-files '*.c' '*.h' '*.S' '*.sh' '*.mk' Makefile 2>/dev/null)
if [ -n "$files" ]; then
	hits=$(grep -nE '[ 	]+$' $files | head -n 5)
	[ -z "$hits" ] && ok || bad "blanks at the end of a line: $hits"
fi

# NEWS: a release is a screen.
long=$(awk '/^softpmu [0-9]/ { name = $0; n = 0 } ++n > 60 && n == 61 { print name }' NEWS)
[ -z "$long" ] && ok || bad "NEWS: more than 60 lines about $long (is it an older list that a merge kept? Take main's and add your line)"

# Documents: lines and paragraphs that a person reads; and the rule sees what breaks it. A decision is a page.
docs=$(git ls-files '*.md' NEWS | grep -v '^tests/\|^catalog/.*/notes.md$')
hits=$(awk -f tools/check-docs.awk $docs | head -n 5)
[ -z "$hits" ] && ok || bad "$hits"
{
	printf 'word %.0s' $(seq 60) && echo
	printf 'word\n%.0s' $(seq 130)
	printf '\n    %s\n| %s |\n' "$(printf 'code%.0s' $(seq 40))" "$(printf 'cell%.0s' $(seq 40))"
} >"$scratch/long.md"
[ "$(awk -f tools/check-docs.awk "$scratch/long.md" | sed 's/^[^:]*//')" = ':1: 300 columns; 110 is the most
:1: a paragraph of 190 words; 120 is the most' ] && ok || bad "check-docs.awk overlooks a long line or paragraph"
long=$(wc -l docs/decisions/*.md | awk '$1 > 60 && $2 != "total" { print $2 }')
[ -z "$long" ] && ok || bad "a decision is a page of 60 lines (notes go to docs/lab): $long"
for page in docs/decisions/[0-9]*.md; do
	grep -q "(${page##*/})" docs/decisions/README.md && ok || bad "docs/decisions/README.md does not list $page"
done
for part in Question Option Choice Price 'How we would notice that it was wrong'; do
	hits=$(grep -L "^\*\*$part" docs/decisions/[0-9]*.md)
	[ -z "$hits" ] && ok || bad "a decision without \"**$part\": $hits"
done

# MODELS says where a unit is and which tests it has: they are there.
hits=$(grep -o '[a-z0-9_/]*\.c\>' docs/MODELS.md | sort -u | while read -r f; do
	git ls-files "$f" "src/**/$f" | grep -q . || echo "$f"; done)
[ -z "$hits" ] && ok || bad "docs/MODELS.md names files that are not there:" $hits
hits=$(tr '\n' ' ' <docs/MODELS.md | sed 's/\*\*Code\.\*\*/\n&/g' | sed -n 's/.*\*\*Tests\.\*\*//p' | sed 's/  .*//' |
	grep -oE '[a-z0-9_/*.]+' | grep -xE '[a-z0-9]+_[a-z0-9_]+' | sort -u | while read -r t; do
	[ -e "tests/model/$t.S" ] || echo "$t"; done)
[ -z "$hits" ] && ok || bad "docs/MODELS.md names tests that are not there:" $hits

# The table of system calls is what the runtime does; and the comparison sees a difference.
table=$(tools/syscall-table.sh) || bad "tools/syscall-table.sh fails"
[ "$table" = "$(cat docs/SYSCALL_TABLE.md)" ] && ok ||
	bad "docs/SYSCALL_TABLE.md is not what src/guest/calls/syscalls.def says: run tools/syscall-table.sh >docs/SYSCALL_TABLE.md"
mkdir -p "$scratch/src/guest/calls"
sed 's/^CALL(getpid, pass/CALL(getpid, nosys/' src/guest/calls/syscalls.def >"$scratch/src/guest/calls/syscalls.def"
[ "$("$scratch/tools/syscall-table.sh")" != "$table" ] && ok || bad "syscall-table.sh does not look at syscalls.def"

# Shell scripts parse.
hits=
for f in $(git ls-files '*.sh' .ci/run); do
	bash -n "$f" 2>/dev/null || hits="$hits $f"
done
[ -z "$hits" ] && ok || bad "shell syntax:$hits"

finish
