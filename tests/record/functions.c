/* functions.c -- functions that are regions: called by number, recursive, left by longjmp, in
 * threads, in a child, as a tail call, as a handler. work(n) executes 2 n + 1 instructions. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../paths/work.h"

static jmp_buf env;

__attribute__((noinline, noclone)) void times(long n)
{
	work(n);
	work(n);
	__asm__ volatile("");
}

/* work() as often as it says, by calls of itself. */
__attribute__((noinline, noclone)) void deep(long n)
{
	work(10);
	if (n > 1)
		deep(n - 1);
	__asm__ volatile("");
}

__attribute__((noinline, noclone)) void jumps(void)
{
	work(30);
	longjmp(env, 1);
}

__attribute__((noinline, noclone)) void leaves(void)
{
	work(40);
	jumps();
	work(1000000);
}

__attribute__((noinline, noclone)) void begins_a_child(void)
{
	if (!fork()) {
		work(70);
		_exit(0);
	}
	wait(NULL);
}

__attribute__((noinline, noclone)) void handler(int unused)
{
	work(60);
	__asm__ volatile("");
}

__attribute__((noinline, noclone)) void raises(void)
{
	raise(SIGUSR1);
	__asm__ volatile("");
}

/* Jumps to times(). */
void tail(long n);
__asm__(".globl tail\n.type tail, @function\ntail: mov $50, %edi\njmp times\n.size tail, . - tail");

static void *thread(void *n)
{
	times((long)n);
	work(500);
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	signal(SIGUSR1, handler);
	times(10);
	times(20);
	times(40);
	for (int i = 1; i <= 3; i++)
		deep(i);
	if (!setjmp(env))
		leaves();
	work(5);
	raises();
	begins_a_child();
	tail(0);
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, thread, (void *)(100 + i));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
