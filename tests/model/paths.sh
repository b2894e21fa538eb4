#!/bin/bash
# paths.sh -- the programs of this folder count the same on every wire, whichever way the model goes.
#
# Each *.S with an expectation for the P6 or the P5 runs in tier 2 and with clocks: as usual; without short cuts; without host code; with host
# code from the second execution on; and, with clocks, without kept timings. All driven wires must agree, and over all programs each way must
# have been taken and each driven wire raised, but for those of unraised.txt. Events of tier 1 count in tier 2 what they count in tier 1. What softpmu record says of each instruction is the same without short
# cuts and with host code (a program whose options it does not take is left out). make check takes every 32nd program, make check-all all.
# usage: paths.sh [FILE.S ...]. Ends with "N passed, N failed".
set -u
. "$(dirname "$0")/../lib.sh"
need_softpmu
PLAIN=256 NO_HOST_CODE=512 WIRES=4096 EAGER=8192 # enum shr_chaos

# wires OUT CHAOS OPTIONS... -- PROGRAM: "wire NAME N" lines in OUT; ways and wires are added to those met
wires() {
	local out=$1 chaos=$2
	shift 2
	"$SOFTPMU" stat --chaos $((WIRES + chaos)) --workers 1 --all "$@" 2>"$out.err" >/dev/null </dev/null
	sed -n 's/^softpmu: \(wire .*\)/\1/p' "$out.err" >"$out"
	sed -n "s/^softpmu: path \([^ ]*\) \(.*\)/$family \1 \2/p" "$out.err" >>"$work/paths"
	sed "s/^wire/$family/" "$out" >>"$work/met"
	[ -s "$out" ]
}

# rows OUT CHAOS OPTIONS... -- PROGRAM: what every event of tier 2 counted at each instruction
rows() {
	local out=$1 chaos=$2
	shift 2
	rm -f "$work/record"
	"$SOFTPMU" record --chaos $chaos --all --tier 2 -o "$work/record" "$@" >/dev/null 2>&1 </dev/null # its status is the program's
	[ -s "$work/record" ] && "$SOFTPMU" report "$work/record" --by address --min 0 -x, >"$out" 2>&1
}

# events TIER OPTIONS... -- PROGRAM: the events of that tier and those below it, as "NAME N"
events() {
	local tier=$1
	shift
	"$SOFTPMU" stat -x, --all --tier "$tier" "$@" 2>&1 >/dev/null </dev/null | awk -F, '$1 ~ /^[0-9]+$/ { print $3, $1 }'
}

# first_difference A B: the event, the instruction and both counts
first_difference() {
	awk -F, 'NR == FNR { was[$1] = $0; next }
		FNR == 1 { split($0, name); next }
		was[$1] != $0 { n = split(was[$1], a)
			for (i = 3; i <= NF; i++) if (a[i] != $i) { print name[i] " at " $1 ": " a[i] + 0 ", with host code " $i; exit } }' "$1" "$2"
}

# check FILE FAMILY CPU OPTIONS...
check() {
	local file=$1 family=$2 cpu=$3 width=-m64 tier mode flag exe=$work/program
	shift 3
	grep -q '^# bits 32' "$file" && width=-m32
	for flag in $(sed -n 's/^# needs //p' "$file"); do
		grep -qw "$flag" /proc/cpuinfo || { echo "skip $file: this processor has no $flag"; return; }
	done
	${CC:-cc} $width -nostdlib -static -no-pie -Wl,-z,noexecstack -Wl,--no-warn-rwx-segments -Itests/model -DN=300 -o "$exe" "$file" 2>/dev/null ||
		{ echo "skip $file: this machine does not build it"; return; }
	events 2 --cpu "$cpu" "$@" -- "$exe" >"$work/stream"
	events 1 --cpu "$cpu" "$@" -- "$exe" | grep -vxFf "$work/stream" >"$work/other" &&
		bad "$file ($cpu): tier 1 counts otherwise than tier 2 (does its wire need the stream?): $(head -n 4 "$work/other" | tr '\n' ' ')" || ok
	for tier in 2 3; do
		wires "$work/usual" 0 --tier $tier --cpu "$cpu" "$@" -- "$exe" || { bad "$file ($cpu): $(head -n 1 "$work/usual.err")"; return; }
		for mode in $PLAIN $NO_HOST_CODE $EAGER memo; do
			if [ $mode = memo ]; then
				[ $tier = 3 ] || continue
				wires "$work/other" 0 --memo off --tier $tier --cpu "$cpu" "$@" -- "$exe"
			else
				wires "$work/other" $mode --tier $tier --cpu "$cpu" "$@" -- "$exe"
			fi
			cmp -s "$work/usual" "$work/other" && ok ||
				bad "$file ($cpu, tier $tier, way $mode): $(diff "$work/usual" "$work/other" | grep '^[<>]' | head -n 4 | tr '\n' ' ')"
		done
	done
	if rows "$work/usual" $PLAIN --cpu "$cpu" "$@" -- "$exe"; then
		rows "$work/other" $EAGER --cpu "$cpu" "$@" -- "$exe"
		cmp -s "$work/usual" "$work/other" && ok || bad "$file ($cpu, softpmu record): $(first_difference "$work/usual" "$work/other")"
	fi
}

is_all=false step=32
[ "${CHECK_LEVEL:-}" = all ] && step=1
if [ $# -eq 0 ]; then
	[ $step = 1 ] && is_all=true
	set -- tests/model/*.S
else
	step=1
fi
: >"$work/paths"
: >"$work/met"
n=0
for file; do
	for cpu in $(sed -n 's/^# \(expect\|between\) \([a-z0-9-]*\):.*/\2/p' "$file" | sort -u); do
		[ $((n++ % step)) = 0 ] || continue
		options=$(sed -n "s/^# options $cpu: //p" "$file")
		family=p6
		case $cpu in p6) name=pentium3 ;; p5) family=p5 name=pentium ;; pentium | pentium-*) family=p5 name=$cpu ;; *) name=$cpu ;; esac
		# shellcheck disable=SC2086
		check "$file" $family $name $options
	done
done
if $is_all; then
	while read -r family path; do
		awk -v f="$family" -v p="$path" '$1 == f && $2 == p && $3 > 0 { s = 1 } END { exit !s }' "$work/paths" && ok ||
			bad "no program took the way $path of the $family"
	done < <(awk '{ print $1, $2 }' "$work/paths" | sort -u)
	awk '{ n[$1 " " $2] += $3 > 0 } END { for (w in n) if (!n[w]) print w }' "$work/met" | sort >"$work/unraised"
	sed 's/#.*//; s/[ \t]*$//; /^$/d' tests/model/unraised.txt | sort >"$work/allowed"
	comm -23 "$work/unraised" "$work/allowed" >"$work/more"
	[ -s "$work/more" ] && bad "driven, but no program raises it: $(tr '\n' ';' <"$work/more")" || ok
fi
finish
