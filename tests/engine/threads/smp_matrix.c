/* An OpenMP matrix product; the threads also count into one line, each its own word. Prints a
 * checksum. */
#include <omp.h>
#include <stdio.h>

enum { N = 48 };
static double a[N][N], b[N][N], c[N][N];
static volatile long done[8];

int main(void)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++) {
			a[i][k] = i + k;
			b[i][k] = i - k;
		}
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++) {
			for (int n = 0; n < N; n++)
				c[i][k] += a[i][n] * b[n][k];
			done[omp_get_thread_num()]++;
		}
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			sum += c[i][k] * (i + 2 * k);
	printf("%.0f %ld\n", sum, done[0] + done[1]);
	return 0;
}
