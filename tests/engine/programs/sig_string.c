/* Signals while long string instructions run: nothing lost, nothing twice, and no hang. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>

#include "check.h"

#define BYTES (64ul << 20)

static volatile sig_atomic_t ticks;

static void tick(int sig)
{
	ticks++;
}

int main(void)
{
	struct sigaction s = {.sa_handler = tick};
	struct itimerval t = {{0, 2000}, {0, 2000}}, stop = {0};
	unsigned char *a = malloc(BYTES), *b = malloc(BYTES);
	void *to = a, *from;
	unsigned long count = BYTES / 8, bad = 0;

	sigemptyset(&s.sa_mask);
	sigaction(SIGALRM, &s, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
	for (int i = 0; i < 8; i++) {
		to = a;
		count = BYTES / 8;
		__asm__ volatile("rep stosq"
				 : "+D"(to), "+c"(count)
				 : "a"(0x0101010101010101ull * (unsigned)i)
				 : "memory");
		CHECK(count == 0 && to == a + BYTES);
		to = b;
		from = a;
		count = BYTES;
		__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
		CHECK(count == 0 && to == b + BYTES && from == a + BYTES);
		for (unsigned long k = 0; k < BYTES; k += 4093)
			bad += b[k] != i;
	}
	setitimer(ITIMER_REAL, &stop, NULL);
	CHECK(bad == 0 && ticks > 0);
	return check_end();
}
