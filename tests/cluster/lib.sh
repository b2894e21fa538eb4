# lib.sh -- a Slurm of one node in a directory of the test, over tests/engine/lib.sh. Source it first.
#
#   slurm_start     munged, slurmctld and slurmd as root, without systemd; 1, with the reason in $why, where they cannot run
#   slurm_stop      ends them (also at exit)
#   until_so N CMD  runs CMD until it succeeds, N seconds at most
# cgroup is what this host has; processes are told apart by their group (proctrack/pgid), as no cgroup can be made in many containers.
. "$(dirname "${BASH_SOURCE[0]}")/../engine/lib.sh"
unset OMPI_MCA_plm SLURM_CONF
slurm_pids=

until_so() {
	local n=$(($1 * 5))
	shift
	while [ $n -gt 0 ]; do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.2
		n=$((n - 1))
	done
	return 1
}

# Two free ports, as far as /proc/net/tcp knows.
free_port() {
	local port=$((20000 + RANDOM % 20000))
	while grep -qi ":$(printf %04x $port) " /proc/net/tcp /proc/net/tcp6 2>/dev/null; do port=$((port + 1)); done
	echo $port
}

slurm_conf() {
	cat <<-END
		ClusterName=softpmu
		SlurmctldHost=$node(127.0.0.1)
		SlurmUser=root
		SlurmdUser=root
		AuthType=auth/munge
		AuthInfo=socket=$slurm/munge.socket
		CredType=cred/munge
		SlurmctldPort=$(free_port)
		SlurmdPort=$(free_port)
		StateSaveLocation=$slurm/state
		SlurmdSpoolDir=$slurm/spool
		SlurmctldPidFile=$slurm/slurmctld.pid
		SlurmdPidFile=$slurm/slurmd.pid
		SlurmctldLogFile=$slurm/slurmctld.log
		SlurmdLogFile=$slurm/slurmd.log
		ProctrackType=proctrack/pgid
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		SwitchType=switch/none
		MpiDefault=none
		ReturnToService=2
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SlurmdParameters=config_overrides
		SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
		KillWait=2
		MinJobAge=300
		NodeName=$node NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 State=UNKNOWN
		PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
	END
}

slurm_start() {
	local program
	for program in munged slurmctld slurmd sbatch; do
		command -v $program >/dev/null || { why="$program is not installed (tools/install-deps.sh cluster)"; return 1; }
	done
	[ "$(id -u)" = 0 ] || { why="slurmd wants to be root"; return 1; }
	grep -q cgroup /proc/mounts || { why="this host has no cgroups, and slurmd does not start without"; return 1; }
	slurm=$work/slurm node=$(hostname -s)
	mkdir -p "$slurm/state" "$slurm/spool"
	export SLURM_CONF=$slurm/slurm.conf
	slurm_conf >"$SLURM_CONF"
	echo CgroupPlugin=autodetect >"$slurm/cgroup.conf"
	head -c 1024 /dev/urandom >"$slurm/munge.key" && chmod 400 "$slurm/munge.key"
	munged --foreground --force --key-file="$slurm/munge.key" --socket="$slurm/munge.socket" --pid-file="$slurm/munged.pid" \
		--log-file="$slurm/munged.log" --seed-file="$slurm/munged.seed" >/dev/null 2>&1 &
	slurm_pids="$!"
	until_so 10 test -S "$slurm/munge.socket" || { why="munged: $(tail -n 1 "$slurm/munged.log")"; return 1; }
	slurmctld -D >/dev/null 2>&1 &
	slurm_pids="$! $slurm_pids"
	slurmd -D -N "$node" >/dev/null 2>&1 &
	slurm_pids="$! $slurm_pids"
	until_so 30 sh -c 'sinfo -h -o %T | grep -qx idle' ||
		{ why="Slurm: $(grep -h -i -E 'error|fatal' "$slurm/slurmd.log" "$slurm/slurmctld.log" | tail -n 1)"; return 1; }
}

slurm_stop() {
	local pid
	for pid in $slurm_pids; do kill "$pid" 2>/dev/null; done
	wait $slurm_pids 2>/dev/null
	slurm_pids=
}
trap 'slurm_stop; rm -rf "$work"' EXIT
