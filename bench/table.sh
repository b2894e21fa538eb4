#!/bin/bash
# table.sh RAW -- the table of bench.sh from its raw lines: medians of per-round ratios, geometric means.
exec awk -F'\t' '
function median(list,    v, k, i, j, t) {
	k = split(list, v, " ")
	for (i = 2; i <= k; i++)
		for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) {
			t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
		}
	return k == 0 ? 0 : k % 2 ? v[(k + 1) / 2] : (v[k / 2] + v[k / 2 + 1]) / 2
}
# Median over the rounds of column a of one contestant by column b of another.
function ratio(row, prog, x, y, col,    r, list) {
	for (r = 1; (row, prog, x, r, col) in t; r++)
		if (t[row, prog, y, r, col] > 0)
			list = list " " t[row, prog, x, r, col] / t[row, prog, y, r, col]
	return median(list)
}
function middle(row, prog, x, col,    r, list) {
	for (r = 1; (row, prog, x, r, col) in t; r++)
		list = list " " t[row, prog, x, r, col]
	return median(list)
}
# Geometric mean over the programs of a row.
function mean(row, x, y, col,    i, s, k, v) {
	for (i = 1; i <= n_prog[row]; i++) {
		v = ratio(row, prog_of[row, i], x, y, col)
		if (v > 0) {
			s += log(v)
			k++
		}
	}
	return k ? exp(s / k) : 0
}
# Geometric mean over the programs of a row of memory of x by memory of y.
function memory_mean(row, x, y,    i, s, k, p) {
	for (i = 1; i <= n_prog[row]; i++) {
		p = prog_of[row, i]
		if (memory[x, p] > 0 && memory[y, p] > 0) {
			s += log(memory[x, p] / memory[y, p])
			k++
		}
	}
	return k ? exp(s / k) : 0
}
# Geometric mean over the programs of bytes of a trace for an instruction.
function bytes_mean(    i, s, k, p) {
	for (i = 1; i <= n_prog["traces"]; i++)
		if (memory["bytes!", p = prog_of["traces", i]] > 0) {
			s += log(memory["bytes!", p])
			k++
		}
	return k ? exp(s / k) : 0
}
function line(what, got, must, aim) {
	if (got > 0)
		printf "| %s | %.2f | %s | %s | %s |\n", what, got, must, aim, got <= must + 0 ? got <= aim + 0 ? "aim" : "met" : "missed"
}
# One cell: how is ENTRANT (median seconds), ENTRANT/OTHER or ENTRANT/OTHER/cpu (ratios), or ENTRANT! (MB); behind it
# @ROW when it is from the races of another row.
function cell(row, prog, how,    part, k) {
	if (k = index(how, "@")) {
		row = substr(how, k + 1)
		how = substr(how, 1, k - 1)
	}
	if (how ~ /!$/)
		return (how, prog) in memory ? sprintf("%.0f", memory[how, prog] / 1024) : "-"
	if (!((row, prog, substr(how, 1, index(how "/", "/") - 1), 1, "wall") in t))
		return "-"
	k = split(how, part, "/")
	return k == 1 ? sprintf("%.3f", middle(row, prog, how, "wall")) :
		sprintf("%.2f", ratio(row, prog, part[1], part[2], k == 3 ? part[3] : "wall"))
}
# A table of the programs of some rows; columns: "head=how;head=how ...".
function table(rows, first, columns,    name, column, n, m, r, i, k, text) {
	n = split(rows, name, " ")
	m = split(columns, column, ";")
	for (r = 1; r <= n && !n_prog[name[r]]; r++)
		;
	if (r > n)
		return
	text = "\n| " first " |"
	for (k = 1; k <= m; k++)
		text = text " " substr(column[k], 1, index(column[k], "=") - 1) " |"
	print text
	text = "|---|"
	for (k = 1; k <= m; k++)
		text = text "---|"
	print text
	for (r = 1; r <= n; r++)
		for (i = 1; i <= n_prog[name[r]]; i++) {
			text = "| " prog_of[name[r], i] " |"
			for (k = 1; k <= m; k++)
				text = text " " cell(name[r], prog_of[name[r], i], substr(column[k], index(column[k], "=") + 1)) " |"
			print text
		}
}
$3 ~ /!$/ {
	memory[$3, $2] = $4
	if ($4 > peak[$3]) {
		peak[$3] = $4
		peak_prog[$3] = $2
	}
	next
}
{
	if (!(($1, $2) in seen)) {
		seen[$1, $2] = 1
		prog_of[$1, ++n_prog[$1]] = $2
	}
	t[$1, $2, $3, $4, "wall"] = $5
	t[$1, $2, $3, $4, "cpu"] = $6
	if ($7 != 0)
		failed[$1 " " $2 " " $3] = $7
}
END {
	print "| | measured | must | aim | |"
	print "|---|---|---|---|---|"
	line("tier 1 against native, geometric mean", mean("programs", "tier1", "native", "wall"), "2.5", "1.4")
	line("tier 2, all events, against Cachegrind", mean("programs", "tier2", "grind", "wall"), "0.5", "0.25")
	line("the same, user and system time", mean("programs", "tier2", "grind", "cpu"), "0.8", "0.4")
	line("the same under taskset -c 0", mean("one_core", "tier2", "grind", "wall"), "0.8", "0.4")
	line("Pentium, all events with clocks, against Cachegrind", mean("p5", "p5", "grind", "wall"), "1.0", "0.5")
	line("Pentium with MMX, the same", mean("p5", "p55c", "grind", "wall"), "1.0", "0.5")
	line("stat -- true against Cachegrind", ratio("true", "true", "default", "grind", "wall"), "0.25", "0.1")
	line("cc1 -O2, 10 k lines, against Cachegrind", ratio("cc1", "cc1-10k", "tier2", "grind", "wall"), "0.3", "0.15")
	line("i386 programs, tier 2, against Cachegrind", mean("i386", "tier2", "grind", "wall"), "0.5", "0.25")
	line("threaded programs, tier 2, against Cachegrind", mean("threads", "tier2", "grind", "wall"), "0.5", "0.25")
	line("gcc -c of a small file, tier 2, against Cachegrind", ratio("gcc", "gcc", "tier2", "grind", "wall"), "0.3", "0.15")
	line("P6 with clocks, all events, against Callgrind, geometric mean", mean("p6", "p6", "callgrind", "wall"), "1", "0.3")
	line("the same against Cachegrind", mean("p6", "p6", "grind", "wall"), "3", "1")
	line("the same, matrix product", ratio("p6", "matrix", "p6", "grind", "wall"), "1.5", "0.7")
	line("the same, compression (gzip)", ratio("p6", "gzip", "p6", "grind", "wall"), "1.5", "0.7")
	line("its memory, MB", peak["p6!"] / 1024, "400", "150")
	line("P6, clocks by samples, all events, user+sys against Cachegrind, geometric mean", mean("sampled", "sampled", "grind", "cpu"), "0.9", "0.7")
	line("the same, xz", ratio("sampled", "xz", "sampled", "grind", "cpu"), "1.4", "-")
	line("the same against tier 2, geometric mean", mean("sampled", "sampled", "tier2", "cpu"), "1.4", "1.15")
	line("the same in wall time against Cachegrind", mean("sampled", "sampled", "grind", "wall"), "0.7", "0.5")
	for (tier = 1; tier <= 2; tier++) {
		lua = ratio("jit", "lua5.4", "tier" tier, "native", "wall")
		for (i = 1; i <= n_prog["jit"]; i++)
			if ((p = prog_of["jit", i]) != "lua5.4" && p !~ /-start$/ && lua)
				line("slowdown of " p " by that of lua5.4, tier " tier, ratio("jit", p, "tier" tier, "native", "wall") / lua, "3", "1")
	}
	for (i = split("run2 run run55c", who, " "); i >= 1; i--) {
		how = who[i] == "run2" ? "tier 2" : who[i] == "run" ? "clocks of the P6" : "clocks of the P5"
		line("a million readings of a counter by RDPMC, " how ", s", middle("reads", "rdpmc", who[i], "wall"), "10", "2")
		line("the same by read(2), s", middle("reads", "read", who[i], "wall"), "10", "5")
	}
	line("record, default events, against stat, user and system time", mean("record", "record", "default", "cpu"), "1.15", "1.05")
	line("record -e instructions against stat of it, the same", mean("record", "record1", "stat1", "cpu"), "1.2", "1.05")
	line("record with an L1D of 48 KB against stat of it, the same", mean("l1d", "record_l1d", "stat_l1d", "cpu"), "1.5", "1.2")
	line("record with call paths against Callgrind without simulation, the same", mean("stacks", "stacks", "calls", "cpu"), "0.8", "0.5")
	line("... with caches and branches", mean("stacks", "stacks", "callgrind", "cpu"), "0.4", "0.2")
	line("record of clocks against stat of them, P6, the same", mean("clocks", "record_p6", "stat_p6", "cpu"), "3", "1.5")
	line("... Pentium", mean("clocks", "record_p5", "stat_p5", "cpu"), "3", "1.5")
	line("record -M cpi-stack against stat of it, the same", mean("slots", "record_slots", "stat_slots", "cpu"), "1.2", "1.1")
	line("memory of record against that of stat", memory_mean("record", "record!", "default!"), "1.3", "1.1")
	line("trace, all operands, against stat at tier 2, geometric mean", mean("traces", "trace", "tier2", "wall"), "2.0", "1.4")
	line("bytes of a trace for an instruction, geometric mean", bytes_mean(), "0.1", "0.05")
	line("the same, the most (" peak_prog["bytes!"] ")", peak["bytes!"], "0.2", "0.1")
	line("replay, tier 2, all events, against stat of them", mean("traces", "replay2", "tier2", "wall"), "1.5", "1.0")
	line("replay of clocks against stat of them, P6", mean("traces", "replay_p6", "stat_p6", "wall"), "1.0", "0.9")
	line("replay of sixteen L1D in one pass against stat of one of them", mean("traces", "grid", "stat_16k", "wall"), "5", "3")
	line("softpmu run, nothing opened, against run --tier 1 (no PMU)", mean("idle", "run", "none", "wall"), "1.02", "1")
	line("memory of the softpmu process, MB (" peak_prog["tier2!"] ")", peak["tier2!"] / 1024, "200", "64")
	slow = "native s=native;tier 1 : native=tier1/native;tier 2 : native=tier2/native"
	beside = ";Cachegrind : native=grind/native;tier 2 : Cachegrind=tier2/grind;user+sys=tier2/grind/cpu"
	table("programs", "program", slow beside ";one core=tier2/grind@one_core;MB=tier2!")
	table("p5", "program, all events with clocks", "Pentium : Cachegrind=p5/grind;user+sys=p5/grind/cpu;" \
		"with MMX : Cachegrind=p55c/grind;user+sys=p55c/grind/cpu;MB=p55c!")
	table("i386 threads gcc", "program", slow beside)
	table("sampled", "program", "P6 by samples s=sampled;: Cachegrind=sampled/grind;user+sys : Cachegrind=sampled/grind/cpu;user+sys : tier 2=sampled/tier2/cpu")
	table("p6", "program", "P6 with clocks s=p6;: Callgrind=p6/callgrind;: Cachegrind=p6/grind;user+sys : Cachegrind=p6/grind/cpu")
	table("record", "program, user+sys", "record : stat=record/default/cpu;-e instructions=record1/stat1/cpu;record MB=record!;stat MB=default!")
	table("l1d", "program, user+sys", "record, L1D of 48 KB : stat=record_l1d/stat_l1d/cpu;" \
		"call paths : Callgrind=stacks/calls/cpu@stacks;P6=record_p6/stat_p6/cpu@clocks;" \
		"Pentium=record_p5/stat_p5/cpu@clocks;cpi-stack=record_slots/stat_slots/cpu@slots")
	table("traces", "program", "trace : stat=trace/tier2;user+sys=trace/tier2/cpu;replay : stat=replay2/tier2;user+sys=replay2/tier2/cpu;" \
		"clocks, replay : stat=replay_p6/stat_p6;user+sys=replay_p6/stat_p6/cpu;sixteen L1D : one=grid/stat_16k;user+sys=grid/stat_16k/cpu")
	table("jit", "program", slow)
	if (n_prog["true"])
		printf "\ntrue: native %.1f ms, softpmu %.1f ms, Cachegrind %.0f ms.\n", 1e3 * middle("true", "true", "native", "wall"),
			1e3 * middle("true", "true", "default", "wall"), 1e3 * middle("true", "true", "grind", "wall")
	if (n_prog["cc1"])
		printf "cc1 of 10 k lines: native %.2f s, tier 2 %.2f s, Cachegrind %.1f s.\n", middle("cc1", "cc1-10k", "native", "wall"),
			middle("cc1", "cc1-10k", "tier2", "wall"), middle("cc1", "cc1-10k", "grind", "wall")
	for (f in failed)
		printf "\nFAILED: %s ended with status %s; its times count for nothing.\n", f, failed[f]
}' "$1"
