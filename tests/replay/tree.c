/* tree.c -- programs for run.sh: one way for each kind of thing that a recording must hold. */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static unsigned char table[30000];
static volatile int n_signal;

static unsigned long work(unsigned long s, int n)
{
	for (int i = 0; i < n; i++) {
		s = s * 1103515245 + 12345;
		table[(s >> 8) % sizeof(table)] += s >> 16;
		if (table[(s >> 4) % sizeof(table)] & 1)
			s ^= s >> 7;
	}
	return s;
}

static void *turn(void *p)
{
	unsigned long own[256] = {0}, s = (unsigned long)p;

	for (int i = 0; i < 3000; i++) {
		s = s * 1103515245 + 12345;
		own[(s >> 8) & 255] += s;
	}
	return (void *)own[3];
}

static void threads(void)
{
	pthread_t t[3];

	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, turn, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static void count_signal(int s)
{
	n_signal++;
}

static void signals(void)
{
	signal(SIGUSR1, count_signal);
	for (int i = 0; i < 20; i++) {
		raise(SIGUSR1);
		work(i, 100);
	}
}

static void forks(void)
{
	for (int i = 0; i < 2; i++) {
		const pid_t child = fork();

		if (!child) {
			work(i, 2000);
			if (i && !fork())
				_exit(work(7, 500) & 1);
			while (wait(NULL) > 0)
				;
			_exit(0);
		}
		waitpid(child, NULL, 0);
		work(i, 300);
	}
}

static void spawns(void)
{
	char *argv[] = {"/bin/echo", "x", NULL};
	pid_t child;

	if (!posix_spawn(&child, argv[0], NULL, NULL, argv, environ))
		waitpid(child, NULL, 0);
}

static void vforks(void)
{
	for (int i = 0; i < 2; i++) {
		const pid_t child = vfork();

		if (!child)
			_exit(i);
		waitpid(child, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "plain";

	work(1, 4000);
	if (!strcmp(way, "threads"))
		threads();
	else if (!strcmp(way, "signals"))
		signals();
	else if (!strcmp(way, "fork"))
		forks();
	else if (!strcmp(way, "spawn"))
		spawns();
	else if (!strcmp(way, "vfork"))
		vforks();
	else if (!strcmp(way, "exec"))
		execl("/bin/true", "true", (char *)NULL);
	else if (!strcmp(way, "long"))
		for (;;)
			work(3, 1000);
	puts("done");
	return 0;
}
