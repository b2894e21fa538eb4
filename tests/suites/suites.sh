#!/bin/bash
# suites.sh [SUITE]... -- run the test suites of other projects natively and under softpmu.
#
# Suites: torture selftests qemu glibc (default: all four). Sources are Debian's source packages
# (sources.sh). Each test is built once and run natively twice; only tests that pass both times count. Then
# it runs under softpmu, tests in turn with plain counts (tier 1) and with the whole stream (tier 2).
# What was built and what natively passed is kept in build/suites, and results as long as softpmu is the
# same, so a pass that was stopped goes on where it was. When all suites ran in full, the last section of
# docs/COMPATIBILITY.md is written anew; otherwise the table is only printed.
#
#   SUITES_STRIDE=8      only every eighth test
#   SUITES_ONLY=GLOB     only tests whose name matches
#   SUITES_KEEP=1        keep what passed under another softpmu, run only the rest
#   SUITES_JOBS=2        tests at a time
#   SUITES_REPORT=1      run nothing, report what is there
#   SUITES_LATE=1        run again what took longer than its time under this softpmu (the machine was busy, or halted)
#   SUITES_COMMIT=ID     what softpmu was built from, when it is not what is checked out
#
# Last line: "N passed, N failed".
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
. tests/suites/sources.sh
export SUITES=$top/build/suites
export SOFTPMU=${SOFTPMU:-$top/build/release/softpmu}
export LC_ALL=C TZ=UTC PATH=/usr/sbin:/usr/bin:/sbin:/bin
unset LD_PRELOAD LD_LIBRARY_PATH LANGUAGE LANG MAKEFLAGS MFLAGS
jobs=${SUITES_JOBS:-2} stride=${SUITES_STRIDE:-1} only=${SUITES_ONLY:-*}
all="torture selftests qemu glibc"
src=$SUITES/src notes=$top/tests/suites/notes.tsv

# A list has a line per test: name, judged by (status or output), seconds, options of softpmu or -, command
# that builds it or -, command that runs it; separated by tabs. $dir is the test's directory in both commands.
entry() { printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@"; }

# note KIND SUITE TEST: what notes.tsv says of a test (out: not run; fails: why); nothing without a row
note() {
	local suite glob kind why
	while IFS=$'\t' read -r suite glob kind why; do
		[ "$suite $kind" = "$2 $1" ] || continue
		case $3 in $glob) echo "$why"; return ;; esac
	done <"$notes"
}

# list SUITE: the tests of a suite that are to be run now
list() {
	local line name n=0 chosen=0 glob out=()
	mapfile -t out < <(awk -F'\t' -v s="$1" '$1 == s && $3 == "out" { print $2 }' "$notes")
	. "tests/suites/$1.sh" >"$SUITES/run/$1/all"
	while IFS= read -r line; do
		name=${line%%$'\t'*}
		n=$((n + 1))
		[ $((n % stride)) = 0 ] || continue
		case $name in $only) ;; *) continue ;; esac
		for glob in "${out[@]}"; do
			case $name in $glob) continue 2 ;; esac
		done
		chosen=$((chosen + 1))
		printf '%s\t%s\t%s\n' "$1" "$chosen" "$line"
	done <"$SUITES/run/$1/all"
}

# forget SUITE: results of another softpmu are of no use
forget() {
	local id
	id=$(cksum <"$SOFTPMU")
	if [ "$(cat "$SUITES/run/$1/softpmu" 2>/dev/null)" = "$id" ]; then
		[ -z "${SUITES_LATE:-}" ] || grep -rl --include=result '^failed	takes more than' "$SUITES/run/$1" | xargs -r rm
		return
	fi
	if [ -n "${SUITES_KEEP:-}" ]; then
		grep -rLx --include=result 'passed.*' "$SUITES/run/$1" 2>/dev/null | xargs -r rm
	else
		find "$SUITES/run/$1" -name result -delete
	fi
	echo "$id" >"$SUITES/run/$1/softpmu"
	echo "${SUITES_COMMIT:-$(git rev-parse --short HEAD 2>/dev/null)}" >"$SUITES/run/$1/commit"
}

# row SUITE: one line of the table
row() {
	local passed failed native unbuilt total
	total=$(grep -c . "$SUITES/run/$1/list")
	passed=$(results "$1" | grep -c '	passed')
	failed=$(results "$1" | grep -c '	failed')
	native=$(results "$1" | grep -c '	native')
	unbuilt=$(results "$1" | grep -c '	unbuilt')
	[ $((passed + failed)) -gt 0 ] || return
	echo "| $1 | $total | $unbuilt | $native | $((passed + failed)) | $passed | $failed |" \
		"$(awk "BEGIN { printf \"%.2f\", 100 * $passed / ($passed + $failed) }") % | $(cat "$SUITES/run/$1/commit") |"
}

# results SUITE: name, verdict, why of each test in the list
results() {
	cut -f3 "$SUITES/run/$1/list" | while read -r name; do
		[ -f "$SUITES/run/$1/$name/result" ] && printf '%s\t%s\n' "$name" "$(cat "$SUITES/run/$1/$name/result")"
	done
}

# unrun SUITE: tests that have no result; when there are many, how many
unrun() {
	local name n
	n=$(cut -f3 "$SUITES/run/$1/list" | while read -r name; do
		[ -f "$SUITES/run/$1/$name/result" ] || echo "$name"
	done | tee "$SUITES/run/$1/unrun" | wc -l)
	if [ "$n" -gt 20 ]; then
		echo "* $1: $n of the tests were not run this time"
		return
	fi
	while read -r name; do
		echo "* $1 $name: not run this time; $(note fails "$1" "$name")"
	done <"$SUITES/run/$1/unrun"
}

# Text in lines of 100 columns, items indented (tools/check-docs.awk); tables as they are.
filled() {
	local line
	while IFS= read -r line; do
		case $line in
		'|'*) echo "$line" ;;
		'* '*) echo "$line" | fold -s -w 98 | sed 's/ *$//; 2,$s/^/  /' ;;
		*) echo "$line" | fold -s -w 100 | sed 's/ *$//' ;;
		esac
	done
}

# report SUITE...: the section of docs/COMPATIBILITY.md
report() {
	local suite name verdict why known
	cat <<-END
	## Test suites of other projects

	Written by tests/suites/suites.sh (\`make check-suites\`) on $(date -u +%Y-%m-%d). The tests are those
	of Debian's source packages$(sources_used).
	Each is run natively twice; those that pass both times count. Under softpmu they run with
	\`-e instructions\` and with \`-e inst_retired,dcu_lines_in\` in turns. torture are the execute tests of
	gcc's c-torture at -O0 and -O2 in 64 and 32 bits, selftests those of the kernel's selftests/x86, qemu
	the programs of tests/tcg for i386, x86_64 and every architecture, glibc the tests of its
	directories nptl and signal.

	| suite | tests | do not build here | fail natively | counted | passed | failed | | commit |
	|---|---|---|---|---|---|---|---|---|
	END
	for suite; do row "$suite"; done
	[ -z "${SUITES_KEEP:-}" ] || printf '\nTests that had passed under an earlier build of softpmu were not run again.\n'
	printf '\nWhat fails, and why:\n\n'
	for suite; do
		results "$suite" | while IFS=$'\t' read -r name verdict why; do
			[ "$verdict" = failed ] || continue
			known=$(note fails "$suite" "$name")
			echo "* $suite $name: ${known:-not looked into; $why}"
		done
	done
	for suite; do
		unrun "$suite"
	done
	[ -f "$SUITES/glibc32/.tests" ] || echo "* glibc's 32-bit tests: not run, because they were not built"
	printf '\nNot run, because out of scope:\n\n'
	for suite; do
		awk -F'\t' -v s="$suite" '$1 == s && $3 == "out" { print "* " $1 " " $2 ": " $4 }' "$notes"
	done
}

suites=${*:-$all}
for suite in $suites; do
	[ -f "tests/suites/$suite.sh" ] || { echo "suites.sh: no suite '$suite'; there are $all" >&2; exit 2; }
	fetch_sources "$suite" || exit 1
	mkdir -p "$SUITES/run/$suite"
	[ -n "${SUITES_REPORT:-}" ] || forget "$suite"
	list "$suite" >"$SUITES/run/$suite/list"
	[ -z "${SUITES_REPORT:-}" ] || continue
	tr '\n' '\0' <"$SUITES/run/$suite/list" | xargs -0 -r -n 1 -P "$jobs" tests/suites/one.sh
done

passed=0 failed=0
for suite in $suites; do
	passed=$((passed + $(results "$suite" | grep -c '	passed')))
	failed=$((failed + $(results "$suite" | grep -c '	failed')))
done
if [ "$suites" = "$all" ] && [ "$stride" = 1 ] && [ "$only" = '*' ]; then
	page=docs/COMPATIBILITY.md
	sed '/^## Test suites of other projects$/,$d' "$page" >"$SUITES/page" && report $suites | filled >>"$SUITES/page" &&
		cp "$SUITES/page" "$page"
else
	report $suites
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
