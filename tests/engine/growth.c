/* growth.c -- growth WAY N FILE does something N times and then writes to FILE how much memory its
 * parent has, in KiB: under softpmu that is softpmu. Pages of files do not take part: how many of
 * them are mapped is the kernel's choice.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static char *self;

static void forks(void)
{
	const pid_t c = fork();

	if (!c)
		_exit(3);
	waitpid(c, NULL, 0);
}

static void execs(void)
{
	char *argv[] = {self, "nothing", NULL}, *env[] = {NULL};
	pid_t c;

	if (posix_spawn(&c, self, NULL, NULL, argv, env))
		_exit(1);
	waitpid(c, NULL, 0);
}

static void *thread(void *arg)
{
	return arg;
}

static void threads(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, thread, NULL))
			_exit(1);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void libraries(void)
{
	void *m = dlopen("libm.so.6", RTLD_NOW), *u = dlopen("libutil.so.1", RTLD_NOW),
	     *r = dlopen("libresolv.so.2", RTLD_NOW);
	double (*f)(double) = m ? (double (*)(double))dlsym(m, "cbrt") : NULL;

	if (!f || f(27) < 2.9)
		_exit(1);
	dlclose(m);
	if (u)
		dlclose(u);
	if (r)
		dlclose(r);
}

/* Fresh code on fresh pages, somewhere else each time. */
static void code(void)
{
	static unsigned n;
	const size_t bytes = 4096 * (1 + n % 5);
	unsigned char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	n++;
	if (p == MAP_FAILED)
		_exit(1);
	for (size_t at = 0; at + 16 <= bytes;
	     at += 16) { /* mov eax, n; jmp to the next; at last ret */
		p[at] = 0xb8;
		memcpy(p + at + 1, &n, 4);
		p[at + 5] = at + 32 <= bytes ? 0xeb : 0xc3;
		p[at + 6] = 9;
	}
	if (((unsigned (*)(void))p)() != n)
		_exit(1);
	munmap(p, bytes);
}

/* The same page written again and again. */
static void rewrites(void)
{
	static unsigned char *p;
	static unsigned n;

	if (!p)
		p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	n++;
	p[0] = 0xb8;
	memcpy(p + 1, &n, 4);
	p[5] = 0xc3;
	if (((unsigned (*)(void))p)() != n)
		_exit(1);
}

static volatile int n_signals;

static void handler(int sig)
{
	n_signals++;
}

static void signals(void)
{
	signal(SIGUSR1, handler);
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
}

static void descriptors(void)
{
	struct epoll_event e = {.events = EPOLLIN};
	int p = epoll_create1(0), v = eventfd(1, 0), f = open("/dev/null", O_RDWR),
	    m = memfd_create("m", 0), d[2];

	if (epoll_ctl(p, EPOLL_CTL_ADD, v, &e) || epoll_wait(p, &e, 1, -1) != 1 || pipe(d) ||
	    ftruncate(m, 8192))
		_exit(1);
	munmap(mmap(NULL, 8192, PROT_READ, MAP_SHARED, m, 0), 8192);
	for (int i = 0; i < 6; i++)
		close(i == 0 ? p : i == 1 ? v : i == 2 ? f : i == 3 ? m : d[i - 4]);
}

static void sockets(void)
{
	char text[100] = "";
	int s[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, s) || write(s[0], text, 100) != 100 ||
	    read(s[1], text, 100) != 100)
		_exit(1);
	close(s[0]);
	close(s[1]);
}

static void memory(void)
{
	char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 1 << 20; i += 4096)
		p[i] = 1;
	mprotect(p, 4096, PROT_READ);
	munmap(p, 1 << 20);
}

/* A block that hardly ever begins in a state of the pipeline in which it began before: which of its
 * references miss, L1 or L2 too, is drawn by lot. */
static void timings(void)
{
	static volatile unsigned table[1 << 18];
	static const unsigned room[] = {255, 255, 255, 255, 255, 4095, 8191, (1 << 18) - 1};
	static unsigned long long x = 1;
	unsigned sum = 0;

	for (int i = 0; i < 1000; i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
#define DRAW(n) sum += table[x >> (n + 3) & room[x >> (40 + n) & 7]];
		DRAW(0)
		DRAW(3)
		DRAW(6) DRAW(9) DRAW(12) DRAW(15) DRAW(18) DRAW(21) table[x >> 30 & 1023] = sum;
	}
}

/* As many blocks in another order each time. */
static volatile unsigned product = 3;
static volatile double ratio = 1.5;

#define MIX(n)                                                                                     \
	static void mix##n(unsigned long long x)                                                   \
	{                                                                                          \
		if (x >> 63)                                                                       \
			product = product * (unsigned)(x >> 32) * (n + 7);                         \
		if (x >> 62 & 1)                                                                   \
			product = (unsigned)(x >> 32) / (product | 1);                             \
		if (x >> 60 & 1)                                                                   \
			product += n;                                                              \
		if (x >> 59 & 1)                                                                   \
			ratio = ratio * 1.25 / (ratio + n + 1);                                    \
	}
#define EIGHT(f, n) f(n##0) f(n##1) f(n##2) f(n##3) f(n##4) f(n##5) f(n##6) f(n##7)
EIGHT(MIX, 1)
EIGHT(MIX, 2)
EIGHT(MIX, 3)
EIGHT(MIX, 4)

static void orders(void)
{
#define NAME(n) mix##n,
	static void (*const mix[])(unsigned long long) = {EIGHT(NAME, 1) EIGHT(NAME, 2)
							      EIGHT(NAME, 3) EIGHT(NAME, 4)};
	static unsigned long long x = 1;

	for (int i = 0; i < 1000; i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		mix[x >> 50 & 31](x);
	}
}

static long status_kib(const char *path)
{
	char line[200];
	long kib, sum = 0;
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "RssAnon: %ld", &kib) == 1 ||
		    sscanf(line, "RssShmem: %ld", &kib) == 1)
			sum += kib;
	if (f)
		fclose(f);
	return sum;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
	    {"forks", forks},	  {"execs", execs},
	    {"threads", threads}, {"libraries", libraries},
	    {"code", code},	  {"rewrites", rewrites},
	    {"signals", signals}, {"descriptors", descriptors},
	    {"sockets", sockets}, {"memory", memory},
	    {"timings", timings}, {"orders", orders},
	};
	char path[64];
	FILE *f;

	self = argv[0];
	if (argc != 4)
		return 0;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (int n = atoi(argv[2]); n > 0 && !strcmp(argv[1], all[i].name); n--)
			all[i].run();
	snprintf(path, sizeof(path), "/proc/%d/status", (int)getppid());
	f = fopen(argv[3], "w");
	if (!f)
		return 1;
	fprintf(f, "%ld\n", status_kib(path));
	fclose(f);
	return 0;
}
