#!/bin/bash
# check-layers.sh -- do the rooms of src/ keep to their doors? Part of `make check` (tests/house/run.sh).
#
#   includes   every #include "room/file.h" against tools/layers.txt
#   headers    every header compiles alone, with gcc and in make check-all with clang, without warnings
#   mutable    no writable object at file scope outside tools/mutable-allow.txt
#   guest      the guest runtime's objects need nothing from outside but tools/guest-undefined.txt
#   wings      calls and includes between the wings of a room against tools/layers.txt; tools/wings-back.txt
#              lists those that run back, all of them and no other
#   folders    no folder of src has more than 45 files
#   names      one name per hardware unit: file in src/model/<family>/units <-> unit in
#              catalog/<family>/wires.tsv <-> "## unit" in docs/MODELS.md (of the P5: "## p5 unit"). A file is
#              named after its unit, or <unit>_<part>, and its first line says so
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
		for cc in gcc $([ "${CHECK_LEVEL:-quick}" = all ] && echo clang); do
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

# families: those that have wings.
families() {
	sed -n 's,^model/\([a-z0-9]*\)/units:.*,\1,p' tools/layers.txt
}

# winged: the folders that have wings.
winged() {
	sed -n 's,^\([a-z0-9_/]*\)/[a-z0-9_]*:.*,src/\1,p' tools/layers.txt | sort -u
}

# Arrows between wings that run back (tools/wings.awk), against those that are known (tools/wings-back.txt).
check_wings() {
	find $(winged) -name '*.[chS]' |
		sort | xargs awk -f tools/wings.awk tools/layers.txt | sort -u >"$work/back"
	sed 's/#.*//; s/[ \t]*$//; /^$/d' tools/wings-back.txt | sort -u >"$work/back_known"
	comm -23 "$work/back" "$work/back_known" |
		sed 's/\([^ ]*\) \(.*\)/\1: \2 belongs to a wing that this one may not use (tools\/layers.txt)/'
	comm -13 "$work/back" "$work/back_known" |
		sed 's/\(.*\)/tools\/wings-back.txt: "\1" is gone: take it off the list/'
}

# A folder can be looked over at once. The lessons are data: a reader needs one of them.
check_folders() {
	local d n
	find src -type d ! -path src/lab/lessons | while read -r d; do
		n=$(find "$d" -maxdepth 1 -type f | wc -l)
		[ "$n" -le 45 ] || echo "$d: $n files, more than 45"
	done
}

# names_of FAMILY PREFIX: the sections of a family's units are "## PREFIXunit".
names_of() {
	local tsv=catalog/$1/wires.tsv units=src/model/$1/units f name
	[ -f $tsv ] || { echo "$tsv: missing"; return; }
	# The unit is the part of a wire's name before the dot.
	awk -F'\t' '!/^#/ && $1 ~ /^[a-z0-9_]+\.[a-z0-9_]+$/ { split($1, a, "."); print a[1] }' $tsv |
		sort -u >"$work/all_units"
	awk -F'\t' '!/^#/ && $1 ~ /^[a-z0-9_]+\.[a-z0-9_]+$/ && $2 != 3 { split($1, a, "."); print a[1] }' $tsv |
		sort -u >"$work/timeless"
	sed -n "s/^## $2"'\([a-z0-9_]*\)$/\1/p' docs/MODELS.md | sort -u >"$work/sections"
	# The units that a file says it is: "/* walk.c -- units itlb, dtlb and walk: ...".
	for f in "$units"/*.c; do
		sed -n '1s/^[^-]* -- units* \([a-z0-9_, ]*\):.*/\1/p' "$f" | sed 's/ and /, /; s/, /\n/g' >"$work/said"
		name=$(basename "$f" .c)
		grep -qx "${name%%_*}" "$work/said" || echo "$f: its first line does not say that it is \"unit ${name%%_*}\""
		cat "$work/said" >&3
	done 3>"$work/said_all"
	sort -u -o "$work/said_all" "$work/said_all"
	comm -23 "$work/said_all" "$work/sections" | sed "s,.*,docs/MODELS.md: no section \"## $2&\" (unit of $units),"
	comm -23 "$work/all_units" "$work/sections" | sed "s,.*,docs/MODELS.md: no section \"## $2&\" (unit of $tsv),"
	comm -23 "$work/timeless" "$work/said_all" | sed "s,.*,$tsv: unit & has wires without time but no file in $units,"
}

check_names() {
	[ -f docs/MODELS.md ] || { echo "docs/MODELS.md: missing"; return; }
	names_of p6 ""
	names_of p5 "p5 "
}

[ $# -gt 0 ] || set -- includes wings folders headers mutable guest names
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
