/* parts.c -- two regions, two threads and a child, for tests/engine/parts.sh: "collect" walks a
 * table that no cache holds, "instrumentation" computes. parts ROUNDS N [PROGRAM]: so often, of so
 * many turns; and PROGRAM is executed by a child that shares the memory until then.
 */
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

extern char **environ;
static unsigned table[1 << 20], rounds, n;

static void walk(unsigned turns)
{
	static unsigned x = 1;

	CALLGRIND_TOGGLE_COLLECT;
	for (unsigned i = 0; i < turns; i++) {
		x = x * 1664525u + 1013904223u;
		table[x >> 12] += i;
	}
	CALLGRIND_TOGGLE_COLLECT;
}

static void add(unsigned turns)
{
	static unsigned x = 1;

	CALLGRIND_START_INSTRUMENTATION;
	for (unsigned i = 0; i < turns; i++)
		x += x >> 3 ^ i;
	CALLGRIND_STOP_INSTRUMENTATION;
}

static void *walk_all(void *unused)
{
	for (unsigned r = 0; r < rounds; r++)
		walk(n / 2);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t;
	pid_t child;

	rounds = (unsigned)atoi(argv[1]);
	n = (unsigned)atoi(argv[2]);
	if (pthread_create(&t, NULL, walk_all, NULL))
		return 1;
	for (unsigned r = 0; r < rounds; r++)
		add(n);
	pthread_join(t, NULL);
	child = fork();
	for (unsigned r = 0; child == 0 && r < rounds; r++)
		walk(n / 4);
	if (child == 0)
		_exit(0);
	if (waitpid(child, NULL, 0) != child)
		return 1;
	if (argc > 3 && posix_spawn(&child, argv[3], NULL, NULL, argv + 3, environ))
		return 1;
	return argc > 3 && waitpid(child, NULL, 0) != child;
}
