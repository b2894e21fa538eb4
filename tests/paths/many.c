/* Threads that take turns in the middle of calls, and a process that forks there. */
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

__attribute__((noinline, noclone)) void inner(void)
{
	sched_yield();
	work(30);
}

__attribute__((noinline, noclone)) void *thread(void *p)
{
	for (int i = 0; i < 100; i++)
		inner();
	return p;
}

__attribute__((noinline, noclone)) void forks(void)
{
	const pid_t pid = fork();

	work(pid ? 40 : 50);
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	forks();
	work(20);
}
