/* hot.c -- two loops, one three times as long as the other: what perf report must find. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) unsigned long one(unsigned long n)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < n; i++) {
		__asm__ volatile("" : "+r"(sum));
		sum += i;
	}
	return sum;
}

static __attribute__((noinline)) unsigned long three(unsigned long n)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < 3 * n; i++) {
		__asm__ volatile("" : "+r"(sum));
		sum += i;
	}
	return sum;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000;

	printf("%lu\n", one(n) + three(n));
	return 0;
}
