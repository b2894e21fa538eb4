#!/bin/bash
# check.sh -- every test, and one total line at the end. Run by `make check` and `make check-all`.
#
# A suite is an executable script whose last line is "N passed, N failed": tests/*/run.sh, and those
# named in tests/suites.txt. A unit test is tests/unit/test_*.c (cmocka). A suite that ends otherwise
# counts as one failure. CHECK_LEVEL=all asks for more cases. CHECK_ONLY=threads runs what has that in
# its name, and builds no other unit tests; MODE=dev tests the build that is made fast.
# CHECK_JOBS=1 runs one suite at a time, CHECK_PATIENCE=5 gives each five times the time (a slow machine).
#
# A suite's limit is processor time of its own, so that a busy machine ends none. One that uses next to none for five minutes hangs.
set -u
cd "$(dirname "$0")/.." || exit 1

export CHECK_LEVEL=${CHECK_LEVEL:-quick}
export BUILD=${BUILD:-build/${MODE:-release}}
export SOFTPMU=${SOFTPMU:-$PWD/$BUILD/softpmu}
only=${CHECK_ONLY:-}
jobs=${CHECK_JOBS:-$(($(nproc) + 1))} # one more than processors: suites wait for pipes and other programs now and then
patience=${CHECK_PATIENCE:-1}
log=build/check
mkdir -p "$log"
passed=0 failed=0 skipped=0 took=
started=$SECONDS

# add NAME LOGFILE STATUS: take the suite's last line into the totals
add() {
	local line p f s spent
	line=$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$2" | tail -n 1)
	if [ -z "$line" ]; then
		p=0 f=1
		[ "$3" = 0 ] && line="no total line" || line="ended with status $3 without a total line"
	else
		p=${line%% passed*}
		f=${line#*, }; f=${f%% failed*}
		[ "$3" = 0 ] || [ "$f" != 0 ] || { f=1; line="$line, but status $3"; }
	fi
	s=$(grep -acE '^(skip|SKIP)' "$2")
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	spent=$(sed -n 's/^processor time: \([0-9]*\) s$/\1/p' "$2" | tail -n 1)
	printf '%-32s %s (%d s%s)\n' "$1" "$line" $((SECONDS - t0)) "${spent:+, $spent of processor time}"
	sed -n 's/^note: /    /p' "$2" # what a suite says when it passes, too
	took+="${spent:-$((SECONDS - t0))} $1"$'\n'
	if [ "$f" != 0 ]; then
		# each with what it says in the lines behind it
		awk '/^(ok|skip|SKIP|note:|processor time:)|^[0-9]+ passed, /{ more = 0 }
			/^(FAIL|fail|not ok|.*: error|\[  FAILED|\[  ERROR)/ { more = 10 }
			more-- > 0 { print "    " substr($0, 1, 2000) }' "$2" | head -n 80
		echo "    log: $2"
	fi
}

# Whoever ends the check ends the suites that run: they have sessions of their own.
trap 'kill $(jobs -p) 2>/dev/null; wait; exit 130' INT TERM

# Suites run beside each other, as many as CHECK_JOBS says; each has directories of its own.
declare -A running=() began=()
finish_one() {
	local pid rc
	wait -n -p pid
	rc=$?
	t0=${began[$pid]}
	add "${running[$pid]}" "$(log_of "${running[$pid]}")" $rc
	unset "running[$pid]"
}
finish_all() {
	while [ ${#running[@]} -gt 0 ]; do finish_one; done
}
log_of() {
	echo "$log/$(echo "$1" | tr ' /()' ____).log"
}
# start NAME COMMAND...: COMMAND, which says at its end what passed, with a log of its own
start() {
	local name=$1
	shift
	while [ ${#running[@]} -ge "$jobs" ]; do finish_one; done
	"$@" >"$(log_of "$name")" 2>&1 &
	running[$!]=$name began[$!]=$SECONDS
}

# suite NAME SECONDS COMMAND...
suite() {
	case $1 in *$only*) start "$1" limited "$@" ;; esac
}
no_script() { echo "FAIL $1 is not there, or not executable"; echo "0 passed, 1 failed"; }
limited() {
	local name=$1 limit=$(($2 * patience)) pid turn=0 spent=0 before=0 quiet=0 rc
	shift 2
	setsid "$@" &
	pid=$!
	trap 'kill_session $pid' TERM
	while sleep 0.2 && kill -0 $pid 2>/dev/null; do
		[ $((++turn % 10)) = 0 ] || continue
		spent=$(session_seconds $pid)
		quiet=$((spent > before ? 0 : quiet + 2)) before=$spent
		if [ "$spent" -gt "$limit" ]; then
			echo "FAIL $name: not finished after $spent s of processor time, $limit are allowed"
		elif [ $quiet -gt 300 ]; then
			echo "FAIL $name: hangs: no processor time for $quiet s"
		else
			continue
		fi
		kill_session $pid
		break
	done
	wait $pid
	rc=$?
	say_processor_time
	return $rc
}
# say_processor_time: what the children of this shell have used, as a line of a suite's log. A file, because a pipe is a
# shell of its own.
say_processor_time() {
	local file
	file=$(mktemp)
	times >"$file"
	awk 'NR == 2 { split($0, t, /[ms ]+/); printf "processor time: %d s\n", 60 * (t[1] + t[3]) + t[2] + t[4] }' "$file"
	rm "$file"
}

# session_seconds SID: processor time of the processes of a session, with that of their children that have ended
session_seconds() {
	cat /proc/[0-9]*/stat 2>/dev/null |
		awk -v sid="$1" '{ sub(/^[0-9]+ \(.*\) /, ""); if ($4 == sid) n += $12 + $13 + $14 + $15 } END { print int(n / 100) }'
}
kill_session() {
	pkill -TERM -s "$1"
	sleep 2
	pkill -KILL -s "$1"
}

# build NAME JOBS MAKE-ARGS...: a build is one test; a warning fails it
build() {
	local name=$1
	shift
	case $name in *$only*) ;; "build $BUILD") ;; *) return ;; esac
	start "$name" built "$(log_of "$name")" "$@"
}
built() {
	local log=$1 n=$2 result="1 passed, 0 failed"
	shift 2
	make -j"$n" "$@" 2>&1 || result="0 passed, 1 failed"
	grep -q 'warning:' "$log" && result="0 passed, 1 failed" && echo "FAIL warnings"
	say_processor_time
	echo "$result"
}

# unit DIR: run the unit tests that were built in DIR
unit() {
	local t name n=0
	for t in "$1"/tests/unit/test_*; do
		[ -x "$t" ] && [ ! -d "$t" ] || continue
		case $t in *.d|*.o) continue ;; esac
		n=$((n + 1))
		name=unit/$(basename "$t")
		[ "$1" = "$BUILD" ] || name="$name ($1)"
		case $name in *$only*) start "$name" cmocka "$t" ;; esac
	done
	[ $n != 0 ] || [ -n "$only" ] || start "unit ($1)" echo "0 passed, 1 failed"
}
# cmocka PROGRAM: its results as those of a suite
cmocka() {
	local out rc p f
	out=$(CMOCKA_MESSAGE_OUTPUT=stdout timeout $((900 * patience)) "$1" 2>&1)
	rc=$?
	printf '%s\n' "$out"
	p=$(grep -acE '^\[       OK \]' <<<"$out")
	f=$(grep -acE '^\[  FAILED  \] [a-zA-Z_]' <<<"$out")
	f=$((f / 2 + f % 2))
	[ $rc != 0 ] && [ $f = 0 ] && f=1
	[ $rc = 0 ] && [ "$p" = 0 ] && p=1
	say_processor_time
	echo "$p passed, $f failed"
}

# unit_programs: what make builds for the unit tests that are asked for
unit_programs() {
	local t
	[ -n "$only" ] || { echo tests; return; }
	for t in tests/unit/test_*.c; do
		t=${t%.c}
		case unit/${t##*/} in *$only*) echo "$BUILD/$t" ;; esac
	done
}

# names: every name that CHECK_ONLY may have a part of
names() {
	local t
	printf '%s\n' "build $BUILD" "build clang" "build debug" "warnings of clang" tests/fuzz
	for t in tests/unit/test_*.c; do t=${t##*/}; echo "unit/${t%.c}"; done
	for t in tests/*/run.sh; do echo "${t%/run.sh}"; done
	awk 'NF && !/^#/ { sub(/\.sh$/, "", $1); print $1 }' tests/suites.txt
}
is_name() {
	local name
	while read -r name; do
		case $name in *$only*) return ;; esac
	done < <(names)
	return 1
}

if ! is_name; then
	echo "CHECK_ONLY=$only: no suite has that in its name; tests/suites.txt, tests/*/run.sh and tests/unit/test_*.c are their names" >&2
	echo "0 passed, 1 failed"
	exit 1
fi
tools/install-deps.sh check || exit 1
mapfile -t programs < <(unit_programs)
build "build $BUILD" "$(nproc)" BUILD="$BUILD" all "${programs[@]}"
finish_all
if [ ! -x "$SOFTPMU" ]; then
	echo "build failed; see $log" >&2
	echo "$passed passed, $failed failed"
	exit 1
fi
if [ "$CHECK_LEVEL" = all ]; then
	build "build clang" 1 CC=clang BUILD=build/clang CFLAGS="-O0 -g0" CI=true all
	build "build debug" "$(nproc)" MODE=debug BUILD=build/debug tests
	finish_all
	unit build/debug
else
	build "warnings of clang" 1 CC=clang BUILD="$BUILD" CI=true warnings
fi
unit "$BUILD"
for s in tests/*/run.sh; do
	[ -x "$s" ] || { start "${s%/run.sh}" no_script "$s"; continue; }
	suite "${s%/run.sh}" 600 "$s"
done
while read -r path limit_quick limit_all; do
	case $path in ''|'#'*) continue ;; esac
	[ -x "$path" ] || { start "${path%.sh}" no_script "$path"; continue; }
	limit=$limit_quick
	[ "$CHECK_LEVEL" = all ] && limit=$limit_all
	suite "${path%.sh}" "$limit" "$path"
done <tests/suites.txt

[ "$CHECK_LEVEL" = all ] && suite tests/fuzz 1200 tests/fuzz/fuzz.sh 60
finish_all

[ $skipped = 0 ] || echo "$skipped skipped, each with its reason in $log"
echo "took $((SECONDS - started)) s; most processor time: $(sort -rn <<<"$took" | awk 'NR <= 5 && $1 > 0 { printf "%s%s %d s", (NR > 1 ? ", " : ""), $2, $1 }')"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
