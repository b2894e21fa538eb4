/* starve.c -- a thread that frees something for a moment in each of its rounds, and another that
 * wants it.
 *
 * A round has as many system calls as a turn of softpmu's threads has room for, and hardly anything
 * else. Were all turns as long, each would end at the same call of its round, and where that is not
 * the one in the middle the other thread would see the thing taken for ever. That is how two
 * threads of Python meet at the interpreter's lock. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLS	    50
#define MOST_ROUNDS 100000

static atomic_int is_taken = 1, has_seen;

static void *want(void *p)
{
	while (is_taken)
		sched_yield();
	has_seen = 1;
	return p;
}

int main(void)
{
	pthread_t other;
	int rounds = 0;

	if (pthread_create(&other, NULL, want, NULL))
		return 2;
	while (!has_seen && rounds++ < MOST_ROUNDS) {
		for (int i = 0; i < CALLS; i++) {
			is_taken = i != CALLS / 2;
			syscall(SYS_getppid);
		}
	}
	is_taken = 0;
	pthread_join(other, NULL);
	puts(rounds < MOST_ROUNDS ? "seen" : "starved");
	return 0;
}
