#!/bin/bash
# run.sh -- programs that predict their own counts.
#
# Each *.S says in comments what it must count, as formulas in N:
#   # expect CPU: EVENT = FORMULA      CPU: p6 (pentium3), p5 (pentium), or a name of softpmu list cpus
#   # between CPU: EVENT = LOW .. HIGH  formulas in N, where a rule gives bounds only
#   # options CPU: OPTIONS             options of softpmu stat for that CPU's run
#   # size N                           default 1000
#   # bits 32                          a 32-bit program; # bits both: once so and once as a 64-bit program
#   # needs FLAGS                      of /proc/cpuinfo: skipped on a host without them
# The program is built and run with -DN=N and -DN=2N; what is compared is the difference of the two counts
# with the difference of the two formulas, so that start and end of the program do not matter.
# Without arguments all of them run, and cachegrind/compare.sh. MODEL_WORK: a directory where built programs stay.
# usage: run.sh [FILE.S ...]. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build/release}
SOFTPMU=${SOFTPMU:-$PWD/$BUILD/softpmu}
command -v "$SOFTPMU" >/dev/null || {
	echo "there is no $SOFTPMU: make builds build/release, and SOFTPMU=\$PWD/build/dev/softpmu in front tests what make MODE=dev built"
	exit 1
}
work=${MODEL_WORK:-$(mktemp -d)}
[ -n "${MODEL_WORK:-}" ] || trap 'rm -rf "$work"' EXIT
passed=0 failed=0

width() { { [ "$as_32" = 1 ] || grep -q '^# bits 32' "$1"; } && echo -m32; }
as_32=0

# build FILE N PROGRAM
build() {
	# shellcheck disable=SC2046
	${CC:-cc} $(width "$1") -nostdlib -static -no-pie -Wl,-z,noexecstack -Wl,--no-warn-rwx-segments -Itests/model -DN="$2" -o "$3" "$1"
}

# counts FILE N CPU EVENTS... : one count per line, or what softpmu says instead
counts() {
	local file=$1 n=$2 cpu=$3 exe options
	shift 3
	exe=$work/$(basename "$file" .S)-$as_32-$n
	options=$(sed -n "s/^# options $cpu: //p" "$file")
	[ "$cpu" = p6 ] && cpu=pentium3
	[ "$cpu" = p5 ] && cpu=pentium
	[ -x "$exe" ] || build "$file" "$n" "$exe" || return 1
	# shellcheck disable=SC2086
	"$SOFTPMU" stat -x, --cpu "$cpu" $options "${@/#/-e}" -- "$exe" 2>&1 >"$work/out" |
		sed -n 's/^\([^,#][^,#]*\),.*/\1/p'
}

# Events of the present file and CPU that lie between two formulas.
check_bounds() {
	local event low high a b d
	while read -r event low high; do
		a=$(counts "$file" "$size" "$cpu" "$event")
		b=$(counts "$file" $((2 * size)) "$cpu" "$event")
		d=$((b - a))
		if [[ "$a$b" =~ ^[0-9]+$ && "$d" -ge $((${low//N/size})) && "$d" -le $((${high//N/size})) ]]; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			echo "FAILED $file ($cpu): $event: expected $low to $high for N = $size more, got $d"
		fi
	done < <(sed -n "s/^# between $cpu: *\([^ ]*\) *= *\([^ ]*\) *\.\. *\([^ ]*\).*/\1 \2 \3/p" "$file")
}

check_file() {
	local file=$1 cpu size i events formulas one two
	for cpu in $(sed -n 's/^# needs //p' "$file"); do
		grep -qw "$cpu" /proc/cpuinfo || { echo "skip $file: this processor has no $cpu"; return; }
	done
	if [ -n "$(width "$file")" ] && ! build "$file" 1 "$work/try" 2>/dev/null; then
		echo "skip $file: this machine does not build 32-bit programs"
		return
	fi
	size=$(sed -n 's/^# size //p' "$file")
	size=${size:-1000}
	for cpu in $(sed -n 's/^# \(expect\|between\) \([a-z0-9-]*\):.*/\2/p' "$file" | sort -u); do
		mapfile -t events < <(sed -n "s/^# expect $cpu: *\([^ ]*\) *=.*/\1/p" "$file")
		mapfile -t formulas < <(sed -n "s/^# expect $cpu: *[^ ]* *= *//p" "$file")
		mapfile -t one < <(counts "$file" "$size" "$cpu" "${events[@]}")
		mapfile -t two < <(counts "$file" $((2 * size)) "$cpu" "${events[@]}")
		check_bounds
		for i in "${!events[@]}"; do
			local want n
			n=$size
			want=$((${formulas[i]//N/n}))
			n=$((2 * size))
			want=$((${formulas[i]//N/n} - want))
			if [[ "${one[i]:-}" =~ ^[0-9]+$ && "${two[i]:-}" =~ ^[0-9]+$ ]] &&
					[ $((two[i] - one[i])) -eq "$want" ]; then
				passed=$((passed + 1))
			else
				failed=$((failed + 1))
				echo "FAILED $file ($cpu): ${events[i]}: expected $want more," \
					"got ${one[i]:-nothing} and ${two[i]:-nothing}"
			fi
		done
	done
}

if [ $# -eq 0 ]; then
	set -- tests/model/*.S
	tests/model/cachegrind/compare.sh >"$work/compare" 2>&1
	passed=$((passed + $(grep -c '^ok' "$work/compare")))
	failed=$((failed + $(grep -c '^FAILED' "$work/compare")))
	grep -v '^ok' "$work/compare"
fi
for file; do
	as_32=0
	check_file "$file"
	grep -q '^# bits both' "$file" || continue
	as_32=1
	check_file "$file"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
