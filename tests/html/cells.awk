# cells.awk -- what the numbers of a part of a page sum to, by event: "EVENT N". part: totals, units (beside the picture), functions.
/<section id="totals"/ { at = "totals" }
/<section id="functions"/ { at = "functions" }
/<section id="(sources|relations|clocks)"/ { at = "" }
/<details class="unit-text"/ { at = "units" }
at == part {
	line = $0
	while (match(line, /data-event="[^"]*" (data-)?value="-?[0-9]+"/)) {
		split(substr(line, RSTART, RLENGTH), field, "\"")
		sum[field[2]] += field[4]
		line = substr(line, RSTART + RLENGTH)
	}
}
END { for (e in sum) printf "%s %.0f\n", e, sum[e] }
