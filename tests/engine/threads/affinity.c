/* affinity.c -- where threads run that choose their processors; smp.sh runs it with --cpus 3.
 *
 * affinity         checks what a program is told: thread, child, program that it executes,
 *                  /proc/self/status.
 * affinity A B     two threads, bound to processors A and B, write to one line in turns. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failed;

static void check(int is_right, const char *what)
{
	if (!is_right)
		printf("wrong: %s\n", what);
	failed |= !is_right;
}

static int bind_to(pid_t who, unsigned mask)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; i < 8; i++)
		if (mask >> i & 1)
			CPU_SET(i, &set);
	return sched_setaffinity(who, sizeof(set), &set) ? errno : 0;
}

static unsigned allowed(pid_t who)
{
	unsigned mask = 0;
	cpu_set_t set;

	if (sched_getaffinity(who, sizeof(set), &set))
		return 0;
	for (int i = 0; i < 8; i++)
		mask |= (unsigned)!!CPU_ISSET(i, &set) << i;
	return mask;
}

static void status(char *mask, char *list)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "Cpus_allowed: %31s", mask);
		sscanf(line, "Cpus_allowed_list: %31s", list);
	}
	if (f)
		fclose(f);
}

static void *born(void *x)
{
	check(allowed(0) == 4 && sched_getcpu() == 2, "a new thread has its parent's");
	check(bind_to(0, 2) == 0 && sched_getcpu() == 1 && allowed(getpid()) == 4,
	      "a thread has its own");
	return x;
}

static int told(const char *self)
{
	char mask[32] = "", list[32] = "";
	pthread_t t;
	int end = -1;

	check(allowed(0) == 7 && sched_getcpu() == 0, "at first all");
	check(bind_to(0, 8) == EINVAL && allowed(0) == 7, "a processor that is not there");
	check(bind_to(0, 0) == EINVAL, "none");
	check(bind_to(999999, 1) == ESRCH, "a process that is not there");
	check(bind_to(0, 5) == 0 && allowed(0) == 5 && sched_getcpu() == 0, "where it is");
	status(mask, list);
	check(!strcmp(mask, "5") && !strcmp(list, "0,2"), "/proc/self/status");
	check(bind_to(0, 6) == 0 && (sched_getcpu() == 1 || sched_getcpu() == 2), "one of two");
	status(mask, list);
	check(!strcmp(mask, "6") && !strcmp(list, "1-2"), "/proc/self/status, a range");
	check(bind_to(getpid(), 4) == 0 && sched_getcpu() == 2, "the last, by number");
	pthread_create(&t, NULL, born, NULL);
	pthread_join(t, NULL);
	check(sched_getcpu() == 2, "and it stays");
	fflush(stdout);
	if (fork() == 0) {
		check(allowed(0) == 4 && sched_getcpu() == 2, "a child has its parent's");
		if (!bind_to(0, 2))
			execl(self, self, "again", (char *)NULL);
		_exit(9);
	}
	wait(&end);
	check(end == 0, "the program that a child executes");
	if (vfork() == 0) {
		bind_to(0, 1);
		_exit(sched_getcpu());
	}
	wait(&end);
	check(end == 0 && sched_getcpu() == 2 && allowed(0) == 4,
	      "a child by vfork changes its own");
	return failed;
}

static volatile char line[32] __attribute__((aligned(64)));
static volatile int turn;

static void *write_line(void *x)
{
	const int *cpu = x;

	bind_to(0, 1u << cpu[1]);
	for (int i = 0; i < 1000; i++) {
		while (turn != cpu[0])
			sched_yield();
		line[cpu[0]]++;
		turn = !cpu[0];
	}
	check(sched_getcpu() == cpu[1], "the thread's processor");
	return x;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc == 2)
		return allowed(0) == 2 && sched_getcpu() == 1 ? 0 : 1;
	if (argc == 3) {
		int first[2] = {0, atoi(argv[1])}, second[2] = {1, atoi(argv[2])};

		pthread_create(&t, NULL, write_line, second);
		write_line(first);
		pthread_join(t, NULL);
		printf("%d %d\n", line[0] & 0xff, line[1] & 0xff);
		return failed;
	}
	told("/proc/self/exe");
	printf("%s\n", failed ? "wrong" : "all right");
	return failed;
}
