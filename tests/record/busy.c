/* busy.c -- a program of threads, processes, signals and other programs, for sums. */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int n;
static char room[100000];

static void *work(void *p)
{
	for (int i = 0; i < 1000; i++) {
		n += i;
		room[i * 977 % sizeof(room)]++;
	}
	return p;
}

static void on_signal(int signal)
{
	n += signal;
}

/* The child k touches more than the one before; the last one executes another program. */
static void child(int k)
{
	for (int i = 0; i < 5000 * k; i++)
		room[i * 64 % sizeof(room)]++;
	if (k == 2)
		execl("/bin/true", "true", (char *)NULL);
	_exit(0);
}

int main(void)
{
	char *argv[] = {"true", NULL};
	pthread_t thread[2];
	pid_t pid;

	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < 3; i++) {
		pid = fork();
		if (!pid)
			child(i);
		waitpid(pid, NULL, 0);
	}
	for (int i = 0; i < 5; i++)
		raise(SIGUSR1);
	return posix_spawn(&pid, "/bin/true", NULL, NULL, argv, argv + 1) ||
	       waitpid(pid, NULL, 0) != pid;
}
