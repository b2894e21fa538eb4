#!/bin/bash
# owners.sh -- softpmu record counts where the catalog says that it does (column owner of catalog/<family>/wires.tsv).
#
# The programs of tests/model are recorded with every event that their processor counts. Of an event whose owner is
#   branch     each count stands at an instruction that transfers control
#   machine    every count is in the row [machine]
#   another    none is, but for what the end of a program leaves to write: four buffers, or a thousandth of all programs' counts
# Programs on several processors are left out but for machine: the others make lines leave. What insn, cause, path and oldest name is executed. Of
# a P6 three slots of retirement are a clock, at each instruction: both belong to the oldest.
# make check takes every 10th program, make check-all all.  usage: owners.sh [FILE.S ...]. Ends with "N passed, N failed".
set -u
. "$(dirname "$0")/../lib.sh"
step=10
[ "${CHECK_LEVEL:-}" = all ] && step=1
[ $# -gt 0 ] && step=1 || set -- tests/model/*.S
for tool in objdump readelf jq; do command -v $tool >/dev/null || { skip "no $tool"; finish; }; done

# events CPU: what it counts, "name owner..." each
events() {
	[ -e "$work/$1.events" ] || "$SOFTPMU" list events --cpu "$1" --json | jq -r '.[] | select(.is_modelled and .counted_at) | "\(.name) \(.counted_at)"' >"$work/$1.events"
	cat "$work/$1.events"
}

# code PROGRAM: offset in the file of each instruction, and 1 if it transfers control (or is one that a Pentium takes for a branch)
code() {
	{
		readelf -lW "$1" | awk '$1 == "LOAD" { print "load", $2, $3, $5 }'
		objdump -d --no-show-raw-insn "$1" | sed -n 's/^ *\([0-9a-f]*\):\t\(.*\)/insn 0x\1 \2/p'
	} | while read -r what a b c; do
		if [ "$what" = load ]; then
			offset+=($((a))) from+=($((b))) bytes+=($((c)))
			continue
		fi
		case $b in lock | rep* | bnd | notrack | data16 | addr32 | cs | ds | es | ss) b=${c%% *} ;; esac
		for k in "${!from[@]}"; do
			[ $((a)) -ge "${from[k]}" ] && [ $((a)) -lt $((from[k] + bytes[k])) ] || continue
			case $b in j* | call* | lcall* | ljmp* | ret* | lret* | iret* | loop* | int* | sys* | into | bound) echo "$((a - from[k] + offset[k])) 1" ;; *) echo "$((a - from[k] + offset[k])) 0" ;; esac
		done
	done
}

# check FILE CPU OPTIONS...: complaints, and the counts of the machine in $work/sums
check() {
	local file=$1 cpu=$2 width=-m64 flag exe=$work/program
	shift 2
	case " $* " in *" --set "* | *" --board "* | *" --timer-hz "* | *" --breakpoint "* | *" --wrong-path "*) return ;; esac # not record's
	grep -q '^# bits 32' "$file" && width=-m32
	for flag in $(sed -n 's/^# needs //p' "$file"); do
		grep -qw "$flag" /proc/cpuinfo || { skip "$file: this processor has no $flag"; return; }
	done
	${CC:-cc} $width -nostdlib -static -no-pie -Wl,-z,noexecstack -Wl,--no-warn-rwx-segments -Itests/model -DN=100 -o "$exe" "$file" 2>/dev/null &&
		{ [ $width = -m64 ] || "$exe" >/dev/null 2>&1; } || { skip "$file: this machine does not build or run it"; return; }
	events "$cpu" >"$work/events"
	rm -f "$work/record"
	"$SOFTPMU" record -q --cpu "$cpu" "$@" -e "$(cut -d' ' -f1 "$work/events" | paste -sd,)" -o "$work/record" -- "$exe" >/dev/null 2>"$work/err" </dev/null
	[ -s "$work/record" ] || { bad "$file ($cpu): $(head -n 1 "$work/err")"; return; }
	code "$exe" >"$work/code"
	"$SOFTPMU" report "$work/record" --by address --json --min 0 | jq -r '.rows[] | . as $r | .counts | to_entries[] | select(.value != 0) |
		"\(if $r.function == "[machine]" then "-" else $r.offset end) \(.key) \(.value)"' >"$work/rows"
	awk -v several="$(case " $* " in *" --cpus "*) echo 1 ;; esac)" -v sums="$work/sums" -v cpu="$cpu" '
		FILENAME ~ /events$/ { owner[$1] = substr($0, length($1) + 2); next }
		FILENAME ~ /code$/ { transfers[$1] = $2; next }
		{ n[$2] += $3 }
		$1 == "-" { machine[$2] = $3; next }
		{ at[$2 " " $1] = $3; executed[$1] += $2 ~ /^(INST_RETIRED|INSTRUCTIONS_EXECUTED)$/ }
		$2 == "CPU_CLK_UNHALTED" { clk[$1] = $3 }
		$2 ~ /^RETIREMENT_SLOTS/ { slots[$1] += $3; has_slots = 1 }
		owner[$2] == "branch" && $1 in transfers && !transfers[$1] { print $2 " counts " $3 " at offset " $1 ", which is no branch" }
		owner[$2] == "machine" { print $2 " counts " $3 " at offset " $1 ", and is the machine'"'"'s" }
		END {
			for (k in at) { split(k, w, " "); if (!executed[w[2]]) print w[1] " counts " at[k] " at offset " w[2] ", which was not executed" }
			if (has_slots) for (a in clk) if (3 * clk[a] != slots[a]) print clk[a] " clocks and " slots[a] " slots at offset " a
			if (!several) for (e in n) if (owner[e] !~ /machine/) print cpu, e, machine[e] + 0, n[e] >>sums
		}' "$work/events" "$work/code" "$work/rows" >"$work/wrong"
	[ -s "$work/wrong" ] && bad "$file ($cpu): $(wc -l <"$work/wrong") are elsewhere: $(head -n 3 "$work/wrong" | paste -sd';')" || ok
}

: >"$work/sums"
n=0
for file; do
	for cpu in $(sed -n 's/^# \(expect\|between\) \([a-z0-9-]*\):.*/\2/p' "$file" | sort -u); do
		[ $((n++ % step)) = 0 ] || continue
		case $cpu in p6) name=pentium3 ;; p5) name=pentium ;; *) name=$cpu ;; esac
		# shellcheck disable=SC2046
		check "$file" $name $(sed -n "s/^# options $cpu: //p" "$file")
	done
done
awk '{ x = $3 < 0 ? -$3 : $3; m[$2] += x > 4 ? x : 0; n[$2] += $4 } END { for (e in n) if (1000 * m[e] > n[e]) print m[e] " of " n[e] " " e }' "$work/sums" >"$work/wrong"
[ -s "$work/wrong" ] && bad "nobody caused: $(paste -sd';' "$work/wrong")" || ok
finish
