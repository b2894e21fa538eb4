/* isa_xsave.c -- 100 times XSAVE of all that XCR0 shows, each to a buffer of its own: lines touched
 * depend on the ISA level. */
#include "bare.h"

static unsigned char area[100][2752] __attribute__((aligned(64)));

int test_main(long argc, char **argv)
{
	for (int i = 0; i < 100; i++)
		__asm__ volatile("xsave %0" : "+m"(*(char(*)[2752])area[i]) : "a"(-1), "d"(-1));
	return 0;
}
