#!/bin/bash
# fmt.sh -- clang-format on C lines that differ from HEAD, nothing else. Run by `make fmt`.
set -eu
cd "$(dirname "$0")/.."

tool=$(command -v clang-format-14 || command -v clang-format) || { echo "make fmt needs clang-format: apt-get install clang-format-14" >&2; exit 1; }
git diff -U0 --no-color HEAD -- '*.c' '*.h' | awk '
	/^\+\+\+ b\// { file = substr($0, 7) }
	/^@@/ {
		split($3, r, ","); start = substr(r[1], 2); n = r[2] == "" ? 1 : r[2]
		if (n > 0) print file, start ":" start + n - 1
	}' | sort -k1,1 | while read -r file lines; do
	[ -f "$file" ] || continue
	"$tool" -i --lines="$lines" "$file"
done
git ls-files --others --exclude-standard -- '*.c' '*.h' | while read -r file; do
	"$tool" -i "$file"
done
