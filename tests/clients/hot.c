/* hot.c -- two loops, one three times as long as the other: what perf report must find.
 *
 * hot [N [lines]]: N turns, or for each line of standard input; each time a line is printed. */
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

	do {
		while (argc > 2 && getchar() != '\n')
			if (feof(stdin))
				return 0;
		printf("%lu\n", one(n) + three(n));
		fflush(stdout);
	} while (argc > 2);
	return 0;
}
