#!/bin/bash
# mpi.sh -- ranks of Open MPI: a result for each by %q{VAR} in its name, records that are merged; one name for four is refused.
. "$(dirname "$0")/../engine/lib.sh"

cd "$work" || exit 1
if ! mpicc --version >/dev/null 2>&1 || ! command -v mpirun >/dev/null; then
	skip "Open MPI is not installed (tools/install-deps.sh cluster)"
	finish
fi
cat >ranks.c <<'END'
#include <mpi.h>

/* Each rank's own work: 10000 times its number, and one more. */
__attribute__((noinline)) void work(int n)
{
	for (volatile int i = 0; i < 10000 * n; i++)
		;
}

int main(int n, char **v)
{
	int rank, sum = 0;

	MPI_Init(&n, &v);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	work(rank + 1);
	MPI_Finalize();
	return sum != 6;
}
END
mpicc -O1 -g -o ranks ranks.c || bad "mpicc"
# ranks COMMAND...: four of them
ranks() { timeout 300 mpirun --allow-run-as-root --oversubscribe -n 4 "$@" >out 2>said; }

ranks "$SOFTPMU" stat --json -e instructions -o 'r.%q{OMPI_COMM_WORLD_RANK}.json' ./ranks && ok || bad "ranks: $(tail -n 3 said)"
[ "$(ls r.*.json | tr '\n' ' ')" = "r.0.json r.1.json r.2.json r.3.json " ] && ok || bad "a result for each: $(ls r.*)"
ranks "$SOFTPMU" stat --json -e instructions -o one.json ./ranks && bad "four ranks write one file"
[ "$(grep -c '4 ranks would write this one file; write %q{OMPI_COMM_WORLD_RANK} into its name' said)" -ge 1 ] && [ ! -e one.json ] && ok || bad "one name: $(head -n 3 said)"
# A tag tells them apart in a table.
ranks sh -c "exec '$SOFTPMU' stat --json -e instructions --tag rank=\$OMPI_COMM_WORLD_RANK -o 't.%q{OMPI_COMM_WORLD_RANK}.json' ./ranks"
"$SOFTPMU" collect t.*.json >t.csv 2>/dev/null && [ "$(cut -d, -f1 t.csv | tr '\n' ' ')" = "rank 0 1 2 3 " ] && ok || bad "tags: $(cat t.csv)"
# Totals hold what ranks spun while they waited; a function that does not wait repeats, and sums.
ranks "$SOFTPMU" record -q -e instructions -o 'r.%q{OMPI_COMM_WORLD_RANK}.rec' ./ranks && "$SOFTPMU" merge r.?.rec -o all.rec 2>err && ok || bad "merge: $(cat said err)"
own() { "$SOFTPMU" report -x, "$1" 2>/dev/null | awk -F, '$1 == "work" { print $3 }'; }
one=$(own r.0.rec) all=$(own all.rec)
[ -n "$one" ] && [ "$all" = $((10 * one - 6 * (one % 10000))) ] && ok || bad "merged: work counted $all, of rank 0 $one"
finish
