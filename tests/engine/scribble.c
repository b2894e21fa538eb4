/* scribble SEED -- writes random words to random places of the memory that the runtime shares with
 * softpmu, and goes on calling functions and the kernel meanwhile. What softpmu makes of it must be
 * a sentence or counts. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "draw.h"

static const struct {
	uint64_t base, bytes;
} area[] = {
    {0x70000000, 32 << 20}, /* counters */
    /* control: all of it, its first page (indices), its first 64 KiB (questions) */
    {0x6f1000000000, 9 << 20},
    {0x6f1000000000, 4 << 10},
    {0x6f1000000000, 64 << 10},
    {0x6f3000000000, 512 << 10}, /* ring */
};

#define N_AREAS (sizeof(area) / sizeof(area[0]))

static sigjmp_buf back;
static void on_fault(int sig)
{
	siglongjmp(back, sig);
}

static uint64_t value(void)
{
	switch (draw() % 4) {
	case 0: return 0;
	case 1: return draw() % 64;
	case 2: return ~0ull;
	default: return draw();
	}
}

static void scribble(unsigned which)
{
	const uint64_t at = area[which].base + draw() % area[which].bytes;

	if (sigsetjmp(back, 1))
		return;
	switch (draw() % 3) {
	case 0: *(volatile uint64_t *)(at & ~7ull) = value(); break;
	case 1: *(volatile uint32_t *)(at & ~3ull) = (uint32_t)value(); break;
	default: *(volatile uint8_t *)at = (uint8_t)value(); break;
	}
}

int main(int argc, char **argv)
{
	const unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 0, only = seed % (N_AREAS + 1);

	draw_from(seed);
	signal(SIGSEGV, on_fault);
	signal(SIGBUS, on_fault);
	for (int i = 0; i < 3000; i++) {
		scribble(only < N_AREAS ? only : (unsigned)(draw() % N_AREAS));
		if (i % 100 == 0)
			puts("still here"); /* a system call now and then */
		fflush(stdout);
	}
	return 0;
}
