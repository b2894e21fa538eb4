#!/bin/bash
# compat.sh [ROW]... -- run programs natively twice and then under softpmu; write docs/COMPATIBILITY.md.
#
# With row names: only those, and the table goes to the standard output. A row whose two native runs differ
# says so and is not compared. Compared are standard output and exit status. COMPAT_EVENTS: what is counted
# (default instructions; inst_retired,dcu_lines_in records the whole stream and takes ten times as long).
# COMPAT_STAT: options of softpmu stat in place of that (--all --cpu pentium-mmx); COMPAT_PATIENCE: times the limit of seconds
# that a row has.
# Not part of make check: it takes some minutes and wants packages that softpmu itself does not.
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
SOFTPMU=${SOFTPMU:-$top/build/release/softpmu}
events=${COMPAT_EVENTS:-instructions}
in=$top/tests/compat/programs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C TZ=UTC PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=$work/home GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_DATE='2000-01-01T00:00:00Z' GIT_COMMITTER_DATE='2000-01-01T00:00:00Z'
unset LD_PRELOAD LD_LIBRARY_PATH LANGUAGE LANG
mkdir -p "$work/home" "$work/bin"
wanted=" $* "
passed=0 failed=0 other=0
table=$work/table

# run OUT PREFIX... -- COMMAND: in a fresh directory
run() {
	local out=$1
	shift
	rm -rf "$work/run" && mkdir -p "$work/run"
	(cd "$work/run" && timeout -k 5 "$limit" "$@" </dev/null >"$work/$out.out" 2>"$work/$out.err")
	echo "status $?" >"$work/$out.status"
}

# row NAME NEEDS SECONDS COMMAND...: NEEDS = programs that must be there, separated by commas, or -
row() {
	local name=$1 needs=$2 limit=$3 need result note= start=$SECONDS
	shift 3
	[ "$wanted" = "  " ] || case $wanted in *" $name "*) ;; *) return ;; esac
	for need in ${needs//,/ }; do
		[ "$need" = - ] || command -v "$need" >/dev/null || [ -e "$work/bin/$need" ] || {
			echo "| $name | not tested | no $need on this machine |" >>"$table"
			other=$((other + 1))
			return
		}
	done
	run native "$@"
	run again "$@"
	if grep -q 'status 124' "$work/native.status"; then
		echo "| $name | not compared | takes more than $limit s natively |" >>"$table"
		other=$((other + 1))
		return
	fi
	if ! cmp -s "$work/native.out" "$work/again.out" || ! cmp -s "$work/native.status" "$work/again.status"; then
		echo "| $name | not compared | two native runs differ |" >>"$table"
		other=$((other + 1))
		return
	fi
	limit=$((limit * ${COMPAT_PATIENCE:-1}))
	run soft "$SOFTPMU" stat ${COMPAT_STAT:--e "$events"} -o "$work/counts" -- "$@"
	if cmp -s "$work/native.out" "$work/soft.out" && cmp -s "$work/native.status" "$work/soft.status"; then
		result=same
		passed=$((passed + 1))
		note=$(awk 'tolower($2) ~ /^(instructions|inst_retired|instructions_executed)$/ { print $1 " instructions"; exit }' "$work/counts")
	else
		result=**differs**
		failed=$((failed + 1))
		note=$(sed -n 's/^ The run ended early: //p' "$work/counts" | head -n 1)
		[ -n "$note" ] || note="$(cat "$work/native.status") natively, $(cat "$work/soft.status") under softpmu; $(diff \
			"$work/native.out" "$work/soft.out" | grep -a '^[<>]' | head -n 2 | cut -c1-80 | tr '\n|' ' /')"
		echo "$name: $note" >&2
		grep -a '^softpmu:' "$work/soft.err" | head -n 2 >&2
	fi
	echo "| $name | $result | ${note//|//} |" >>"$table"
	printf '%s: %s (%d s)\n' "$name" "$result" $((SECONDS - start)) >&2
}

group() { [ "$wanted" = "  " ] && printf "| **%s** | | |\n" "$1" >>"$table"; }

. tests/compat/rows.sh

report() {
	cat <<-END
	# Compatibility

	Written by tests/compat/compat.sh on $(date -u +%Y-%m-%d): each program natively twice, then under
	\`softpmu stat -e $events\`; output and exit status are compared. Packages are Debian's
	($(. /etc/os-release; echo "$PRETTY_NAME"), Linux $(uname -r | cut -d. -f1,2)).

	$passed rows are the same, $failed differ, $other were not compared.

	| program | result | |
	|---|---|---|
	END
	cat "$table"
}
if [ "$wanted" = "  " ]; then
	# What tests/suites/suites.sh wrote stays.
	{ report; sed -n '/^## Test suites of other projects$/{x;p;x;:a;p;n;ba}' docs/COMPATIBILITY.md; } >"$work/page"
	cp "$work/page" docs/COMPATIBILITY.md
	echo "$passed same, $failed differ, $other not compared: docs/COMPATIBILITY.md"
else
	cat "$table"
fi
[ "$failed" = 0 ]
