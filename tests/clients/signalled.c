/* signalled.c -- overflows as signals: each must find the program at the instruction behind the one
 * that brought it.
 *
 * signalled WHERE CONFIG PERIOD: load | jump, a raw event of this processor; or far: short blocks
 * with one load each, from a page that was not touched of late. Status 1 and a line when one lies
 * elsewhere.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __x86_64__
#define IP REG_RIP
#else
#define IP REG_EIP
#endif
#define TURNS 4000
#define MOST  1000

#define FAR_PAGES 600

extern char turn[], behind_load[], behind_far[];

static volatile uintptr_t found[MOST];
static volatile unsigned n_found;

static void on_overflow(int sig, siginfo_t *info, void *context)
{
	if (n_found < MOST)
		found[n_found++] = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[IP];
}

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

/* One load per block of four, each from another page, by a stride that no set of the caches and
 * TLBs holds twice. */
static __attribute__((noinline)) void far(const char *p, long turns)
{
	__asm__ volatile(".globl behind_far\n1:\tmovzbl (%0), %%eax\nbehind_far:\tadd $4160, "
			 "%0\n\tdec %1\n\tjnz 1b"
			 : "+r"(p), "+r"(turns)
			 :
			 : "eax", "cc", "memory");
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = on_overflow,
				   .sa_flags = SA_SIGINFO | SA_RESTART};
	struct perf_event_attr a = {
	    .type = PERF_TYPE_RAW, .size = sizeof(a), .exclude_kernel = 1, .disabled = 1};
	struct f_owner_ex owner = {F_OWNER_TID, (int)syscall(SYS_gettid)};
	static char lines[TURNS * 64 > FAR_PAGES * 4160 ? TURNS * 64 : FAR_PAGES * 4160];
	const int is_far = argc > 1 && !strcmp(argv[1], "far");
	const uintptr_t want = is_far				      ? (uintptr_t)behind_far
			       : argc > 1 && !strcmp(argv[1], "load") ? (uintptr_t)behind_load
								      : (uintptr_t)turn;
	unsigned n = 0;
	uint64_t count;
	int fd;

	if (argc < 4)
		return 2;
	a.config = strtoull(argv[2], NULL, 0);
	a.sample_period = strtoull(argv[3], NULL, 0);
	memset(lines, 1, sizeof(lines));
	fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
	sigaction(SIGRTMIN + 2, &action, NULL);
	if (fd < 0 || fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) || fcntl(fd, F_SETOWN_EX, &owner) ||
	    fcntl(fd, F_SETSIG, SIGRTMIN + 2))
		return 3;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	if (is_far)
		far(lines, FAR_PAGES);
	else
		work(lines, TURNS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		return 4;
	for (unsigned i = 0; i < n_found; i++)
		n += found[i] == want;
	if (n_found >= 3 && n_found == count / a.sample_period && n == n_found)
		return 0;
	printf("%u signals of %llu counted, %u where they must be; the first %ld bytes from the "
	       "turn's begin\n",
	       n_found, (unsigned long long)count, n,
	       n_found ? (long)(found[0] - (uintptr_t)turn) : 0);
	return 1;
}
