/* standalone.c -- drives LLVMFuzzerTestOneInput without libFuzzer.
 *
 *   fuzz_x SECONDS [FILE]...    each file as it is, then mutations of them for SECONDS
 *   fuzz_x 0 FILE               reproduce
 *
 * The generator is seeded with FUZZ_SEED (default 1), so a run can be repeated. A crash leaves the
 * input in ./crash-standalone.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_BYTES 65536
#define MOST_SEEDS 64

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static uint8_t input[MOST_BYTES], *seed_bytes[MOST_SEEDS];
static size_t input_n, seed_n[MOST_SEEDS], n_seeds;
static uint64_t generator;

static uint64_t draw(uint64_t below)
{
	generator ^= generator << 13;
	generator ^= generator >> 7;
	generator ^= generator << 17;
	return below ? generator % below : 0;
}

static void on_crash(int signo)
{
	FILE *f = fopen("crash-standalone", "w");

	if (f) {
		fwrite(input, 1, input_n, f);
		fclose(f);
	}
	fprintf(stderr, "signal %d; the input is in crash-standalone\n", signo);
	signal(signo, SIG_DFL);
	raise(signo);
}

static void add_seed(const char *path)
{
	FILE *f = fopen(path, "r");

	if (!f || n_seeds == MOST_SEEDS)
		return;
	seed_bytes[n_seeds] = malloc(MOST_BYTES);
	seed_n[n_seeds] = fread(seed_bytes[n_seeds], 1, MOST_BYTES, f);
	n_seeds++;
	fclose(f);
}

/* Change, remove, repeat or splice some bytes. */
static void mutate(void)
{
	for (uint64_t k = 1 + draw(8); k; k--) {
		size_t at = draw(input_n + 1), n = 1 + draw(8);

		switch (draw(5)) {
		case 0:
			if (at < input_n)
				input[at] ^= (uint8_t)(1u << draw(8));
			break;
		case 1:
			if (at < input_n)
				input[at] = (uint8_t)draw(256);
			break;
		case 2:
			if (at + n <= input_n) {
				memmove(input + at, input + at + n, input_n - at - n);
				input_n -= n;
			}
			break;
		case 3:
			if (input_n + n <= MOST_BYTES) {
				memmove(input + at + n, input + at, input_n - at);
				for (size_t i = 0; i < n; i++)
					input[at + i] = (uint8_t)(32 + draw(96));
				input_n += n;
			}
			break;
		default:
			if (n_seeds) {
				size_t s = draw(n_seeds), from = draw(seed_n[s] + 1),
				       length = draw(32);

				length = length < seed_n[s] - from ? length : seed_n[s] - from;
				if (at + length <= MOST_BYTES) {
					memcpy(input + at, seed_bytes[s] + from, length);
					input_n = at + length > input_n ? at + length : input_n;
				}
			}
		}
	}
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	const char *text = getenv("FUZZ_SEED");
	time_t end = time(NULL) + (time_t)seconds;
	uint64_t n = 0;

	generator = text ? strtoull(text, NULL, 0) | 1 : 1;
	signal(SIGSEGV, on_crash);
	signal(SIGBUS, on_crash);
	signal(SIGABRT, on_crash);
	signal(SIGFPE, on_crash);
	for (int i = 2; i < argc; i++)
		add_seed(argv[i]);
	for (size_t i = 0; i < n_seeds; i++, n++) {
		memcpy(input, seed_bytes[i], seed_n[i]);
		input_n = seed_n[i];
		LLVMFuzzerTestOneInput(input, input_n);
	}
	for (; seconds > 0 && (n % 256 || time(NULL) < end); n++) {
		size_t s = draw(n_seeds);

		input_n = n_seeds ? seed_n[s] : draw(64);
		if (n_seeds)
			memcpy(input, seed_bytes[s], input_n);
		mutate();
		LLVMFuzzerTestOneInput(input, input_n);
	}
	for (size_t i = 0; i < n_seeds; i++)
		free(seed_bytes[i]);
	printf("%llu inputs\n", (unsigned long long)n);
	return 0;
}
