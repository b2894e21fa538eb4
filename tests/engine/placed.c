/* placed.c -- a program of GB GiB of static data (0: of 1 MiB) that cannot be placed elsewhere:
 * data at both ends, heap, large and small blocks, signals, x87 and SSE with denormals, a fork, and
 * the programs that it is told to execute.
 *
 * Arguments: what to execute at the end, if anything. Ends with status 0 when all is right. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (GB ? (unsigned long)GB << 30 : 1ul << 20)
#define STEP  (BYTES / 61)

static unsigned char data[BYTES];
static volatile int n_signals;

static void on_signal(int sig)
{
	n_signals += sig != 0;
}

static double numbers(void)
{
	volatile long double extended = 1e-4940L;
	volatile float small = 1e-38f;
	double sum = 0;

	for (int i = 1; i < 200; i++) {
		extended *= 0.97L;
		small *= 0.97f;
		sum += 1.0 / i;
	}
	return sum + (double)(extended * 1e4900L) + small * 1e38;
}

int main(int argc, char **argv)
{
	unsigned long sum = 0;
	char *block[64];
	int status;

	for (unsigned long i = 0; i < BYTES; i += STEP)
		data[i] = (unsigned char)(i / STEP + 1);
	data[BYTES - 1] = 77;
	for (int i = 0; i < 64; i++) {
		block[i] = malloc(i % 2 ? 5000 : 4 << 20);
		if (!block[i])
			return 2;
		block[i][4000] = (char)i;
	}
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 20; i++)
		raise(SIGUSR1);
	for (unsigned long i = 0; i < BYTES; i += STEP)
		sum += data[i];
	for (int i = 0; i < 64; i++) {
		sum += (unsigned char)block[i][4000];
		free(block[i]);
	}
	printf("%lu %d %d %.12g\n", sum, n_signals, data[BYTES - 1], numbers());
	fflush(stdout);
	if (fork() == 0) {
		data[BYTES / 2] = 5;
		raise(SIGUSR1);
		printf("child %d %d\n", n_signals, data[BYTES / 2]);
		fflush(stdout);
		_exit(data[BYTES - 1] - 77);
	}
	if (wait(&status) < 0 || status)
		return 3;
	if (argc > 1)
		execv(argv[1], argv + 1);
	return data[BYTES / 2] == 5;
}
