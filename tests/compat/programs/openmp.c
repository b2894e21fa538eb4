#include <omp.h>
#include <stdio.h>
#define N 160
static double a[N][N], b[N][N], c[N][N];
int main(void)
{
	double sum = 0;
	int threads = 0;

#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = i * 0.5 + j;
			b[i][j] = i - j * 0.25;
		}
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			for (int j = 0; j < N; j++)
				c[i][j] += a[i][k] * b[k][j];
#pragma omp parallel reduction(+ : threads)
	threads += 1;
	for (int i = 0; i < N; i++)
		sum += c[i][(i * 7) % N];
	printf("%.3f %d\n", sum, threads);
	return 0;
}
