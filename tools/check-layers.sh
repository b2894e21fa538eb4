#!/bin/bash
# check-layers.sh -- do the rooms of src/ keep to their doors? Part of `make check` (tests/house/run.sh).
#
#   includes   every #include "room/file.h" against tools/layers.txt
#   headers    every header compiles alone, with gcc and clang, without warnings
#   mutable    no writable object at file scope outside tools/mutable-allow.txt
#   guest      the guest runtime's objects need nothing from outside but tools/guest-undefined.txt
#   names      one name per hardware unit: file in src/model/<family> <-> unit in catalog/<family>/wires.tsv
#              <-> "## unit" in docs/MODELS.md (of the P5: "## p5 unit")
# Usage: check-layers.sh [CHECK...]; without arguments all of them. Needs a finished build in $BUILD.
# Prints a line per violation and "N passed, N failed" (one per check) at the end.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build/release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check_includes() {
	find src -name '*.[chS]' | sort | xargs awk '
		BEGIN {
			while ((getline line < "tools/layers.txt") > 0) {
				if (line ~ /^#/ || line !~ /:/)
					continue
				n = split(line, part, /[: ]+/)
				for (i = 2; i <= n; i++)
					if (part[i] != "")
						may[part[1], part[i]] = 1
				known[part[1]] = 1
			}
		}
		FNR == 1 {
			split(FILENAME, path, "/")
			room = path[2]
			if (!(room in known)) {
				print FILENAME ": room " room " is not in tools/layers.txt"
				known[room] = 1
			}
		}
		/^[ \t]*#[ \t]*include[ \t]*"/ {
			split($0, q, "\"")
			if (q[2] !~ /\//)
				next
			split(q[2], to, "/")
			if (to[1] == "gen") # generated tables belong to the catalog
				to[1] = "catalog"
			if (to[1] != room && !((room, to[1]) in may))
				print FILENAME ":" FNR ": " room " may not include " q[2]
		}'
}

check_headers() {
	local cc h flags
	for h in $(find src include -name '*.h' 2>/dev/null | sort); do
		flags="-std=c11 -D_GNU_SOURCE -Isrc -Iinclude -I$BUILD"
		case $h in src/guest/*) flags="-std=c11 -Isrc -ffreestanding -mgeneral-regs-only" ;; esac
		for cc in gcc clang; do
			command -v $cc >/dev/null || continue
			# Through an including file: "pragma once in main file" and unused statics are not at issue.
			printf '#include "%s"\nint header_stands_alone;\n' "${h#*/}" |
				$cc $flags -Wall -Wextra -Wno-unused-parameter -Werror -fsyntax-only -x c - >"$work/out" 2>&1 ||
				{ echo "$h: does not compile alone with $cc"; head -n 3 "$work/out"; }
		done
	done
}

check_mutable() {
	local o
	[ -d "$BUILD/src" ] || { echo "$BUILD/src: not built"; return; }
	find "$BUILD/src" "$BUILD/gen" -name '*.o' ! -path "$BUILD/src/guest/*" | sort | while read -r o; do
		# Writable after start: .data, .bss, common, thread-local; .data.rel.ro is constant.
		readelf -SsW "$o" 2>/dev/null | awk -v o="${o#"$BUILD"/}" '
			/^ *\[ *[0-9]+\] / { sub(/^ *\[ */, ""); sub(/\]/, ""); section[$1] = $2; next }
			$4 == "OBJECT" || $4 == "TLS" || $4 == "COMMON" {
				s = $7 == "COM" ? "COMMON" : section[$7]
				if (s ~ /^\.(data|bss|tbss|tdata|ldata|lbss)/ && s !~ /^\.data\.rel\.ro/ || s == "COMMON")
					print o ": " $8 " lies in " s ", writable"
			}'
	done | grep -vxFf <(sed 's/#.*//; s/[ \t]*$//; /^$/d' tools/mutable-allow.txt) | cat
}

check_guest() {
	local objects
	objects=$(find "$BUILD/src/guest" -name '*.o' 2>/dev/null)
	[ -n "$objects" ] || { echo "$BUILD/src/guest: not built"; return; }
	nm --defined-only -g $objects | awk 'NF == 3 { print $3 }' | sort -u >"$work/defined"
	sed 's/#.*//; s/[ \t]*$//; /^$/d' tools/guest-undefined.txt | sort -u >>"$work/defined"
	sort -u -o "$work/defined" "$work/defined"
	nm -u $objects | awk 'NF == 2 && $1 == "U" { print $2 }' | sort -u | comm -23 - "$work/defined" |
		sed 's/^/src\/guest: undefined symbol outside tools\/guest-undefined.txt: /'
}

# names_of FAMILY PREFIX: the sections of a family's units are "## PREFIXunit".
names_of() {
	local tsv=catalog/$1/wires.tsv
	[ -f $tsv ] || { echo "$tsv: missing"; return; }
	awk -v f="$1" '$1 == "file" && $2 == f { print $3 }' tools/not-units.txt | sort -u >"$work/not"
	awk -v f="$1" '$1 == "unit" && $2 == f { print $3 }' tools/not-units.txt | sort -u >"$work/no_file"
	find src/model/$1 -name '*.c' | sed 's,.*/,,; s/\.c$//' | sort -u | comm -23 - "$work/not" >"$work/files"
	# The unit is the part of a wire's name before the dot; tier 3 units have no file yet.
	awk -F'\t' '!/^#/ && $1 ~ /^[a-z0-9_]+\.[a-z0-9_]+$/ { split($1, a, "."); print a[1] }' $tsv |
		sort -u >"$work/all_units"
	awk -F'\t' '!/^#/ && $1 ~ /^[a-z0-9_]+\.[a-z0-9_]+$/ && $2 != 3 { split($1, a, "."); print a[1] }' $tsv |
		sort -u >"$work/units"
	sed -n "s/^## $2"'\([a-z0-9_]*\)$/\1/p' docs/MODELS.md | sort -u >"$work/sections"
	comm -23 "$work/files" "$work/all_units" | sed "s,.*,src/model/$1/&.c: no unit of this name in $tsv,"
	comm -23 "$work/files" "$work/sections" | sed "s,.*,docs/MODELS.md: no section \"## $2&\","
	sort -u "$work/files" "$work/no_file" | comm -23 "$work/units" - | sed "s,.*,$tsv: unit & has wires without time but no src/model/$1/&.c,"
	comm -23 "$work/units" "$work/sections" | sed "s,.*,docs/MODELS.md: no section \"## $2&\" (unit of $tsv),"
}

check_names() {
	[ -f docs/MODELS.md ] || { echo "docs/MODELS.md: missing"; return; }
	names_of p6 ""
	names_of p5 "p5 "
}

[ $# -gt 0 ] || set -- includes headers mutable guest names
passed=0 failed=0
for check; do
	"check_$check" >"$work/$check.txt" 2>&1
	if [ -s "$work/$check.txt" ]; then
		failed=$((failed + 1))
		sed "s/^/FAIL $check: /" "$work/$check.txt"
	else
		passed=$((passed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
