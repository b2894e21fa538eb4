/* regions.c -- three threads that take turns often: one is in the region for a while, one begins a
 * child there, one never is in it. The child is waited for when the threads have ended: the host
 * says when a child ends, and a thread that wakes then would take its turn at that moment. */
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <valgrind/callgrind.h>

__attribute__((noinline)) static void inside(void)
{
	for (int i = 0; i < 500; i++)
		sched_yield();
}

__attribute__((noinline)) static void outside(void)
{
	for (int i = 0; i < 700; i++)
		sched_yield();
}

static void *enter(void *unused)
{
	outside();
	CALLGRIND_TOGGLE_COLLECT;
	inside();
	CALLGRIND_TOGGLE_COLLECT;
	outside();
	return unused;
}

static void *fork_inside(void *unused)
{
	outside();
	CALLGRIND_TOGGLE_COLLECT;
	if (!fork()) { /* it is in the region, too */
		inside();
		CALLGRIND_TOGGLE_COLLECT;
		outside();
		_exit(0);
	}
	CALLGRIND_TOGGLE_COLLECT;
	return unused;
}

static void *stay_out(void *unused)
{
	for (int i = 0; i < 3; i++)
		outside();
	return unused;
}

int main(void)
{
	void *(*const run[])(void *) = {enter, fork_inside, stay_out};
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	wait(NULL);
	return 0;
}
