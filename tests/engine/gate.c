/* gate.c -- switches its own counting on and off: gate COMMANDS ANSWERS TURNS, both descriptors. Between "enable" and "disable"
 * lie 2 * TURNS instructions; before and behind it three times as many. With a fourth argument a child does the middle. */
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

	if (write(to, line, strlen(line)) < 0 || read(from, answer, 4) != 4 || strcmp(answer, "ack\n"))
		exit(9);
}

int main(int argc, char **argv)
{
	unsigned long n;

	if (argc < 4)
		return 2;
	to = atoi(argv[1]);
	from = atoi(argv[2]);
	n = strtoul(argv[3], NULL, 0);
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
