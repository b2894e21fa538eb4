/* gate.c -- switches its own counting on and off: gate COMMANDS ANSWERS TURNS, both descriptors.
 * Between "enable" and "disable" lie 2 * TURNS instructions; before and behind it three times as
 * many. With a fourth argument a child does the middle, or "thread", and all is in a region by
 * softpmu's client requests; with "loop" it computes until SIGTERM and prints how many instructions
 * it was. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int to, from;

static void spin(unsigned long n)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

static void say(const char *line)
{
	char answer[8] = "";

	if (write(to, line, strlen(line)) < 0 || read(from, answer, 4) != 4 ||
	    strcmp(answer, "ack\n"))
		exit(9);
}

static void *in_thread(void *n)
{
	spin(*(unsigned long *)n);
	return NULL;
}

/* Begin (0) or end (1) a region. */
static void region(int request, const char *name)
{
	const uint64_t words[6] = {('S' << 24 | 'P' << 16) + (uint64_t)request, (uintptr_t)name};
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, "
			 "%%rdi\n\txchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(words)
			 : "cc", "memory");
}

static void in_threads(unsigned long n)
{
	pthread_t t;

	region(0, "all");
	spin(n);
	say("enable\n");
	pthread_create(&t, NULL, in_thread, &n);
	pthread_join(t, NULL);
	spin(n);
	say("disable\n");
	spin(n);
	region(1, "all");
	pthread_create(&t, NULL, in_thread, &n);
	pthread_join(t, NULL);
}

static volatile sig_atomic_t is_over;

static void end(int sig)
{
	is_over = sig;
}

static void loop(unsigned long n)
{
	unsigned long turns = 0;

	signal(SIGTERM, end);
	for (; !is_over; turns++)
		spin(n);
	printf("%lu\n", turns * 2 * n);
}

int main(int argc, char **argv)
{
	unsigned long n;

	if (argc < 4)
		return 2;
	to = atoi(argv[1]);
	from = atoi(argv[2]);
	n = strtoul(argv[3], NULL, 0);
	if (argc > 4 && !strcmp(argv[4], "loop")) {
		loop(n);
		return 0;
	}
	if (argc > 4 && !strcmp(argv[4], "thread")) {
		in_threads(n);
		return 0;
	}
	spin(3 * n);
	say("enable\n");
	if (argc < 5) {
		spin(n);
	} else {
		if (!fork()) {
			spin(n);
			_exit(0);
		}
		wait(NULL);
	}
	say("disable\n");
	say("ping\n");
	spin(3 * n);
	return 0;
}
