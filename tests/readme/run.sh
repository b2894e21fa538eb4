#!/bin/bash
# run.sh -- README.md says what is so: its commands are run and print what it shows; the picture is that of the run; numbers of
# events are the catalog's; ratios are those of bench/RESULTS.md; its six lines of CI fail where they should.
#
# A block of README is indented by four blanks; "$ " begins a command, "..." stands for any lines, and empty lines and times do not
# count. Commands run in one shell, in a folder with the examples. REBASE=1 makes the picture anew.
set -u
. "$(dirname "$0")/../lib.sh"
top=$PWD
unset COLUMNS MAKEFLAGS MAKELEVEL
export GIT_CONFIG_GLOBAL=/dev/null
mkdir "$work/bin" "$work/clone" && ln -s "$SOFTPMU" "$work/bin/softpmu" && cp -r examples "$work/clone/" || exit 1
export PATH=$work/bin:$PATH

# ---- commands --------------------------------------------------------------------------------------

# What is shown: a file per command, NUMBER.cmd and NUMBER.want.
awk -v to="$work/" '
	/^    \$ / { n++; print substr($0, 7) >(to n ".cmd"); printf "" >(to n ".want"); is_open = 1; next }
	/^    / && is_open { print substr($0, 5) >(to n ".want"); next }
	/./ { is_open = 0 }' README.md
cd "$work/clone" || exit 1
last=0
for ((n = 1; ; n++)); do
	[ -e "$work/$n.cmd" ] || break
	last=$n
	{ printf '{ (exit %s); }\n' '$status'; cat "$work/$n.cmd"; printf 'status=$?\n'; } >"$work/step"
	status=${status:-0}
	. "$work/step" >"$work/$n.got" 2>"$work/$n.err"
	# as on a terminal whose standard error comes behind
	cat "$work/$n.err" >>"$work/$n.got"
done
[ "$last" -ge 8 ] && ok || bad "README shows $last commands, not 8 or more"
# compare WANT GOT: the lines of WANT stand in GOT, in order; "..." stands for any.
compare() {
	awk 'function plain(s) { gsub(/[ \t]+$/, "", s); return s }
		NR == FNR { if (plain($0) != "") want[++n] = plain($0); next }
		plain($0) == "" { next }
		{ got[++m] = plain($0) }
		END {
			k = 1
			for (i = 1; i <= n; i++) {
				if (want[i] == "...") { free = 1; continue }
				while (free && k <= m && got[k] != want[i]) k++
				if (k > m || got[k] != want[i]) { print "it shows \"" want[i] "\", and there is \"" got[k] "\""; exit }
				k++; free = 0
			}
			if (!free && k <= m) print "there is more: \"" got[k] "\""
		}' "$1" "$2"
}
for ((n = 1; n <= last; n++)); do
	why=$(compare "$work/$n.want" "$work/$n.got")
	[ -z "$why" ] && ok || bad "$(cat "$work/$n.cmd"): $why"
done
# The comparison sees a wrong digit, a line too many and one too few.
printf 'a 1\n...\nc 3\n' >"$work/want"
printf 'a 1\nb\nc 3\n' >"$work/got" && [ -z "$(compare "$work/want" "$work/got")" ] && ok || bad "compare: what is so"
for wrong in 'a 2\nb\nc 3\n' 'a 1\nb\nc 3\nd\n' 'a 1\nb\n'; do
	printf "$wrong" >"$work/got" && [ -n "$(compare "$work/want" "$work/got")" ] && ok || bad "compare overlooks $wrong"
done

# ---- the example -----------------------------------------------------------------------------------

# The code is that of binutils 2.35, 2.40 and 2.44: where this fails the counts above may, too.
for p in rows:dcc2a142b6566551 columns:25f36f09f286b44a; do
	objcopy -O binary -j .text "$work/clone/examples/matrix/${p%:*}" "$work/code" && [ "$(sha256sum <"$work/code" | cut -c1-16)" = "${p#*:}" ] && ok ||
		bad "the code of examples/matrix/${p%:*} is another one here ($(as --version | head -n 1))"
done

# ---- the picture -----------------------------------------------------------------------------------

command=$(grep -o 'softpmu stat --diagram=columns.svg [^`]*' "$top/README.md")
(cd "$work/clone/examples/matrix" && $command >/dev/null 2>"$work/err") || bad "$command: $(cat "$work/err")"
picture=$work/clone/examples/matrix/columns.svg
[ "${REBASE:-0}" = 1 ] && cp "$picture" "$top/docs/columns.svg"
cmp -s "$picture" "$top/docs/columns.svg" && ok || bad "docs/columns.svg is not what '$command' draws: look at it, and REBASE=1 tests/readme/run.sh"

# ---- the table -------------------------------------------------------------------------------------

cd "$top" || exit 1
# says TEXT: README has it
says() { tr '\n' ' ' <README.md | grep -qF -e "$1" && ok || bad "README does not say '$1'"; }
events() { "$SOFTPMU" list events --cpu "$1" --json | jq 'if type == "object" then .events else . end | length'; }
says "| $(events pentium3) of a P6 |"
says "On a Pentium with MMX $(events pentium-mmx)"
# ratio ROW TEXT: README has TEXT with what the row of RESULTS.md measured in the place of @
ratio() {
	local value
	value=$(awk -F ' *[|] *' -v row="$1" '$2 == row { print $3; exit }' bench/RESULTS.md)
	[ -n "$value" ] || bad "bench/RESULTS.md has no row '$1'"
	says "${2/@/$value}"
}
ratio "tier 1 against native, geometric mean" "| from @ |"
ratio "tier 1 against native, geometric mean" "softpmu takes @ times native while it counts instructions"
ratio "tier 2, all events, against Cachegrind" "instructions, @ of Cachegrind's time"
ratio "the same against Cachegrind" "caches, @ times Cachegrind's"
ratio "P6 with clocks, all events, against Callgrind, geometric mean" "Cachegrind's and @ of Callgrind's"
# of the first table of programs: its fifth column is Cachegrind against native
program() { awk -F ' *[|] *' -v row="$1" '/Cachegrind : native/ { is_in = 1 } is_in && $2 == row { print $6; exit }' bench/RESULTS.md; }
says "| gzip $(program gzip), lua $(program lua) |"

# ---- six lines of CI -------------------------------------------------------------------------------

awk '/^```yaml/ { is_in = 1; next } /^```/ { is_in = 0 } is_in' README.md >"$work/ci.yaml"
[ "$(wc -l <"$work/ci.yaml")" = 6 ] && ok || bad "the CI example has $(wc -l <"$work/ci.yaml") lines, not 6"
# The shell's lines, in a repository of two builds: the old one reads by rows, the new one by columns, or as before.
awk '/run: [|]/ { is_in = 1; next } is_in { sub(/^    /, ""); print }' "$work/ci.yaml" >"$work/ci.sh"
[ -s "$work/ci.sh" ] || bad "the CI example runs nothing"
command -v git >/dev/null || { skip "no git: the CI example is not run"; finish; }
mkdir "$work/repo" && cd "$work/repo" && cp "$top/examples/matrix/matrix.s" . || exit 1
printf 'prog: matrix.s\n\tas --64 $(MORE) -o prog.o matrix.s && ld -static -o prog prog.o\n' >Makefile
git init -q . && git add . && git -c user.name=a -c user.email=a@example.org commit -q -m old && git branch -q base &&
	git update-ref refs/remotes/origin/base base || bad "git: no repository"
for variant in same:0 other:3; do
	git worktree remove -f base 2>/dev/null
	rm -rf base prog
	# the new build has one more pass over all numbers where it is another one
	git checkout -q matrix.s
	[ "${variant%:*}" = same ] || sed -i 's/^\tcall fill/\tcall fill\n\tcall sum/' matrix.s
	GITHUB_BASE_REF=base GITHUB_STEP_SUMMARY=$work/summary bash -e "$work/ci.sh" >"$work/out" 2>"$work/err"
	got=$?
	[ $got = "${variant#*:}" ] && ok || bad "CI on the ${variant%:*} program has status $got: $(tail -n 3 "$work/err")"
done
grep -q '^| `new` | ' "$work/summary" && grep -q '`sum`' "$work/summary" && ok || bad "the summary: $(cat "$work/summary")"
finish
