#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static long sum;
static int turn;
static void *work(void *arg)
{
	long n = (long)arg;

	for (int i = 0; i < 2000; i++) {
		pthread_mutex_lock(&lock);
		sum += n * i % 7;
		pthread_mutex_unlock(&lock);
	}
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&lock);
	while (turn != n)
		pthread_cond_wait(&cond, &lock);
	printf("thread %ld\n", n);
	turn++;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
	sem_post(&sem);
	return (void *)(n * n);
}
int main(void)
{
	pthread_t t[8];
	void *r;
	long squares = 0;

	pthread_barrier_init(&barrier, NULL, 8);
	sem_init(&sem, 0, 0);
	for (long i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 8; i++)
		sem_wait(&sem);
	for (int i = 0; i < 8; i++) {
		pthread_join(t[i], &r);
		squares += (long)r;
	}
	printf("%ld %ld\n", sum, squares);
	return 0;
}
