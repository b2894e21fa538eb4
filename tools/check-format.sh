#!/bin/bash
# check-format.sh -- is all C as clang-format 14 writes it by .clang-format, with no line over 100
# columns? Run by tests/house/run.sh. Prints a line for each file that is not, then "N passed, N
# failed". Another version of clang-format writes otherwise, so with that one only columns are looked at.
set -u
cd "$(dirname "$0")/.." || exit 1
passed=0 failed=0
mapfile -t files < <(git ls-files 'src/*.[ch]' 'include/*.h' 'tools/*.[ch]' 'tests/*.[ch]' 2>/dev/null ||
	find src include tools tests -name '*.[ch]')

long=$(LC_ALL=C.UTF-8 awk '
	{ sub(/\r$/, "") }
	length($0) > 12 {
		n = 0
		for (i = 1; i <= length($0); i++)
			n += substr($0, i, 1) == "\t" ? 8 - n % 8 : 1
		if (n > 100)
			print FILENAME ":" FNR ": " n " columns; 100 are the most"
	}' "${files[@]}")
if [ -z "$long" ]; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "$long" | head -n 20 | sed 's/^/FAIL format: /'
fi

tool=$(command -v clang-format-14 || command -v clang-format)
if [ -n "$tool" ] && "$tool" --version | grep -q 'version 14\.'; then
	bad=$(printf '%s\n' "${files[@]}" | xargs -n 50 "$tool" --dry-run -Werror 2>&1 | sed -n 's/^\([^:]*\):\([0-9]*\):.*clang-format-violations.*/\1:\2/p' | sort -t: -u -k1,1)
	if [ -z "$bad" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$bad" | head -n 20 | sed 's/^/FAIL format: /; s/$/: not as .clang-format has it; make fmt/'
	fi
else
	echo "skip format: clang-format 14 is not there"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
