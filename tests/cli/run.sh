#!/bin/bash
# run.sh -- tests/cli/NAME.cmd is a shell command, NAME.out what it must print (both streams together,
# then its exit status). REBASE=1 (make rebase) records what it prints now: review the difference.
# Commands see softpmu in PATH, the man pages in $MAN, and run in an empty directory.
set -u
unset COLUMNS
cd "$(dirname "$0")" || exit 1
here=$PWD
softpmu=${SOFTPMU:-$here/../../build/release/softpmu}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$(realpath "$softpmu")" "$work/bin/softpmu"
MAN=$(dirname "$(realpath "$softpmu")")/man
export MAN
passed=0 failed=0

# Times and digests differ from run to run.
steady() {
	sed -E 's/^ +[0-9.]+ seconds (time elapsed|user|sys)/ TIME seconds \1/;
		s/input digest [0-9a-f]{16}/input digest DIGEST/;
		s/("(elapsed|user|sys)_s": )[-0-9.e]+/\1TIME/; s/("input_digest": )"[0-9a-f]+"/\1DIGEST/;
		s/("event-runtime" : )[0-9]+/\1TIME/'
}

for cmd in *.cmd; do
	name=${cmd%.cmd}
	mkdir "$work/$name"
	got=$(cd "$work/$name" && { PATH=$work/bin:$PATH LC_ALL=C timeout 900 bash "$here/$cmd" 2>&1 </dev/null
		echo "status $?"; } | steady)
	if [ "${REBASE:-0}" = 1 ]; then
		printf '%s\n' "$got" >"$name.out"
	elif [ ! -e "$name.out" ]; then
		echo "FAIL $name: $name.out is missing; make rebase"
		failed=$((failed + 1))
	elif ! diff -u "$name.out" <(printf '%s\n' "$got") >"$work/diff"; then
		echo "FAIL $name"
		head -n 40 "$work/diff"
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
