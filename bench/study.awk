# study.awk -- how long a study takes: a simulation of its list of jobs, with the costs of bench/study.sh.
#
#   awk -v way=live -v tier=2 -v nodes=10 -f bench/study.awk bench/study.tsv
#
#   programs machines minsn   how many programs, of how many million instructions each, for how many machines: 1000 100 1000
#   nodes cores               processors: 1 x 2
#   way                       live: a run for each machine; replay: a recording, then a replay for each; grid: a recording, then a
#                             replay for each sixteen (caches that differ, tier 2)
#   start                     seconds of an engine's for each task, one after the other: 0.01 (GNU parallel); Slurm 0.2 and more
#   tasks                     0: each job is a task; 1000: an array of so many, task k has the jobs k, k + 1000 ...
#   MBs                       what the shared file system reads for all nodes together, MB a second: 500
# RULES    A task begins on the processor that is free first, once the engine has started those before it. Recordings come before
#          all replays. A replay ends no sooner than its trace is read. Costs are those of the programs in turn, without
#          noise; processors are those that the costs were measured on.
# Prints: hours until the last job ends, hours of processors, how busy they were, GB of traces.
function larger(a, b) { return a > b ? a : b }
# A heap of the times at which processors are free: free[1] is the first.
function put_back(t,   i, k, x) {
	free[1] = t
	for (i = 1; (k = 2 * i) <= n_cpu; i = k) {
		if (k < n_cpu && free[k + 1] < free[k]) k++
		if (free[i] <= free[k]) break
		x = free[i]; free[i] = free[k]; free[k] = x
	}
}
function cost_of(column, program,   i) {
	i = program % n_cost
	return fixed[column] + larger(0, cost[column, i] - fixed[column]) * minsn / cost["minsn", i]
}
# Run n jobs; job j is of program j % programs, or, where wide is set, of j / wide. bytes: of what is read before.
function stage(n, column, wide, reads,   j, k, t, n_task, seconds, done_reading, i) {
	n_task = tasks && tasks < n ? tasks : n
	for (k = 0; k < n_task; k++) {
		engine = larger(engine, now) + start
		t = larger(free[1], engine)
		for (j = k; j < n; j += n_task) {
			seconds = cost_of(column, int(j / wide))
			if (reads) {
				disk = larger(disk, t) + cost["MB", int(j / wide) % n_cost] * minsn / cost["minsn", int(j / wide) % n_cost] / MBs
				done_reading = disk
			}
			t = larger(t + seconds, done_reading)
			busy += seconds
		}
		put_back(t)
		last = larger(last, t)
	}
	now = last
	for (k = 1; k <= n_cpu; k++) free[k] = now
}
BEGIN {
	if (!programs) programs = 1000
	if (!machines) machines = 100
	if (!minsn) minsn = 1000
	if (!nodes) nodes = 1
	if (!cores) cores = 2
	if (!way) way = "live"
	if (!tier) tier = 2
	if (start == "") start = 0.01
	if (!MBs) MBs = 500
	place["live2"] = 3; place["live3"] = 4; place["record"] = 5
	place["replay2"] = 7; place["replay3"] = 8; place["grid"] = 9
	n_cost = engine = now = last = disk = bytes = busy = 0
}
/^#/ { next }
# What the shortest program costs is a start. Of other short ones a start is the most, so that they are left out.
!least || $2 < least {
	least = $2
	for (column in place) fixed[column] = $place[column]
}
$2 >= 5 {
	cost["minsn", n_cost] = $2
	cost["MB", n_cost] = $6
	for (column in place) cost[column, n_cost] = $place[column]
	n_cost++
}
END {
	n_cpu = nodes * cores
	for (k = 1; k <= n_cpu; k++) free[k] = 0
	if (way != "live") {
		stage(programs, "record", 1, 0)
		for (i = 0; i < programs; i++) bytes += cost["MB", i % n_cost] * minsn / cost["minsn", i % n_cost]
	}
	if (way == "grid") stage(programs * machines / 16, "grid", machines / 16, 1)
	else stage(programs * machines, way tier, machines, way == "replay")
	printf "%s tier %d, %d nodes: %.2f h, %.0f processor hours, %.0f %% busy, %.0f GB\n", way, tier, nodes, last / 3600, busy / 3600, 100 * busy / (last * n_cpu), bytes / 1000
}
