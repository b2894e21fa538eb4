/* leaks.c -- for a sanitizer that looks for leaks at the end: two threads hold memory, one block is
 * lost. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *holds(void *arg)
{
	char *volatile kept = malloc(100);

	kept[0] = 1;
	for (;;)
		pause();
	return kept;
}

__attribute__((noinline)) static void loses(void)
{
	char *volatile p = malloc(77);

	p = NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	for (int i = 0; i < 2; i++)
		pthread_create(&t, NULL, holds, NULL);
	usleep(100000);
	if (argc > 1)
		loses();
	puts("done");
	return 0;
}
