/* selfsample.c -- what samples of perf_event_open show of the program, and where they are taken:
 * the program knows.
 *
 * selfsample TEST [NUMBER]: exit status 0 when it is so; else 1 and a line per difference. Built
 * for 64 and for 32 bits, with frame pointers.
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
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "check.h"

#define RING_BYTES  (32u * 4096u)
#define STACK_BYTES 256u

static struct perf_event_mmap_page *page;
static int fd;

static struct perf_event_attr attr_of(uint64_t config)
{
	struct perf_event_attr a = {
	    .type = PERF_TYPE_HARDWARE, .size = sizeof(a), .config = config};

	a.exclude_kernel = a.exclude_hv = 1;
	a.disabled = 1;
	return a;
}

static void open_event(struct perf_event_attr *a)
{
	fd = (int)syscall(SYS_perf_event_open, a, 0, -1, -1, 0ul);
	page = fd < 0 ? MAP_FAILED
		      : mmap(NULL, 4096 + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		printf("open and mmap: %s\n", strerror(errno));
		exit(1);
	}
}

/* The next record's words, or NULL; the record is the reader's then. */
static const uint64_t *next_record(struct perf_event_header *head)
{
	static uint8_t copy[65536];
	const uint8_t *data = (const uint8_t *)page + page->data_offset;

	if (page->data_tail == page->data_head)
		return NULL;
	for (unsigned i = 0; i < sizeof(*head); i++)
		((uint8_t *)head)[i] = data[(page->data_tail + i) % RING_BYTES];
	for (unsigned i = sizeof(*head); i < head->size; i++)
		copy[i - sizeof(*head)] = data[(page->data_tail + i) % RING_BYTES];
	page->data_tail += head->size;
	return (const uint64_t *)(const void *)copy;
}

/* ---- callers, registers, stack --------------------------------------------------------------- */

/* A loop of four instructions, n times, in a frame of its own; a number is in a register and on top
 * of the stack meanwhile. */
#define MARK 0x5a5a1234u
#if __SIZEOF_POINTER__ == 8
#define REG(x) "%r" #x
#define TAKE   "mov %edi, %ecx\n\t"
#else
#define REG(x) "%e" #x
#define TAKE   "mov 8(%ebp), %ecx\n\t"
#endif
void innermost(unsigned n);
extern const char loop_first[], loop_last[];
__asm__(
    ".text\n.globl innermost, loop_first, loop_last\n"
    "innermost:\n\tpush " REG(bp) "\n\tmov " REG(sp) ", " REG(bp) "\n\tpush " REG(
	bx) "\n\t"
	    "mov $0x5a5a1234, %ebx\n\tpush " REG(
		bx) "\n\t" TAKE
		    "loop_first:\n\tadd $1, %eax\n\tadd $2, %eax\n\tdec %ecx\n\tjnz loop_first\n"
		    "loop_last:\n\tpop " REG(bx) "\n\tpop " REG(bx) "\n\tpop " REG(bp) "\n\tret\n");

static __attribute__((noinline, noclone)) void middle(unsigned n)
{
	innermost(n);
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noinline, noclone)) void outer(unsigned n)
{
	middle(n);
	__asm__ volatile("" : : : "memory");
}

static int is_inside(uint64_t ip, const void *function)
{
	return ip >= (uintptr_t)function && ip < (uintptr_t)function + 64;
}

/* One sample in the loop: words of a record with CALLCHAIN, REGS_USER and STACK_USER. */
static void check_sample(const uint64_t *w)
{
	const unsigned wide = sizeof(void *) == 8;
	const uint64_t ip = w[0], n = w[1], *chain = w + 2, *regs = chain + n;
	uint64_t word = 0, size, valid;

	CHECK(n >= 5 && chain[0] == PERF_CONTEXT_USER && chain[1] == ip, "%llu callers",
	      (unsigned long long)n);
	CHECK(is_inside(chain[2], middle), "caller %llx", (unsigned long long)chain[2]);
	CHECK(is_inside(chain[3], outer), "caller's caller %llx", (unsigned long long)chain[3]);
	CHECK(regs[0] == (wide ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_32), "abi %llu",
	      (unsigned long long)regs[0]);
	/* bx, sp, ip of the list */
	CHECK((uint32_t)regs[1] == MARK, "bx %llx", (unsigned long long)regs[1]);
	CHECK(regs[3] == ip, "ip %llx, sampled %llx", (unsigned long long)regs[3],
	      (unsigned long long)ip);
	size = regs[4];
	CHECK(size == STACK_BYTES, "stack of %llu bytes", (unsigned long long)size);
	memcpy(&word, &regs[5], sizeof(void *));
	valid = regs[5 + size / 8];
	CHECK((uint32_t)word == MARK && valid == STACK_BYTES, "top of stack %llx of %llu",
	      (unsigned long long)word, (unsigned long long)valid);
	CHECK(regs[2] && regs[2] % sizeof(void *) == 0, "sp %llx", (unsigned long long)regs[2]);
}

/* Which of the loop's instructions. */
static unsigned place(uint64_t ip)
{
	const unsigned at = (unsigned)(ip - (uintptr_t)loop_first);

	return at == 0 ? 0 : at == 3 ? 1 : at == 6 ? 2 : at <= 8 ? 3 : 4;
}

#define PERIOD 997u
#define TURNS  20000u

static void callers(void)
{
	struct perf_event_attr a = attr_of(PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_event_header head;
	const uint64_t *w;
	unsigned n = 0, inside = 0;
	uint64_t last = 0;

	a.sample_period = PERIOD;
	a.sample_type =
	    PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	a.sample_regs_user = 1u << 1 | 1u << 7 | 1u << 8;
	a.sample_stack_user = STACK_BYTES;
	open_event(&a);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	outer(TURNS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while ((w = next_record(&head)) != NULL) {
		if (head.type != PERF_RECORD_SAMPLE)
			continue;
		n++;
		if (w[0] < (uintptr_t)loop_first || w[0] >= (uintptr_t)loop_last)
			continue;
		inside++;
		check_sample(w);
		if (last) /* 997 instructions on are one instruction on in a loop of four */
			CHECK(place(w[0]) == (place(last) + 1) % 4,
			      "a sample at +%u, the last at +%u",
			      (unsigned)(w[0] - (uintptr_t)loop_first),
			      (unsigned)(last - (uintptr_t)loop_first));
		last = w[0];
	}
	CHECK(n == 4u * TURNS / PERIOD && inside + 1 >= n, "%u samples, %u in the loop", n, inside);
}

/* ---- time of the user page ------------------------------------------------------------------- */

static uint64_t stamp(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* Time that the event was enabled, as linux/perf_event.h has it read; *quick: without asking the
 * kernel. */
static uint64_t enabled(int *quick)
{
	volatile struct perf_event_mmap_page *p = page;
	uint64_t ns, ticks, quot, rem;
	uint32_t seq;

	do {
		seq = p->lock;
		__asm__ volatile("" : : : "memory");
		ns = p->time_enabled;
		*quick = p->cap_user_time;
		if (*quick) {
			ticks = stamp();
			quot = ticks >> p->time_shift;
			rem = ticks & (((uint64_t)1 << p->time_shift) - 1);
			ns += p->time_offset + quot * p->time_mult +
			      ((rem * p->time_mult) >> p->time_shift);
		}
		__asm__ volatile("" : : : "memory");
	} while (p->lock != seq);
	return ns;
}

static uint64_t enabled_by_read(void)
{
	uint64_t v[2] = {0, 0};

	CHECK(read(fd, v, sizeof(v)) == sizeof(v), "read: %s", strerror(errno));
	return v[1];
}

/* user_time 0: there is no such time. Else both ways show the same, but for what the ways take. */
static void user_time(int is_there)
{
	struct perf_event_attr a = attr_of(PERF_COUNT_HW_INSTRUCTIONS);
	const struct timespec rest = {0, 3000000};
	int quick;

	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	open_event(&a);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 5; i++) {
		const uint64_t before = enabled_by_read(), inner = enabled(&quick),
			       after = enabled_by_read();

		CHECK(quick == is_there, "cap_user_time %d", quick);
		CHECK(!quick ||
			  (before <= inner + 8 && inner <= after + 8 && after - before < 1000000),
		      "%llu %llu %llu", (unsigned long long)before, (unsigned long long)inner,
		      (unsigned long long)after);
		outer(100000);
		if (i == 2)
			nanosleep(&rest, NULL);
	}
}

/* ---- the interrupt's way --------------------------------------------------------------------- */

/* A chain of multiplications, each four clocks behind the last: so the instruction that is next
 * when an interrupt comes so many clocks after another one says how many clocks those were. */
#define CHAIN	    40u
#define CHAIN_CLK   4u
#define CHAIN_BYTES 3u
extern const char chain_first[], chain_last[];

static __attribute__((noinline, noclone)) void chain(unsigned n)
{
	__asm__ volatile("chain_first:\n\t.rept 40\n\timul %%eax, %%eax\n\t.endr\n\tdec %0\n\tjnz "
			 "chain_first\nchain_last:"
			 : "+c"(n)
			 :
			 : "eax", "cc");
}

#define SKID_PERIOD (42u * 25u + 1u) /* each overflow is one instruction on in the loop of 42 */
#define LOOP	    42u
#define COLD	    3u /* overflows before everything is in the caches */

/* Where a program is interrupted `clk` clocks after instruction `at` of the loop has overflowed: at
 * the first boundary behind which nothing retires earlier. DEC retires with the last
 * multiplication, JNZ, a branch that is taken, one clock later. */
static unsigned interrupted_at(unsigned at, unsigned clk)
{
	const unsigned last = at < CHAIN ? at : CHAIN - 1,
		       later = (clk + (at > CHAIN) + CHAIN_CLK - 1) / CHAIN_CLK;

	return clk ? (last + later) % CHAIN + 1 : at < CHAIN ? at : CHAIN;
}

static void skid(unsigned clk)
{
	struct perf_event_attr a = attr_of(PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_event_header head;
	const uint64_t *w;
	unsigned n = 0, best = 0, place[256];

	a.sample_period = SKID_PERIOD;
	a.sample_type = PERF_SAMPLE_IP;
	open_event(&a);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	chain(4000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while ((w = next_record(&head)) != NULL)
		if (head.type == PERF_RECORD_SAMPLE && n < 256 && w[0] >= (uintptr_t)chain_first &&
		    w[0] < (uintptr_t)chain_last)
			place[n++] = (unsigned)((w[0] - (uintptr_t)chain_first) / CHAIN_BYTES);
	CHECK(n >= 4000 * LOOP / SKID_PERIOD - 1, "%u samples", n);
	/* Which instruction overflowed first depends on what stands before the loop; all others
	 * follow from it. */
	for (unsigned first = 0; first < LOOP; first++) {
		unsigned good = 0;

		for (unsigned i = COLD; i < n; i++)
			good += place[i] == interrupted_at((first + i) % LOOP, clk);
		best = good > best ? good : best;
	}
	CHECK(best + COLD == n, "%u of %u samples are where %u clocks put them", best, n - COLD,
	      clk);
}

int main(int argc, char **argv)
{
	const int number = argc > 2 ? atoi(argv[2]) : 0;

	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "callers"))
		callers();
	else if (!strcmp(argv[1], "user_time"))
		user_time(number);
	else if (!strcmp(argv[1], "skid"))
		skid((unsigned)number);
	else
		return 2;
	return n_wrong != 0;
}
