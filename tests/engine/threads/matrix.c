/* matrix.c -- a matrix product over OpenMP's threads. */
#include <stdio.h>

#define N 96

static double a[N][N], b[N][N], c[N][N];

int main(void)
{
	double sum = 0;
	int n = 0;

#pragma omp parallel
	{
#pragma omp atomic
		n++;
#pragma omp for
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++)
				a[i][j] = i + j, b[i][j] = i - j;
#pragma omp for
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++)
				for (int k = 0; k < N; k++)
					c[i][j] += a[i][k] * b[k][j];
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++)
				sum += c[i][j] * (i + 1);
	}
	printf("%d threads, %.1f\n", n, sum);
	return 0;
}
