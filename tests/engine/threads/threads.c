/* threads.c -- one small program per way in which threads meet; argv[1] says which. What it prints
 * does not depend on who runs when, so that a native run must print the same. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N 4

static pthread_t thread[128];
static long result[128];

static void start(int n, void *(*work)(void *))
{
	for (long i = 0; i < n; i++) {
		if (pthread_create(&thread[i], NULL, work, (void *)i)) {
			printf("cannot start thread %ld\n", i);
			exit(2);
		}
	}
}

static void join(int n)
{
	for (int i = 0; i < n; i++) {
		void *p;
		int rc = pthread_join(thread[i], &p);

		printf("%d: %s %ld\n", i, rc ? strerror(rc) : "ok", (long)p);
	}
}

/* ---- mutex: a counter that would lose increments without one --------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile long shared;

static void *add(void *p)
{
	for (int i = 0; i < 30000; i++) {
		pthread_mutex_lock(&mutex);
		shared = shared + 1;
		pthread_mutex_unlock(&mutex);
	}
	return (void *)((long)p * 3);
}

static void do_mutex(void)
{
	start(N, add);
	join(N);
	printf("%ld\n", shared);
}

/* ---- atomics: no calls at all ---------------------------------------------------------------- */

static atomic_long total;

static void *add_atomic(void *p)
{
	for (int i = 0; i < 200000; i++)
		atomic_fetch_add(&total, 1);
	return p;
}

static void do_atomic(void)
{
	start(N, add_atomic);
	join(N);
	printf("%ld\n", atomic_load(&total));
}

/* ---- cond: producers and consumers over a queue of four -------------------------------------- */

static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static long queue[4];
static int n_queue;

static void *produce(void *p)
{
	for (long i = 1; i <= 3000; i++) {
		pthread_mutex_lock(&mutex);
		while (n_queue == 4)
			pthread_cond_wait(&empty, &mutex);
		queue[n_queue++] = i;
		pthread_cond_signal(&full);
		pthread_mutex_unlock(&mutex);
	}
	return p;
}

static void *consume(void *p)
{
	for (int i = 0; i < 3000; i++) {
		pthread_mutex_lock(&mutex);
		while (n_queue == 0)
			pthread_cond_wait(&full, &mutex);
		shared += queue[--n_queue];
		pthread_cond_signal(&empty);
		pthread_mutex_unlock(&mutex);
	}
	return p;
}

static void *either(void *p)
{
	return (long)p & 1 ? produce(p) : consume(p);
}

static void do_cond(void)
{
	start(N, either);
	join(N);
	printf("%ld\n", shared);
}

/* ---- barrier: everybody sees what everybody wrote before ------------------------------------- */

static pthread_barrier_t barrier;
static long cell[N];

static void *rounds(void *p)
{
	long me = (long)p, sum = 0;

	for (long r = 0; r < 200; r++) {
		cell[me] = r * (me + 1);
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			shared++;
		for (int i = 0; i < N; i++)
			sum += cell[i];
		pthread_barrier_wait(&barrier);
	}
	return (void *)sum;
}

static void do_barrier(void)
{
	pthread_barrier_init(&barrier, NULL, N);
	start(N, rounds);
	join(N);
	printf("%ld\n", shared);
}

/* ---- rwlock, once, thread-local data --------------------------------------------------------- */

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread long own = 5;
static long one, two;

static void first(void)
{
	shared += 1000;
}

static void *read_or_write(void *p)
{
	for (int i = 0; i < 4000; i++) {
		pthread_once(&once, first);
		if (i % 10 == (long)p) {
			pthread_rwlock_wrlock(&rwlock);
			one++;
			sched_yield();
			two++;
			pthread_rwlock_unlock(&rwlock);
		} else {
			pthread_rwlock_rdlock(&rwlock);
			if (one != two)
				own = -1000000;
			own++;
			pthread_rwlock_unlock(&rwlock);
		}
	}
	return (void *)own;
}

static void do_rwlock(void)
{
	start(N, read_or_write);
	join(N);
	printf("%ld %ld %ld %ld\n", one, two, shared, own);
}

/* ---- semaphores ------------------------------------------------------------------------------ */

static sem_t ping, pong;

static void *hit_back(void *p)
{
	for (int i = 0; i < 500; i++) {
		sem_wait(&ping);
		shared = shared * 3 % 10007;
		sem_post(&pong);
	}
	return p;
}

static void do_sem(void)
{
	sem_init(&ping, 0, 0);
	sem_init(&pong, 0, 0);
	shared = 1;
	start(1, hit_back);
	for (int i = 0; i < 500; i++) {
		shared++;
		sem_post(&ping);
		sem_wait(&pong);
	}
	join(1);
	printf("%ld\n", shared);
}

/* ---- spinning without a call, and with PAUSE ------------------------------------------------- */

static atomic_int flag;

static void *spin(void *p)
{
	while (atomic_load(&flag) != (int)(long)p)
		__builtin_ia32_pause();
	atomic_fetch_add(&flag, 1);
	return p;
}

static void do_spin(void)
{
	start(N, spin);
	join(N);
}

/* ---- yield: nobody may starve ---------------------------------------------------------------- */

static void *yield_until(void *p)
{
	while (atomic_load(&flag) % N != (int)(long)p)
		sched_yield();
	atomic_fetch_add(&flag, 1);
	return p;
}

static void do_yield(void)
{
	start(N, yield_until);
	join(N);
}

/* ---- many threads, one after the other and at once ------------------------------------------- */

static void *square(void *p)
{
	result[(long)p] = (long)p * (long)p;
	return p;
}

static void do_many(void)
{
	for (int round = 0; round < 3; round++) {
		start(100, square);
		for (int i = 0; i < 100; i++)
			pthread_join(thread[i], NULL);
	}
	for (int i = 0; i < 100; i++)
		shared += result[i];
	printf("%ld\n", shared);
}

/* ---- cancellation ---------------------------------------------------------------------------- */

static void cleanup(void *p)
{
	printf("cleanup %s\n", (const char *)p);
}

static void *wait_for_ever(void *p)
{
	pthread_cleanup_push(cleanup, "waiting");
	pthread_mutex_lock(&mutex);
	atomic_store(&flag, 1);
	for (;;)
		pthread_cond_wait(&full, &mutex);
	pthread_cleanup_pop(0);
	return p;
}

static void *compute_for_ever(void *p)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	atomic_store(&flag, 2);
	for (;;)
		shared++;
	return p;
}

static void *sleep_for_ever(void *p)
{
	atomic_store(&flag, 3);
	sleep(1000);
	return p;
}

static void do_cancel(void)
{
	void *(*work[])(void *) = {wait_for_ever, compute_for_ever, sleep_for_ever};
	void *p;
	int rc;

	for (int i = 0; i < 3; i++) {
		pthread_create(&thread[0], NULL, work[i], NULL);
		while (atomic_load(&flag) != i + 1)
			sched_yield();
		rc = pthread_cancel(thread[0]);
		pthread_join(thread[0], &p);
		printf("%d %s\n", rc, p == PTHREAD_CANCELED ? "cancelled" : "ended");
	}
}

/* ---- signals --------------------------------------------------------------------------------- */

static __thread int caught;
static atomic_int n_caught;
static atomic_int is_out; /* who waits in a futex */

static void catch (int sig)
{
	if (!caught)
		atomic_fetch_add(&n_caught, 1);
	caught = sig;
}

static void *wait_for_signal(void *p)
{
	sigset_t set;
	int sig = 0;

	switch ((long)p) {
	case 0: /* computing */
		atomic_fetch_add(&flag, 1);
		while (!*(volatile int *)&caught)
			;
		break;
	case 1: /* in a futex */
		atomic_fetch_add(&flag, 1);
		while (sem_wait(&ping) == -1 && errno == EINTR && !caught)
			;
		atomic_store(&is_out, 1);
		break;
	case 2: /* blocked, taken by sigwait */
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		atomic_fetch_add(&flag, 1);
		sigwait(&set, &sig);
		return (void *)(long)(100 + sig);
	default: /* in the kernel */
		atomic_fetch_add(&flag, 1);
		while (!caught)
			poll(NULL, 0, 50);
	}
	return (void *)(long)caught;
}

static void do_signals(void)
{
	struct sigaction a = {.sa_handler = catch};

	sigaction(SIGUSR1, &a, NULL);
	sem_init(&ping, 0, 0);
	start(4, wait_for_signal);
	while (atomic_load(&flag) != 4)
		sched_yield();
	usleep(20000);
	for (int i = 0; i < 4; i++)
		pthread_kill(thread[i], SIGUSR1);
	for (; !atomic_load(&is_out); usleep(20000)) /* perhaps it did not wait yet */
		pthread_kill(thread[1], SIGUSR1);
	join(4);
	raise(SIGUSR1);
	caught = 0;
	kill(getpid(), SIGUSR1);
	printf("%d %d\n", caught, atomic_load(&n_caught));
}

/* ---- a signal to the process goes to a thread that takes it ---------------------------------- */

static void note_sender(int sig, siginfo_t *info, void *context)
{
	atomic_fetch_add(&n_caught, info->si_code == SI_USER && info->si_pid == getpid() &&
					info->si_uid == getuid());
	sem_post(&pong);
}

static void *take_signals(void *p)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	atomic_fetch_add(&flag, 1);
	while (atomic_load(&n_caught) < 20)
		sem_wait(&ping);
	return p;
}

static void do_kill(void)
{
	struct sigaction a = {.sa_sigaction = note_sender, .sa_flags = SA_SIGINFO};
	sigset_t set;
	int rc = 0;

	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGUSR1, &a, NULL);
	sem_init(&ping, 0, 0);
	sem_init(&pong, 0, 0);
	start(2, take_signals);
	while (atomic_load(&flag) != 2)
		sched_yield();
	for (int i = 0; i < 20; i++) {
		rc |= kill(getpid(), SIGUSR1);
		sem_wait(&pong);
	}
	sem_post(&ping);
	sem_post(&ping);
	join(2);
	printf("%d %d\n", rc, atomic_load(&n_caught));
}

/* ---- a fault in one thread is that thread's -------------------------------------------------- */

#ifdef __i386__
#define REG_RAX REG_EAX
#define AX	"%%eax"
#else
#define AX "%%rax"
#endif
static _Thread_local volatile char *at;
static void repair(int sig, siginfo_t *info, void *context)
{
	static char page[4];

	(void)sig;
	(void)context;
	at = page;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = (long)page;
	(void)info;
}

static void *poke(void *p)
{
	char c;

	__asm__ volatile("xor %%eax, %%eax\n\tmovb $7, (" AX ")\n\tmovb (" AX "), %0"
			 : "=q"(c)
			 :
			 : "eax", "memory");
	return (void *)(long)c;
}

static void do_fault(void)
{
	struct sigaction a = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};

	sigaction(SIGSEGV, &a, NULL);
	start(N, poke);
	join(N);
}

/* ---- timed waits ----------------------------------------------------------------------------- */

static void do_timed(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 20000000;
	if (t.tv_nsec >= 1000000000)
		t.tv_sec++, t.tv_nsec -= 1000000000;
	start(1, square);
	pthread_mutex_lock(&mutex);
	printf("%s\n", strerror(pthread_cond_timedwait(&full, &mutex, &t)));
	pthread_mutex_unlock(&mutex);
	join(1);
	t.tv_sec = 0, t.tv_nsec = 1000000;
	printf("%d\n", nanosleep(&t, NULL));
}

static void *sleep_and_note(void *p)
{
	static const int order[] = {2, 0, 1};

	usleep(150000 * (1 + (unsigned)order[(long)p % 3]));
	pthread_mutex_lock(&mutex);
	queue[n_queue++] = (long)p;
	pthread_mutex_unlock(&mutex);
	return p;
}

/* The shorter sleep ends first, and while somebody computes, sleeps end too. */
static void do_sleep(void)
{
	start(3, sleep_and_note);
	join(3);
	printf("%ld %ld %ld\n", queue[0], queue[1], queue[2]);
	n_queue = 0;
	start(1, sleep_and_note);
	while (*(volatile int *)&n_queue == 0)
		;
	join(1);
}

static void *compute_little(void *p)
{
	for (volatile int i = 0; i < 15000; i++)
		;
	return p;
}

static void *sleep_and_tell(void *p)
{
	usleep(20000);
	atomic_store(&flag, 1);
	return p;
}

/* Threads that end before their turn does take time, too: a sleep ends after a few hundred of them.
 */
static void do_short(void)
{
	int n = 0;

	start(1, sleep_and_tell);
	for (; !atomic_load(&flag); n++) {
		pthread_create(&thread[1], NULL, compute_little, NULL);
		pthread_join(thread[1], NULL);
	}
	join(1);
	puts(n < 1500 ? "few" : "many");
}

/* ---- robust and priority-inheriting mutexes -------------------------------------------------- */

static pthread_mutex_t special;

static void *die_with_it(void *p)
{
	pthread_mutex_lock(&special);
	return p;
}

static void *take_and_add(void *p)
{
	for (int i = 0; i < 2000; i++) {
		pthread_mutex_lock(&special);
		shared = shared + 1;
		if (i % 16 == 0)
			sched_yield();
		pthread_mutex_unlock(&special);
	}
	return p;
}

static void with_protocol(int protocol)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, protocol);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	printf("init: %d\n", pthread_mutex_init(&special, &a));
	start(1, die_with_it);
	join(1);
	printf("%s\n", strerror(pthread_mutex_lock(&special)));
	printf("%s\n", strerror(pthread_mutex_consistent(&special)));
	pthread_mutex_unlock(&special);
	start(N, take_and_add);
	join(N);
	printf("%ld\n", shared);
}

static void do_robust(void)
{
	with_protocol(PTHREAD_PRIO_NONE);
}

static void do_pi(void)
{
	with_protocol(PTHREAD_PRIO_INHERIT);
}

/* ---- futex: which operations take the clock of the day --------------------------------------- */

static void *ask_futex(void *p)
{
	static const int ops[] = {
	    0, 1, 3, 4,	 5,  6,
	    7, 8, 9, 10, 13, 40}; /* FUTEX_WAIT to FUTEX_LOCK_PI2, and one that is none */
	const struct timespec soon = {0, 1000};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		unsigned word = 0;
		long rc = syscall(SYS_futex, &word, ops[i] | 128 | 256, 1, &soon, &word, 1);

		printf("%d by the clock of the day: %s\n", ops[i], rc ? strerror(errno) : "ok");
	}
	return p;
}

static void do_futex(void)
{
	start(1, ask_futex);
	join(1);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void *run_on(void *p)
{
	atomic_fetch_add(&flag, 1);
	if ((long)p & 1)
		sem_wait(&ping);
	for (;;)
		;
	return p;
}

static void do_exit(void)
{
	sem_init(&ping, 0, 0);
	start(N, run_on);
	while (atomic_load(&flag) != N)
		sched_yield();
	puts("main leaves");
	exit(7);
}

static void *finish(void *p)
{
	for (int i = 0; i < 100; i++)
		sched_yield();
	if ((long)p == N - 1) {
		for (int i = 0; i < N - 1; i++)
			pthread_join(thread[i], NULL);
		puts("the last one leaves");
	}
	return p;
}

static void do_leave(void)
{
	start(N, finish);
	pthread_exit(NULL);
}

static void *crash(void *p)
{
	if ((long)p == 2)
		abort();
	sem_wait(&ping);
	return p;
}

static void do_abort(void)
{
	sem_init(&ping, 0, 0);
	start(N, crash);
	sem_wait(&ping);
}

static void *leave_all(void *p)
{
	if ((long)p == 1)
		_exit(9);
	for (;;)
		pause();
	return p;
}

static void do_exit_group(void)
{
	start(N, leave_all);
	for (;;)
		pause();
}

/* ---- a pipe between threads ------------------------------------------------------------------ */

static int fd[2];

static void *write_much(void *p)
{
	static char text[100000];

	memset(text, 'x', sizeof(text));
	for (int i = 0; i < 5; i++)
		if (write(fd[1], text, sizeof(text)) != (long)sizeof(text))
			return NULL;
	close(fd[1]);
	return p;
}

static void do_pipe(void)
{
	char buf[3000];
	long n;

	if (pipe(fd))
		return;
	start(1, write_much);
	while ((n = read(fd[0], buf, sizeof(buf))) > 0)
		shared += n;
	join(1);
	printf("%ld\n", shared);
}

/* ---- descriptors that threads wake each other by --------------------------------------------- */

static void *raise_events(void *p)
{
	uint64_t one = 1;

	for (int i = 0; i < 300; i++) {
		for (volatile int k = 0; k < 500 * (i % 7); k++)
			;
		if (write(fd[0], &one, sizeof(one)) != sizeof(one))
			return NULL;
		sem_wait(&ping);
	}
	return p;
}

static void do_events(void)
{
	struct epoll_event e = {.events = EPOLLIN};
	int set = epoll_create1(0);
	uint64_t n;

	sem_init(&ping, 0, 0);
	fd[0] = eventfd(0, 0);
	epoll_ctl(set, EPOLL_CTL_ADD, fd[0], &e);
	start(1, raise_events);
	for (int i = 0; i < 300; i++) {
		struct pollfd p = {.fd = fd[0], .events = POLLIN};

		if (i % 3 == 0 && epoll_wait(set, &e, 1, -1) != 1)
			puts("epoll_wait");
		if (i % 3 == 1 && poll(&p, 1, 100000) != 1)
			puts("poll");
		if (read(fd[0], &n, sizeof(n)) != sizeof(n))
			puts("read");
		shared += (long)n;
		sem_post(&ping);
	}
	join(1);
	printf("%ld %d\n", shared, epoll_wait(set, &e, 1, 10));
}

/* ---- processes from threads ------------------------------------------------------------------ */

static void *fork_one(void *p)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		/* only this thread is here; it starts others of its own */
		shared = 0;
		pthread_mutex_init(&mutex, NULL);
		start(2, add);
		pthread_join(thread[0], NULL);
		pthread_join(thread[1], NULL);
		_exit((int)(shared / 10000) + (int)(long)p);
	}
	waitpid(pid, &status, 0);
	return (void *)(long)WEXITSTATUS(status);
}

static void do_fork(void)
{
	start(3, fork_one);
	join(3);
}

static void *spawn_one(void *p)
{
	char *words[] = {"sh", "-c", (long)p == 1 ? "exit 5" : "exit 6", NULL};
	int status = -1;
	pid_t pid;

	if (posix_spawnp(&pid, "sh", NULL, NULL, words, environ))
		return NULL;
	waitpid(pid, &status, 0);
	add(p);
	return (void *)(long)WEXITSTATUS(status);
}

static void do_spawn(void)
{
	start(3, spawn_one);
	join(3);
	printf("%ld\n", shared);
}

static pthread_barrier_t
    all_begun; /* while a thread executes something else, none can be started */

static void *exec_one(void *p)
{
	pthread_barrier_wait(&all_begun);
	if ((long)p == 2)
		execlp("echo", "echo", "another program", NULL);
	for (;;)
		pause();
	return p;
}

static void do_exec(void)
{
	pthread_barrier_init(&all_begun, NULL, 5);
	start(4, exec_one);
	pthread_barrier_wait(&all_begun);
	for (;;)
		pause();
}

static void do_detach(void)
{
	pthread_attr_t a;

	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	sem_init(&ping, 0, 0);
	sem_init(&pong, 0, 0);
	pthread_create(&thread[0], &a, hit_back, NULL);
	for (int i = 0; i < 500; i++) {
		sem_post(&ping);
		sem_wait(&pong);
	}
	printf("%ld %d\n", shared, (int)(syscall(SYS_gettid) == getpid()));
}

/* Put the word that the kernel clears at a thread's end where it is already. */
static void *move_word(void *p)
{
	int *at = NULL;

	if (prctl(PR_GET_TID_ADDRESS, &at))
		return p;
	syscall(SYS_set_tid_address, at);
	return (void *)(long)(*at == (int)syscall(SYS_gettid));
}

static void do_word(void)
{
	start(N, move_word);
	join(N);
}

/* One thread has a file written out again and again, the others count meanwhile. */
static int file;
static volatile int is_written;
static volatile long moved;

static void *write_out(void *p)
{
	char byte[100] = {0};

	if (p) {
		while (!is_written)
			shared++;
		return p;
	}
	for (int i = 0; i < 20; i++) {
		long before = shared;

		if (write(file, byte, sizeof(byte)) != sizeof(byte) || fsync(file) ||
		    fdatasync(file))
			return (void *)1;
		moved += shared != before;
	}
	is_written = 1;
	return NULL;
}

static void do_sync(void)
{
	file = fileno(tmpfile());
	start(3, write_out);
	join(3);
}

/* The same; others must have run each time, which only turns by instructions promise. */
static void do_sync_turns(void)
{
	do_sync();
	printf("%ld\n", moved);
}

static pthread_mutex_t closed = PTHREAD_MUTEX_INITIALIZER;

static void *wait_behind(void *p)
{
	pthread_mutex_lock(&closed);
	pthread_mutex_unlock(&closed);
	return NULL;
}

/* The others all wait: nobody goes on meanwhile, and no call waits for anybody. */
static void do_sync_alone(void)
{
	pthread_mutex_lock(&closed);
	start(2, wait_behind);
	file = fileno(tmpfile());
	for (int i = 0; i < 20; i++)
		sched_yield();
	write_out(NULL);
	pthread_mutex_unlock(&closed);
	join(2);
	printf("%ld\n", moved);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
	    {"mutex", do_mutex},
	    {"atomic", do_atomic},
	    {"cond", do_cond},
	    {"barrier", do_barrier},
	    {"rwlock", do_rwlock},
	    {"sem", do_sem},
	    {"spin", do_spin},
	    {"yield", do_yield},
	    {"many", do_many},
	    {"cancel", do_cancel},
	    {"signals", do_signals},
	    {"fault", do_fault},
	    {"timed", do_timed},
	    {"sleep", do_sleep},
	    {"short", do_short},
	    {"kill", do_kill},
	    {"robust", do_robust},
	    {"pi", do_pi},
	    {"futex", do_futex},
	    {"exit", do_exit},
	    {"leave", do_leave},
	    {"abort", do_abort},
	    {"exit_group", do_exit_group},
	    {"pipe", do_pipe},
	    {"events", do_events},
	    {"fork", do_fork},
	    {"spawn", do_spawn},
	    {"exec", do_exec},
	    {"detach", do_detach},
	    {"word", do_word},
	    {"sync", do_sync},
	    {"sync_turns", do_sync_turns},
	    {"sync_alone", do_sync_alone},
	};

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; argc > 1 && i < sizeof(all) / sizeof(*all); i++) {
		if (strcmp(argv[1], all[i].name) == 0) {
			all[i].run();
			return 0;
		}
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		puts(all[i].name);
	return 1;
}
