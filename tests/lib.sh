# lib.sh -- the head and the foot of a test script. Source it first: . "$(dirname "$0")/../lib.sh"
#
# It goes to the top of the tree, so a script runs from any folder, and sets (from the environment, when that has them):
#   BUILD          the folder of the build, from the top of the tree: build/release
#   SOFTPMU        the command under test, as an absolute path
#   work           a new folder for the script, an absolute path; it is removed at exit
#   passed failed  the numbers of cases so far
# in_turn leaves out half of the cases but in make check-all; steady_numbers goes on to process numbers that all have as many digits. need_softpmu ends a script whose command is not built. ok and bad end a case, skip says what this machine cannot test, finish prints the last line, "N passed, N failed", and exits.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
BUILD=${BUILD:-build/release}
SOFTPMU=$(realpath -m "${SOFTPMU:-$BUILD/softpmu}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
skip() { echo "skip $*"; }

# in_turn [NAME]: is this case done? In make check one of two is, by turns, in make check-all each. Names 64 and 32 are widths, whose
# loops ask for the same cases in the same order: one is done in the one, the next in the other.
turns_64=0 turns_32=1
in_turn() {
	[ "${CHECK_LEVEL:-quick}" = all ] || [ $((turns_${1:-64}++ % 2)) = 0 ]
}

# Shells keep the number of their parent process as text, and each digit is instructions. Where the next 1000 numbers have not all as
# many digits, or begin anew, go on to those that have.
steady_numbers() {
	local number next most=$(cat /proc/sys/kernel/pid_max)
	while
		number=$(sh -c 'echo $$')
		next=$((number + 1000))
		[ ${#next} != ${#number} ] || [ $next -ge $most ]
	do :; done
}

# End with a sentence where the command under test is not built.
need_softpmu() {
	[ -x "$SOFTPMU" ] && return
	echo "there is no $SOFTPMU: make builds build/release, and SOFTPMU=\$PWD/build/dev/softpmu in front tests what make MODE=dev built"
	exit 1
}

finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
	exit
}
