/* sigtrapped.c -- events with sigtrap: a SIGTRAP to the thread that overflowed, at once, with what
 * the event was opened with.
 *
 * sigtrapped errors | faults | periods | blocked | ignored | ends | refreshed | threads | attached
 * | executed: by page faults, natively as well. sigtrapped load|jump CONFIG PERIOD: a raw event of
 * this processor; each signal behind the instruction that brought the overflow. Ends with 0, or
 * says what was wrong; 3: there are no such events.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE	       4096ul
#define MOST	       1000u
#define DATA	       0x123456789abcdef0ull
#define TRAP_PERF_CODE 6

#if __SIZEOF_POINTER__ == 8
#define IP	REG_RIP
#define AT_ADDR 16 /* in siginfo_t */
#else
#define IP	REG_EIP
#define AT_ADDR 12
#endif

static int n_wrong;

static void is(const char *what, unsigned number, uint64_t got, uint64_t want)
{
	if (got == want)
		return;
	n_wrong++;
	printf("%s %u: %llx, not %llx\n", what, number, (unsigned long long)got,
	       (unsigned long long)want);
}

/* ---- what a signal says ---------------------------------------------------------------------- */

struct seen {
	int code, tid;
	uintptr_t addr, data, ip;
	uint32_t type, flags;
};

static struct seen seen[MOST];
static volatile unsigned n_seen;

static void on_trap(int sig, siginfo_t *info, void *context)
{
	struct seen *s = &seen[n_seen];
	const char *at = (const char *)info + AT_ADDR;

	if (n_seen == MOST)
		return;
	s->code = info->si_code;
	s->tid = (int)syscall(SYS_gettid);
	s->ip = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[IP];
	memcpy(&s->addr, at, sizeof(s->addr));
	memcpy(&s->data, at + sizeof(s->addr), sizeof(s->data));
	memcpy(&s->type, at + 2 * sizeof(s->addr), 4);
	memcpy(&s->flags, at + 2 * sizeof(s->addr) + 4, 4);
	n_seen++;
}

static void is_seen(const char *what, unsigned i, uint32_t type, uintptr_t addr, uint32_t flags)
{
	is(what, i, (uint64_t)seen[i].code, TRAP_PERF_CODE);
	is("its address", i, seen[i].addr, addr);
	is("its data", i, seen[i].data, (uintptr_t)DATA);
	is("its type", i, seen[i].type, type);
	is("its flags", i, seen[i].flags, flags);
}

/* ---- events ---------------------------------------------------------------------------------- */

static struct perf_event_attr attr_of(uint32_t type, uint64_t config, uint64_t period)
{
	return (struct perf_event_attr){.type = type,
					.size = sizeof(struct perf_event_attr),
					.config = config,
					.sample_period = period,
					.disabled = 1,
					.exclude_kernel = 1,
					.remove_on_exec = 1,
					.sigtrap = 1,
					.sig_data = DATA};
}

static int event_of(struct perf_event_attr *a, pid_t pid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, a, pid, cpu, -1, 0);
}

static int faults_event(uint64_t period, int inherit)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, period);
	int fd;

	a.inherit = inherit;
	fd = event_of(&a, 0, -1);
	if (fd < 0) {
		printf("no event: %s\n", strerror(errno));
		exit(3);
	}
	return fd;
}

static void handle(void (*how)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_sigaction = how, .sa_flags = SA_SIGINFO};

	sigaction(SIGTRAP, &action, NULL);
}

static uint64_t value(int fd)
{
	uint64_t n = ~0ull;

	if (read(fd, &n, sizeof(n)) != sizeof(n))
		n_wrong++;
	return n;
}

/* ---- pages ----------------------------------------------------------------------------------- */

extern char at_touch[];

/* Write to n pages from p on; nothing else faults. */
static __attribute__((noinline)) void touch(char *p, long n)
{
	__asm__ volatile(
	    "1:\n.globl at_touch\nat_touch:\n\tmovb $1, (%0)\n\tadd $4096, %0\n\tdec %1\n\tjnz 1b"
	    : "+r"(p), "+r"(n)
	    :
	    : "cc", "memory");
}

static char *pages(void)
{
	return mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* All that the test itself touches is there. */
static void warm(void)
{
	char *p = pages();

	memset(seen, 0, sizeof(seen));
	handle(on_trap);
	raise(SIGTRAP);
	touch(p, 1);
	n_seen = 0;
}

static void faults(void)
{
	const int fd = faults_event(1, 0);
	char *p = pages();

	warm();
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(p, 5);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	is("signals", 0, n_seen, 5);
	is("counted", 0, value(fd), 5);
	for (unsigned i = 0; i < n_seen; i++) {
		is_seen("code", i, PERF_TYPE_SOFTWARE, (uintptr_t)(p + i * PAGE), 0);
		is("ip", i, seen[i].ip, (uintptr_t)at_touch);
		is("thread", i, (uint64_t)seen[i].tid, (uint64_t)getpid());
	}
}

static void periods(void)
{
	const int fd = faults_event(3, 0);
	char *p = pages();

	warm();
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(p, 11);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	is("signals", 0, n_seen, 3);
	for (unsigned i = 0; i < n_seen; i++)
		is_seen("code", i, PERF_TYPE_SOFTWARE, (uintptr_t)(p + (3 * i + 2) * PAGE), 0);
}

static void block(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	sigprocmask(how, &set, NULL);
}

/* Of several while it is blocked one waits, the first, and says that it does not come at once. */
static void blocked(void)
{
	const int fd = faults_event(1, 0);
	char *p = pages();
	sigset_t waits;

	warm();
	block(SIG_BLOCK);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(p, 3);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	sigpending(&waits);
	is("waits", 0, (uint64_t)sigismember(&waits, SIGTRAP), 1);
	is("signals while they are blocked", 0, n_seen, 0);
	block(SIG_UNBLOCK);
	is("signals", 0, n_seen, 1);
	is_seen("code", 0, PERF_TYPE_SOFTWARE, (uintptr_t)p, 1);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(p + 3 * PAGE, 1);
	is("signals later", 0, n_seen, 2);
	is_seen("code", 1, PERF_TYPE_SOFTWARE, (uintptr_t)(p + 3 * PAGE), 0);
}

static void ignored(void)
{
	const int fd = faults_event(1, 0);
	char *p = pages();

	warm();
	signal(SIGTRAP, SIG_IGN);
	value(fd); /* all that it needs is there, too */
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(p, 3);
	is("counted", 0, value(fd), 3);
	handle(on_trap);
	touch(p + 3 * PAGE, 1);
	is("signals", 0, n_seen, 1);
}

/* Without a handler it ends the process. */
static void ends(void)
{
	int status;
	pid_t child = fork();

	if (!child) {
		const int fd = faults_event(1, 0);
		char *p = pages();

		signal(SIGTRAP, SIG_DFL);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		touch(p, 1);
		_exit(7);
	}
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
		exit(3);
	is("status", 0, (uint64_t)(status & 0x7f), SIGTRAP);
}

static void refreshed(void)
{
	const int fd = faults_event(1, 0);
	char *p = pages();

	warm();
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 2);
	touch(p, 5);
	is("signals", 0, n_seen, 2);
	is("counted", 0, value(fd), 2);
}

static char *shared;
static int shared_fd;

/* Stack for the handler is there. */
static __attribute__((noinline)) void use_stack(void)
{
	volatile char stack[8 * PAGE];

	for (unsigned i = 0; i < sizeof(stack); i += PAGE)
		stack[i] = 1;
}

static void *other(void *arg)
{
	use_stack();
	ioctl(shared_fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(shared, 2);
	ioctl(shared_fd, PERF_EVENT_IOC_DISABLE, 0);
	return NULL;
}

/* An inherited event signals the thread that overflowed, with the same data. */
static void threads(void)
{
	pthread_t t;

	shared_fd = faults_event(1, 1);
	shared = pages();
	warm();
	for (unsigned turn = 0; turn < 2; turn++, shared += 8 * PAGE) {
		n_seen = 0;
		pthread_create(&t, NULL, other, NULL);
		pthread_join(t, NULL);
		is("signals to the other", turn, n_seen, 2);
		for (unsigned i = 0; i < n_seen; i++) {
			is_seen("code", i, PERF_TYPE_SOFTWARE, (uintptr_t)shared + i * PAGE, 0);
			is("to itself", i, seen[i].tid == getpid(), 0);
		}
	}
	n_seen = 0;
	ioctl(shared_fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(shared, 3);
	ioctl(shared_fd, PERF_EVENT_IOC_DISABLE, 0);
	is("own signals", 0, n_seen, 3);
	is("to the first thread", 0, (uint64_t)seen[0].tid, (uint64_t)getpid());
	is("counted", 0, value(shared_fd), 7);
}

/* An event that another process has opened and starts: the signal is for the process that is
 * counted. */
static void attached(void)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1);
	int go[2], ready[2], status, fd;
	char *p = pages(), byte;
	pid_t child;

	if (pipe(go) || pipe(ready))
		exit(4);
	child = fork();
	if (!child) {
		warm();
		if (write(ready[1], "", 1) != 1 || read(go[0], &byte, 1) != 1)
			_exit(4);
		warm(); /* as its parent left it, pages of files are not there */
		touch(p, 2);
		is("signals", 0, n_seen, 2);
		is_seen("code", 0, PERF_TYPE_SOFTWARE, (uintptr_t)p, 0);
		is_seen("code", 1, PERF_TYPE_SOFTWARE, (uintptr_t)(p + PAGE), 0);
		is("to itself", 0, (uint64_t)seen[1].tid, (uint64_t)getpid());
		fflush(stdout);
		_exit(n_wrong != 0);
	}
	handle(on_trap);
	n_seen = 0;
	fd = read(ready[0], &byte, 1) == 1 ? event_of(&a, child, -1) : -1;
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) || write(go[1], "", 1) != 1)
		exit(3);
	waitpid(child, &status, 0);
	is("status of the child", 0, (uint64_t)status, 0);
	is("own signals", 0, n_seen, 0);
}

/* Behind exec there is none of it. */
static void executed(char *self)
{
	const int fd = faults_event(1, 0);

	signal(SIGTRAP, SIG_IGN);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	execl(self, self, "behind", (char *)NULL);
	exit(9);
}

static void behind(void)
{
	warm();
	touch(pages(), 4);
	is("signals behind exec", 0, n_seen, 0);
}

static void errors(void)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1);
	int fd = event_of(&a, 0, -1);

	if (fd < 0)
		exit(3);
	is("with an action at exec", 0, (uint64_t)fd >= 0, 1);
	a.remove_on_exec = 0;
	is("without remove_on_exec", 0, (uint64_t)(event_of(&a, 0, -1) < 0 ? errno : 0), EINVAL);
	a.remove_on_exec = 1;
	a.enable_on_exec = 1;
	is("with enable_on_exec", 0, (uint64_t)(event_of(&a, 0, -1) < 0 ? errno : 0), EINVAL);
	a.enable_on_exec = 0;
	is("of a processor", 0, (uint64_t)(event_of(&a, -1, 0) < 0 ? errno : 0), EINVAL);
	a.sample_period = 0;
	is("without a period", 0, (uint64_t)(event_of(&a, 0, -1) < 0 ? errno : 0), 0);
	a.sigtrap = 0;
	is("data alone", 0, (uint64_t)(event_of(&a, 0, -1) < 0 ? errno : 0), 0);
}

/* ---- the processor's events ------------------------------------------------------------------ */

extern char turn[], behind_load[];

/* Each turn loads from another line, and jumps. */
static __attribute__((noinline)) void work(const char *p, long turns)
{
	__asm__ volatile(".globl turn, behind_load\nturn:\n\tnop\n\tnop\n\tmovzbl (%0), "
			 "%%eax\nbehind_load:\n\tnop\n\timul %%eax, %%eax\n\t"
			 "nop\n\tadd $64, %0\n\tdec %1\n\tjnz turn"
			 : "+r"(p), "+r"(turns)
			 :
			 : "eax", "cc", "memory");
}

static void processor(const char *where, uint64_t config, uint64_t period)
{
	static char lines[4000 * 64];
	struct perf_event_attr a = attr_of(PERF_TYPE_RAW, config, period);
	const int fd = event_of(&a, 0, -1);
	const uintptr_t want = !strcmp(where, "load") ? (uintptr_t)behind_load : (uintptr_t)turn;

	if (fd < 0)
		exit(3);
	memset(lines, 1, sizeof(lines));
	warm();
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work(lines, 4000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	is("signals", 0, n_seen, value(fd) / period);
	is("three of them", 0, n_seen >= 3, 1);
	for (unsigned i = 0; i < n_seen; i++) {
		is_seen("code", i, PERF_TYPE_RAW, 0, 0);
		is("bytes from the turn's begin", i, seen[i].ip - (uintptr_t)turn,
		   want - (uintptr_t)turn);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} test[] = {{"errors", errors},	      {"faults", faults},   {"periods", periods},
		    {"blocked", blocked},     {"ignored", ignored}, {"ends", ends},
		    {"refreshed", refreshed}, {"threads", threads}, {"attached", attached},
		    {"behind", behind}};
	const char *name = argc > 1 ? argv[1] : "";

	for (unsigned i = 0; i < sizeof(test) / sizeof(test[0]); i++)
		if (!strcmp(name, test[i].name))
			test[i].run();
	if (!strcmp(name, "executed"))
		executed(argv[0]);
	if (argc > 3)
		processor(name, strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0));
	return n_wrong != 0;
}
