/* race.c -- times commands against each other, round by round.
 *
 * race ROUNDS [STDIN]  < list of commands, one per line: LABEL, then program and arguments, separated by
 *                        tabs; a label that ends in "!" is run once, for its peak of memory
 * Every round runs every command once, in order, output to /dev/null, so that whatever slows the machine
 * slows all of them. Per run one line on stdout:
 *     LABEL <tab> ROUND <tab> wall seconds <tab> user+system seconds of all its processes <tab> status
 *     LABEL! <tab> peak resident KiB of the command's own process (not of its children)
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_COMMANDS 32
#define MAX_ARGS 64

struct command {
	char *label;
	char *argv[MAX_ARGS];
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static pid_t start(const struct command *c, const char *input)
{
	pid_t pid = fork();

	if (pid == 0) {
		int in = open(input, O_RDONLY), out = open("/dev/null", O_WRONLY);

		dup2(in, 0);
		dup2(out, 1);
		dup2(out, 2);
		execvp(c->argv[0], c->argv);
		_exit(127);
	}
	return pid;
}

/* VmHWM of a process in KiB, 0 when it is gone. */
static long peak_kib(pid_t pid)
{
	char path[64], line[256];
	long kib = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmHWM: %ld", &kib);
	if (f)
		fclose(f);
	return kib;
}

static void watch_memory(const struct command *c, const char *input)
{
	const struct timespec pause = { 0, 2000000 };
	pid_t pid = start(c, input);
	long peak = 0, kib;
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		kib = peak_kib(pid);
		peak = kib > peak ? kib : peak;
		nanosleep(&pause, NULL);
	}
	printf("%s\t%ld\n", c->label, peak);
}

static void time_one(const struct command *c, const char *input, int round)
{
	double begin = now_s(), wall, cpu;
	struct rusage use;
	int status;

	wait4(start(c, input), &status, 0, &use);
	wall = now_s() - begin;
	cpu = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
	      (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
	printf("%s\t%d\t%.6f\t%.6f\t%d\n", c->label, round, wall, cpu,
	       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static struct command command[MAX_COMMANDS];
	const char *input = argc > 2 ? argv[2] : "/dev/null";
	int rounds = argc > 1 ? atoi(argv[1]) : 1, n = 0;
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	while (n < MAX_COMMANDS && (len = getline(&line, &size, stdin)) > 0) {
		char *save, *word;
		int k = 0;

		line[len - 1] = 0;
		if (!line[0])
			continue;
		word = strdup(line);
		command[n].label = strtok_r(word, "\t", &save);
		while (k + 1 < MAX_ARGS && (word = strtok_r(NULL, "\t", &save)))
			command[n].argv[k++] = word;
		n++;
	}
	free(line);
	for (int round = 1; round <= rounds; round++) {
		for (int i = 0; i < n; i++) {
			if (!strchr(command[i].label, '!'))
				time_one(&command[i], input, round);
			else if (round == 1)
				watch_memory(&command[i], input);
		}
	}
	return 0;
}
