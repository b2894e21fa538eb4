/* faulted.c -- a page fault finds the program in front of the instruction that touched the page:
 * its signal, and what its sample shows.
 *
 * faulted signals | callers. Ends with 0, or says what was wrong. The same natively, where the
 * kernel lets it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE 4096ul
#define RING (16 * PAGE)
#define MOST 256u

#if __SIZEOF_POINTER__ == 8
#define IP   REG_RIP
#define ARGS ""
#define A    "%rdi"
#define B    "%rsi"
#define AX   "%rax"
#define BP   "%rbp"
#define SP   "%rsp"
#define N_IP 8 /* in sample_regs_user */
#else
#define IP   REG_EIP
#define ARGS "mov 8(%ebp), %ecx\n\tmov 12(%ebp), %edx\n\t"
#define A    "%ecx"
#define B    "%edx"
#define AX   "%eax"
#define BP   "%ebp"
#define SP   "%esp"
#define N_IP 8
#endif

/* a: where to write; b: holds an address to write to, and is on a page of its own. In a few blocks,
 * with calls and jumps on both sides. */
void touch(char *a, char **b);
void touch_string(char *a);
extern const char at_write[], at_load[], at_far[], at_both[], at_string[], by_first[], by_second[];
__asm__(
    ".text\n.globl touch, touch_string, at_write, at_load, at_far, at_both, at_string, by_first, "
    "by_second\n"
    "leaf:\n\tpush " BP "\n\tmov " SP ", " BP "\n\tnop\n"
    "at_write:\n\tmovb $1, (" A ")\n\tadd $1, " AX "\n\tpop " BP "\n\tret\n"
    "touch:\n\tpush " BP "\n\tmov " SP ", " BP "\n\t" ARGS "call leaf\nby_first:\n\tadd $4096, " A
    "\n\tcall leaf\nby_second:\n\t"
    "add $8190, " A "\n"
    "at_both:\n\tmovl $1, (" A ")\n" /* two pages: the third and the fourth */
    "at_load:\n\tmov (" B "), " AX "\n\tadd $64, " AX "\n"
    "at_far:\n\tincl (" AX ")\n\tjmp 1f\n"
    "1:\tpop " BP "\n\tret\n"
#if __SIZEOF_POINTER__ == 8
    "touch_string:\n\tmov $20000, %ecx\n\txor %eax, %eax\n\tcld\nat_string:\n\trep stosb\n\tret\n");
#else
    "touch_string:\n\tpush %edi\n\tmov 8(%esp), %edi\n\tmov $20000, %ecx\n\txor %eax, "
    "%eax\n\tcld\nat_string:\n\trep stosb\n\tpop %edi\n\tret\n");
#endif

#define N_TOUCHED 6u

/* Where the faults of touch() lie. */
static uintptr_t touched(unsigned i)
{
	const char *const at[N_TOUCHED] = {at_write, at_write, at_both, at_both, at_load, at_far};

	return (uintptr_t)at[i];
}

static int n_wrong;

static void is(const char *what, unsigned number, uint64_t got, uint64_t want)
{
	if (got == want)
		return;
	n_wrong++;
	printf("%s %u: %llu, not %llu\n", what, number, (unsigned long long)got,
	       (unsigned long long)want);
}

/* Places, by their distance from at_write. */
static void is_at(const char *what, unsigned number, uint64_t got, uint64_t want)
{
	if (got == want)
		return;
	n_wrong++;
	printf("%s %u at %lld, not %lld\n", what, number, (long long)(got - (uintptr_t)at_write),
	       (long long)(want - (uintptr_t)at_write));
}

/* ---- an event and its ring ------------------------------------------------------------------- */

static struct perf_event_mmap_page *ring;

static int event_open(uint64_t period, uint64_t sample)
{
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
				    .size = sizeof(a),
				    .config = PERF_COUNT_SW_PAGE_FAULTS,
				    .sample_period = period,
				    .sample_type = sample,
				    .disabled = 1,
				    .exclude_kernel = 1,
				    .exclude_callchain_kernel = 1,
				    .sample_regs_user =
					sample & PERF_SAMPLE_REGS_USER ? 1u << N_IP : 0};
	const int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);

	ring = fd < 0 ? MAP_FAILED
		      : mmap(NULL, RING + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED) {
		printf("no event: %s\n", strerror(errno));
		exit(3);
	}
	for (unsigned i = 0; i <= RING / PAGE; i++) /* nothing of it faults later */
		((volatile char *)ring)[i * PAGE];
	return fd;
}

/* The words of the samples' bodies, one behind the other. Returns how many samples. */
static unsigned take(uint64_t *word, unsigned each)
{
	const uint8_t *data = (const uint8_t *)ring + PAGE;
	unsigned n = 0;

	while (ring->data_tail < ring->data_head) {
		struct perf_event_header h;

		memcpy(&h, data + ring->data_tail % RING, sizeof(h));
		for (unsigned i = 8;
		     h.type == PERF_RECORD_SAMPLE && n < MOST && i < h.size && i / 8 <= each;
		     i += 8)
			memcpy(&word[n * each + i / 8 - 1], data + (ring->data_tail + i) % RING, 8);
		n += h.type == PERF_RECORD_SAMPLE;
		ring->data_tail += h.size;
	}
	return n;
}

/* What touch() takes: pages that are not there. */
struct fresh {
	char *a, **b;
};

static struct fresh fresh(void)
{
	struct fresh f = {
	    mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	    NULL};

	f.b = (char **)(f.a + 6 * PAGE);
	*f.b = f.a + 8 * PAGE;
	return f;
}

static void let_go(struct fresh *f)
{
	madvise(f->a, 5 * PAGE, MADV_DONTNEED);
	madvise(f->a + 8 * PAGE, 8 * PAGE, MADV_DONTNEED);
}

/* A page for b that is not there, with an address in it: a file's. */
static char **file_page(char *to)
{
	char name[] = "/tmp/faulted.XXXXXX", *p;
	const int fd = mkstemp(name);

	unlink(name);
	if (fd < 0 || pwrite(fd, &to, sizeof(to), 0) != sizeof(to) || ftruncate(fd, PAGE))
		exit(4);
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return (char **)p;
}

/* ---- signals --------------------------------------------------------------------------------- */

static uintptr_t found[MOST];
static volatile unsigned n_found;
static char written[MOST];
static char *volatile looked_at;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	if (n_found < MOST) {
		written[n_found] = *looked_at;
		found[n_found++] = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[IP];
	}
}

static void expect_signals(int fd, uint64_t period)
{
	struct fresh f = fresh();
	unsigned n = 0;

	looked_at = f.a;
	let_go(&f);
	f.b = file_page(f.a + 8 * PAGE);
	n_found = 0;
	ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(f.a, f.b);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	for (unsigned i = (unsigned)period - 1; i < N_TOUCHED; i += (unsigned)period, n++)
		is_at("signal", i, found[n], touched(i));
	is("signals, period", (unsigned)period, n_found, n);
	is("what was written at the first signal, period", (unsigned)period, written[0],
	   period > 1);
}

static void signals(void)
{
	const struct f_owner_ex owner = {F_OWNER_TID, (int)syscall(SYS_gettid)};
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	const int fd = event_open(1, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR);
	char *string =
	    mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static uint64_t word[2 * MOST];
	struct fresh f = fresh();
	unsigned n;

	looked_at = f.a;
	sigaction(SIGRTMIN + 2, &action, NULL);
	raise(SIGRTMIN + 2); /* its code and stack are there; so is what touch() is */
	touch(f.a, f.b);
	touch_string(f.a);
	take(word, 2);
	n_found = 0;
	if (fcntl(fd, F_SETOWN_EX, &owner) || fcntl(fd, F_SETSIG, SIGRTMIN + 2) ||
	    fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC))
		exit(5);
	memset(word, 0, sizeof(word));
	for (uint64_t period = 1; period < 4; period++)
		expect_signals(fd, period);
	ioctl(fd, PERF_EVENT_IOC_PERIOD, &(uint64_t){1});
	take(word, 2);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch_string(string);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	n = take(word, 2);
	is("samples of a string", 0, n, 5);
	for (unsigned i = 0; i < n; i++) {
		is_at("ip of a string's sample", i, word[2 * i], (uintptr_t)at_string);
		is("its address", i, word[2 * i + 1], (uintptr_t)(string + i * PAGE));
	}
}

/* ---- callers --------------------------------------------------------------------------------- */

/* Samples of ip, number of callers, PERF_CONTEXT_USER, ip and return addresses; then of ip, the
 * kind of registers, and the register IP. */
static void callers(void)
{
	const int fd = event_open(1, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN);
	static uint64_t word[8 * MOST];
	struct fresh f = fresh();
	const uintptr_t back[] = {(uintptr_t)by_first, (uintptr_t)by_second};
	int regs;

	touch(f.a, f.b);
	let_go(&f);
	f.b = file_page(f.a + 8 * PAGE);
	take(word, 8);
	memset(word, 0, sizeof(word));
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch(f.a, f.b);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	is("samples", 0, take(word, 8), N_TOUCHED);
	for (unsigned i = 0; i < N_TOUCHED; i++) {
		is_at("ip", i, word[8 * i], touched(i));
		is_at("first of the callers", i, word[8 * i + 3], touched(i));
		if (i < 2)
			is_at("return address", i, word[8 * i + 4], back[i]);
	}
	regs = event_open(1, PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER);
	let_go(&f);
	f.b = file_page(f.a + 8 * PAGE);
	memset(word, 0, sizeof(word));
	take(word, 3);
	ioctl(regs, PERF_EVENT_IOC_ENABLE, 0);
	touch(f.a, f.b);
	ioctl(regs, PERF_EVENT_IOC_DISABLE, 0);
	is("samples with registers", 0, take(word, 3), N_TOUCHED);
	for (unsigned i = 0; i < N_TOUCHED; i++)
		is_at("register IP", i, word[3 * i + 2], touched(i));
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "signals"))
		signals();
	else
		callers();
	return n_wrong != 0;
}
