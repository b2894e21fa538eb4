/* matrix.c -- product of two matrices of doubles, N x N, in the plain order; with OpenMP by several threads. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
	double *a = malloc(n * n * sizeof(*a)), *b = malloc(n * n * sizeof(*b)), *c = calloc(n * n, sizeof(*c));

	if (!a || !b || !c)
		return 1;
	for (size_t i = 0; i < n * n; i++) {
		a[i] = (double)(i % 17) - 8;
		b[i] = (double)(i % 13) - 6;
	}
#pragma omp parallel for
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double sum = 0;

			for (size_t k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			c[i * n + j] = sum;
		}
	printf("%g %g\n", c[0], c[n * n - 1]);
	return 0;
}
