#!/bin/bash
# run.sh -- explanations and the table of the documents' statements: what they name exists, and small programs count what is said.
set -u
. "$(dirname "$0")/../lib.sh"
export SOFTPMU
same() { [ "$2" = "$3" ] && ok || bad "$1: $3, not $2"; }

# ---- names ------------------------------------------------------------------------------------
for doc in docs/EXPLANATIONS.md docs/COMMENTARY.md; do
	missing=$(tests/explain/names.sh "$doc")
	[ -z "$missing" ] && ok || bad "$doc names what is not there: $(echo $missing)"
done
printf 'lab 999, relation nobody-knows, NO_SUCH_EVENT, tests/nowhere.sh' >"$work/wrong"
same "names that are wrong" "lab 999 NO_SUCH_EVENT relation nobody-knows tests/nowhere.sh" \
	"$(tests/explain/names.sh "$work/wrong" | sort -f | tr '\n' ' ' | sed 's/ $//')"

# No line of a document is left out, and each row has a verdict. The head of the table says how many lines there are.
lines=$(awk -F ' *[|] *' '
	/^## / { key = substr($2 == "" ? $0 : $1, 4); sub(/:.*/, "", key); next_line = 1 }
	/^[|] (I7|RP|R|I19) [|]/ { last[$2] = $4; documents++ }
	/^[|] [0-9]/ {
		n = split($2, range, "-")
		if (range[1] != next_line)
			print key " " $2 ": the row before ends with line " next_line - 1
		next_line = range[n] + 1
		end[key] = range[n]
		rows++
		if (NF != 6 || $3 == "" || $4 == "" || $5 == "")
			print key " " $2 ": a statement, a place and a verdict are wanted"
	}
	END {
		for (key in last)
			if (end[key] != last[key])
				print key ": the table ends with line " end[key] + 0 " of " last[key]
		if (documents != 4 || rows < 200)
			print documents + 0 " documents, " rows + 0 " rows"
	}' docs/COMMENTARY.md)
[ -z "$lines" ] && ok || bad "docs/COMMENTARY.md: $lines"

# ---- explanations -----------------------------------------------------------------------------
n=$(grep -c '^## ' docs/EXPLANATIONS.md)
same "explanations that are listed" "$n" "$("$SOFTPMU" list explanations | grep -c .)"
for name in $(sed -n 's/^## \([a-z-]*\).*/\1/p' docs/EXPLANATIONS.md); do
	"$SOFTPMU" explain "$name" >"$work/text" 2>&1 && [ "$(head -1 "$work/text")" = "$name" ] &&
		grep -q '^  See: ' "$work/text" && ok || bad "explain $name: $(head -2 "$work/text")"
done
same "a name with _ and capitals" miss-penalty "$("$SOFTPMU" explain MISS_penalty | head -1)"
"$SOFTPMU" explain flush | grep -q '^  flushes ' && ok || bad "explain flush does not find the explanation"

# ---- what programs count ----------------------------------------------------------------------
# program NAME N
program() {
	[ -x "$work/$1-$2" ] || ${CC:-cc} -nostdlib -static -no-pie -Wl,-z,noexecstack -Itests/model -DN="$2" -o "$work/$1-$2" \
		"tests/explain/programs/$1.S"
}

# counts NAME N EVENTS OPTIONS...: the numbers in one line
counts() {
	local name=$1 n=$2 events=$3
	shift 3
	program "$name" "$n" && "$SOFTPMU" stat --env clean -x, -e "$events" -o "$work/csv" "$@" -- "$work/$name-$n" &&
		cut -d, -f1 "$work/csv" | grep . | tr '\n' ' ' | sed 's/ $//'
}

read -r itlb l1i <<<"$(counts pages 100 itlb_miss,ifu_ifetch_miss)"
[ "$itlb" -gt 4000 ] && [ "$l1i" -lt 50 ] && ok || bad "pages: $itlb misses of the instruction TLB, $l1i of L1I"
same "two loads of a line" "2000 1000" "$(counts two_loads 1000 data_mem_refs,dcu_lines_in)"
same "loads over the ends of lines" "2000 2000" "$(counts over_ends 1000 data_mem_refs,dcu_lines_in)"
same "stores that miss" "2048 2048 2048 2048" "$(counts stores 2048 l2_st,l2_st:i,bus_tran_rfo,dcu_m_lines_in)"
same "mask 0 of an L2 event" 0 "$(counts stores 2048 l2_st:0x00)"
same "integer multiplies" "1000 1000 0" "$(counts multiply 1000 fp_comp_ops_exe,mul,flops)"
same "x87 divides" "1000 1000 37000" "$(counts divide 1000 div,flops,cycles_div_busy --cpu pentium2)"
same "clocks begin once" 1 "$(counts spin 1000 cpu_clk_unhalted:e)"
same "100 interrupts a second, 10,000,000 clocks of 450 MHz" 2 "$(counts spin 5000000 hw_int_rx --timer-hz 100)"
program readings 1 && "$SOFTPMU" run -e inst_retired -- "$work/readings-1"
same "instructions between two readings" 4 $?
"$SOFTPMU" run -e inst_retired --pce 0 -- "$work/readings-1" 2>/dev/null
same "RDPMC without the right to" 139 $?

finish
