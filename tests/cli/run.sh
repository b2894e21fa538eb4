#!/bin/bash
# run.sh -- tests/cli/NAME.cmd is a shell command, NAME.out what it must print (both streams together,
# then its exit status). REBASE=1 (make rebase) records what it prints now: review the difference.
# usage: run.sh [NAME...]. Without a name all of them.
# Commands see softpmu in PATH, the man pages in $MAN, and run in an empty directory.
set -u
unset COLUMNS
. "$(dirname "$0")/../lib.sh"
need_softpmu
cd tests/cli || exit 1
here=$PWD
changed= recorded=0
mkdir "$work/bin"
ln -s "$SOFTPMU" "$work/bin/softpmu"
MAN=$(dirname "$SOFTPMU")/man
export MAN

# Times and digests differ from run to run.
steady() {
	sed -E 's/^ +[0-9.]+ seconds (time elapsed|user|sys)/ TIME seconds \1/;
		s/input digest [0-9a-f]{16}/input digest DIGEST/;
		s/("(elapsed|user|sys)_s": )[-0-9.e]+/\1TIME/; s/("input_digest": )"[0-9a-f]+"/\1DIGEST/;
		s/("event-runtime" : )[0-9]+/\1TIME/'
}

[ $# -gt 0 ] || set -- $(basename -s .cmd *.cmd)
for name; do
	cmd=$name.cmd
	[ -e "$cmd" ] || { bad "$name: there is no tests/cli/$cmd"; continue; }
	mkdir "$work/$name"
	got=$(cd "$work/$name" && { PATH=$work/bin:$PATH LC_ALL=C timeout 900 bash "$here/$cmd" 2>&1 </dev/null
		echo "status $?"; } | steady)
	if [ "${REBASE:-0}" = 1 ]; then
		printf '%s\n' "$got" >"$name.out"
		recorded=$((recorded + 1))
	elif [ ! -e "$name.out" ]; then
		echo "FAIL $name: $name.out is missing; REBASE=1 tests/cli/run.sh $name"
		failed=$((failed + 1))
	elif ! diff -u "$name.out" <(printf '%s\n' "$got") >"$work/diff"; then
		echo "FAIL $name"
		head -n 40 "$work/diff"
		failed=$((failed + 1)) changed="$changed $name"
	else
		passed=$((passed + 1))
	fi
done
[ "${REBASE:-0}" != 1 ] || echo "$recorded recorded: git diff tests/cli shows what changed"
[ -z "$changed" ] || echo "If this is what they shall print now: REBASE=1 tests/cli/run.sh$changed"
finish
