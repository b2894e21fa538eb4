/* papi_hl.c -- a program that measures itself by PAPI's high-level interface: a region of 2 * TURNS
 * instructions. What it counted PAPI writes into a directory when the program ends. */
#include <papi.h>
#include <stdlib.h>

#define TURNS 1000000ul

int main(void)
{
	unsigned long n = TURNS;

	if (PAPI_hl_region_begin("spin") != PAPI_OK)
		return 1;
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
	return PAPI_hl_region_end("spin") != PAPI_OK;
}
