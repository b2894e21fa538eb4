#!/bin/bash
# slurm.sh -- a sweep of 8 programs x 12 geometries under a real Slurm and under GNU parallel: stopped in the middle, a job that is
# killed, a node that drains, a file system that is full, two arrays at once; it goes on, and the tables are the same.
. "$(dirname "$0")/lib.sh"

cd "$work" || exit 1
seq 3000 >in.txt
sleep 0.1; cat in.txt >/dev/null # the first read changes a time that gzip looks at
cat >plan <<END
program gzip: gzip -c in.txt
program sort: sort -r in.txt
program wc: wc in.txt
program cksum: cksum in.txt
program sha: sha1sum in.txt
program base64: base64 in.txt
program sed: sed s/1/2/g in.txt
program tac: tac in.txt
l1d: 4K 8K 16K 32K
l2: 128K 256K 512K
options: -e dcu_lines_in,l2_lines_in
END
results() { ls "$1"/*.json 2>/dev/null | wc -l; }
at_least() { [ "$(results "$1")" -ge "$2" ]; }
table() { "$SOFTPMU" collect "$@" 2>said; }
none_left() { [ -z "$(squeue -h)" ]; }
submit() { "$SOFTPMU" sweep -o "$1" --slurm >script && sbatch --parsable script; }

# --- the table, by GNU parallel that is stopped in the middle ------------------------------------
if parallel --version 2>/dev/null </dev/null | grep -q '^GNU parallel'; then
	"$SOFTPMU" sweep plan -o p >list && [ "$(wc -l <list)" = 96 ] && ok || bad "a plan of 96 jobs: $(wc -l <list)"
	parallel --will-cite -j 2 <list 2>err &
	pid=$!
	until_so 60 at_least p 20
	kill -TERM $pid; kill -TERM $pid; wait $pid 2>/dev/null
	n=$(results p)
	[ "$n" -ge 20 ] && [ "$n" -lt 96 ] && ok || bad "parallel was not stopped in the middle: $n results"
	until_so 30 sh -c "! grep -qa 'p/.*json' /proc/[0-9]*/cmdline" # jobs that it left end
	"$SOFTPMU" sweep -o p | parallel --will-cite -j 2 2>err
	table p >p.csv && grep -q '^ 96 jobs in the table$' said && ok || bad "parallel: $(tail -n 2 said)"
else
	skip "GNU parallel is not installed"
	"$SOFTPMU" sweep plan -o p --run >/dev/null 2>&1
	table p >p.csv
fi

# --- Slurm -----------------------------------------------------------------------------------------
if ! slurm_start; then
	skip "$why"
	finish
fi
"$SOFTPMU" sweep plan -o s >/dev/null
id=$(submit s) && ok || bad "sbatch: $(head -n 5 script)"
until_so 60 at_least s 8
# A job that is killed has no result, and is in nobody's way.
kill_one() { scancel --signal=KILL --full "$(squeue -h -t R -o '%F_%K' | head -n 1)"; }
until_so 20 kill_one && ok || bad "no task runs that could be killed"
# A node that drains ends what it runs, and begins nothing.
scontrol update nodename="$node" state=drain reason=test
until_so 60 sh -c "sinfo -h -o %T | grep -qx drained" && ok || bad "the node does not drain: $(sinfo -h -o %T)"
n=$(results s)
sleep 1
[ "$(results s)" = "$n" ] && [ "$n" -lt 96 ] && ! none_left && ok || bad "drained: $n, then $(results s) results"
scontrol update nodename="$node" state=resume
until_so 60 at_least s $((n + 8)) && ok || bad "the array does not go on: $(results s) results"
# Stopped in the middle.
scancel "$id"
until_so 60 none_left
n=$(results s)
[ "$n" -lt 96 ] && table s >half.csv; [ $? = 1 ] && grep -q "$((96 - n)) without a result" said && ok || bad "stopped with $n results: $(tail -n 1 said)"
# The rest, by two arrays that write at once.
submit s >/dev/null; cp script second; sbatch --parsable second >/dev/null
until_so 300 none_left
table s >s.csv && cmp -s p.csv s.csv && ok || bad "Slurm and parallel: $(tail -n 1 said) $(diff p.csv s.csv | head -n 4)"
[ -z "$(find s -name '*.part')" ] && ok || bad "parts are left: $(find s -name '*.part')"
refused=$(cat s/*.err | grep -c 'another softpmu is writing\|never writes over')
echo "note: $refused jobs of the second array were refused, as the first one ran or had run them"

# --- a file system that is full ---------------------------------------------------------------------
if mkdir full && mount -t tmpfs -o size=64k none full 2>/dev/null; then
	trap 'slurm_stop; umount "$work/full"; rm -rf "$work"' EXIT
	sed 's/^l1d.*/l1d: 8K 16K/' plan >small
	"$SOFTPMU" sweep small -o full >/dev/null
	head -c 40960 /dev/zero >full/ballast 2>/dev/null
	submit full >/dev/null
	until_so 300 none_left
	n=$(results full)
	[ "$n" -lt 48 ] && ok || bad "the file system was not full"
	for file in full/*.json; do
		[ ! -e "$file" ] || jq -e .ending "$file" >/dev/null 2>&1 || { bad "a result is not whole: $file"; break; }
	done
	rm -f full/ballast full/slurm-*.out
	mount -o remount,size=4m full
	submit full >/dev/null
	until_so 300 none_left
	table full >full.csv && grep -q '^ 48 jobs in the table$' said && ok || bad "full: $n, then $(tail -n 1 said)"
	grep -E '^[^,]*,(8K|16K),|^program' p.csv >part.csv
	cmp -s full.csv part.csv && ok || bad "full: $(diff full.csv part.csv | head -n 4)"
else
	skip "no tmpfs can be mounted here"
fi
finish
