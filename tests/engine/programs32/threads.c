/* Threads of a 32-bit program: mutexes, conditions, a timeout, thread-local variables, an owner
 * that dies. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

#include "../programs/check.h"

#define N 5

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, robust;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int n_done;
static long sum;
static __thread int own = 5;

static void *work(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&mutex);
		sum += i + own++;
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_lock(&mutex);
	n_done++;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *die_holding(void *arg)
{
	return (void *)(long)pthread_mutex_lock(&robust);
}

static void test_timeouts(void)
{
	struct timespec at;
	long narrow[2] = {0, 2000000};
	int word = 7;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += 5000000;
	if (at.tv_nsec >= 1000000000)
		at.tv_sec++, at.tv_nsec -= 1000000000;
	CHECK(pthread_cond_timedwait(&cond, &mutex, &at) == ETIMEDOUT);
	/* the call from before wide times: FUTEX_WAIT, shared and private */
	for (int private = 0; private <= 128; private += 128) {
		CHECK(syscall(SYS_futex, &word, private, 7, narrow, NULL, 0) == -1 &&
		      errno == ETIMEDOUT);
		CHECK(syscall(SYS_futex, &word, private, 8, narrow, NULL, 0) == -1 &&
		      errno == EAGAIN);
	}
}

int main(void)
{
	pthread_t thread[N];
	pthread_mutexattr_t kind;
	void *result;

	for (long i = 0; i < N; i++)
		CHECK(pthread_create(&thread[i], NULL, work, (void *)i) == 0);
	pthread_mutex_lock(&mutex);
	while (n_done < N)
		pthread_cond_wait(&cond, &mutex);
	test_timeouts();
	pthread_mutex_unlock(&mutex);
	for (long i = 0; i < N; i++)
		CHECK(pthread_join(thread[i], &result) == 0 && result == (void *)i);
	CHECK(sum == N * (1000 * 999 + 5000) && own == 5);
	pthread_mutexattr_init(&kind);
	pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &kind);
	CHECK(pthread_create(&thread[0], NULL, die_holding, NULL) == 0 &&
	      pthread_join(thread[0], &result) == 0);
	CHECK(result == NULL && pthread_mutex_lock(&robust) == EOWNERDEAD);
	return check_end();
}
