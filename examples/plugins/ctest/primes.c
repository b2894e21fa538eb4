/* primes.c -- how many primes there are below a number; the tests look at its exit status. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 0;
	char *composite = calloc((size_t)n + 1, 1);
	int primes = 0;

	if (!composite)
		return 1;
	for (int i = 2; i < n; i++) {
		if (composite[i])
			continue;
		primes++;
		for (int j = 2 * i; j < n; j += i)
			composite[j] = 1;
	}
	printf("%d\n", primes);
	free(composite);
	return primes > 0 ? 0 : 1;
}
