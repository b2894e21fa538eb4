/* exact.c -- the signal of an overflow finds the program behind the instruction that brought it,
 * however much that one counts.
 *
 * exact HOW CONFIG PERIOD TURNS: runs a piece of code of which the blocks cost a clock or some
 * hundreds (a loop of additions, page walks and misses, divisions, CPUID, locked and repeated
 * instructions, wrong guesses) TURNS times under raw event CONFIG, PERIOD and some longer ones.
 * HOW: ring (samples only) or async (and signals). Prints where the first sample of each period
 * lies in it. async: the program first steps itself through the code to see what follows what;
 * status 1 and a line when a signal comes elsewhere than behind the instruction of its sample, or
 * there is no sample, or none of the signals is one of the code.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "mixed.h"

#define RING_BYTES (64u * 4096u)
#define STEPPED	   3u /* it takes long */
#define PERIODS	   3u

#if __SIZEOF_POINTER__ == 8
#define IP REG_RIP
#else
#define IP REG_EIP
#endif

/* ---- what follows what ----------------------------------------------------------------------- */

static uint16_t next_of[CODE_BYTES][2]; /* by distance from code_first, + 1 */
static uintptr_t before;

static uintptr_t place(uintptr_t at)
{
	return at - (uintptr_t)code_first;
}

static void on_step(int sig, siginfo_t *info, void *context)
{
	const uintptr_t at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[IP];

	if (at != before && place(before) < CODE_BYTES) {
		uint16_t *next = next_of[place(before)];
		const uint16_t to = (uint16_t)(place(at) + 1);

		if (!next[0] || next[0] == to)
			next[0] = to;
		else
			next[1] = to;
	}
	before = at;
}

static void step_through(const char *pages)
{
	struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};

	sigaction(SIGTRAP, &action, NULL);
#if __SIZEOF_POINTER__ == 8
	__asm__ volatile(
	    "sub $128, %%rsp\n\tpushfq\n\torl $0x100, (%%rsp)\n\tpopfq\n\tadd $128, %%rsp"
	    :
	    :
	    : "memory", "cc");
	code(pages, STEPPED);
	__asm__ volatile(
	    "sub $128, %%rsp\n\tpushfq\n\tandl $~0x100, (%%rsp)\n\tpopfq\n\tadd $128, %%rsp"
	    :
	    :
	    : "memory", "cc");
#else
	__asm__ volatile("pushfl\n\torl $0x100, (%%esp)\n\tpopfl" : : : "memory", "cc");
	code(pages, STEPPED);
	__asm__ volatile("pushfl\n\tandl $~0x100, (%%esp)\n\tpopfl" : : : "memory", "cc");
#endif
}

/* ---- samples and signals --------------------------------------------------------------------- */

static struct perf_event_mmap_page *page;
static unsigned n_samples, n_signals, n_wrong;
static uintptr_t first, last, wrong_at, wrong_of;

static void read_ring(void)
{
	const uint8_t *data = (const uint8_t *)page + page->data_offset;

	for (; page->data_tail != page->data_head; page->data_tail += 16) { /* header, ip */
		uint64_t ip = 0;

		for (unsigned i = 0; i < 8; i++)
			((uint8_t *)&ip)[i] = data[(page->data_tail + 8 + i) % RING_BYTES];
		last = (uintptr_t)ip;
		if (!n_samples++)
			first = last;
	}
}

static void on_overflow(int sig, siginfo_t *info, void *context)
{
	const uintptr_t at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[IP];
	const uint16_t *next;

	read_ring();
	/* not of the code that was stepped through, or its return, which went elsewhere then */
	if (last < (uintptr_t)code_first || place(last) >= CODE_BYTES ||
	    (last >= (uintptr_t)code_last && last < (uintptr_t)code_sub) ||
	    !next_of[place(last)][0])
		return;
	next = next_of[place(last)];
	n_signals++;
	if (place(at) + 1 != next[0] && place(at) + 1 != next[1]) {
		n_wrong++;
		wrong_at = at;
		wrong_of = last;
	}
}

static int run(const char *how, uint64_t config, uint64_t period, const char *pages, unsigned turns)
{
	const struct f_owner_ex owner = {F_OWNER_TID, (int)syscall(SYS_gettid)};
	struct perf_event_attr a = {
	    .type = PERF_TYPE_RAW, .size = sizeof(a), .sample_type = PERF_SAMPLE_IP};
	const int flags = O_NONBLOCK | O_ASYNC * (*how == 'a');
	bool is_wrong;
	int fd;

	a.config = config;
	a.sample_period = period;
	a.exclude_kernel = a.exclude_hv = a.disabled = 1;
	fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0ul);
	page = fd < 0 ? MAP_FAILED
		      : mmap(NULL, 4096 + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || fcntl(fd, F_SETOWN_EX, &owner) ||
	    fcntl(fd, F_SETSIG, SIGRTMIN + 2) || fcntl(fd, F_SETFL, flags)) {
		printf("open and mmap: %s\n", strerror(errno));
		return 1;
	}
	n_samples = n_signals = n_wrong = 0;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	code(pages, turns);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	read_ring();
	printf("first at %ld\n", n_samples ? (long)place(first) : -1);
	is_wrong = n_wrong || !n_samples || (flags & O_ASYNC && !n_signals);
	if (is_wrong)
		printf("period %llu: %u samples, %u signals of the code, %u not behind the "
		       "instruction: at %ld, sample at %ld\n",
		       (unsigned long long)period, n_samples, n_signals, n_wrong,
		       (long)place(wrong_at), (long)place(wrong_of));
	munmap(page, 4096 + RING_BYTES);
	close(fd);
	return is_wrong;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = on_overflow,
				   .sa_flags = SA_SIGINFO | SA_RESTART};
	const unsigned turns = argc > 4 ? (unsigned)atoi(argv[4]) : 1, n_pages = PAGES_EACH * turns;
	int failed = 0;
	char *pages;

	if (argc < 5)
		return 2;
	pages =
	    mmap(NULL, n_pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return 3;
	for (unsigned i = 0; i < n_pages * 4096; i++)
		pages[i] = (char)(i % 251 == 0);
	step_through(pages);
	sigaction(SIGRTMIN + 2, &action, NULL);
	for (unsigned i = 0; i < PERIODS; i++)
		failed |= run(argv[1], strtoull(argv[2], NULL, 0),
			      strtoull(argv[3], NULL, 0) * (2 + i) / 2, pages, turns);
	return failed;
}
