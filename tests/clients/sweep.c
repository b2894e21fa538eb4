/* sweep.c -- whatever the period, samples are the count: none is lost, and each lies at the
 * instruction that brought the count to a period.
 *
 * sweep HOW TURNS CONFIG...: for each raw event CONFIG opens it eight times, with periods 1, 2, 3,
 * 5, 7, 13, 17 and 1 in a ring that is too small, and runs a piece of code TURNS times in some
 * slices. HOW: ring (samples only) or state (with a register, so that each stops the program). Per
 * event:
 *   - the samples times the period, and what the kernel says is lost times the period, are the
 *     count within one period, and no period is left over;
 *   - sample k of period N lies where sample k * N of period 1 does: an instruction that adds k
 *     makes floor(k / N) overflows, or one more;
 *   - the small ring says by PERF_RECORD_LOST what it lost, as soon as there is room.
 * Prints a line per event: CONFIG, count, a hash of the addresses of period 1; and a line per
 * difference. Status 1: there was one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "mixed.h"

#define RING_BYTES  (1024u * 4096u)
#define SMALL_BYTES (2u * 4096u)
#define SLICES	    3u
#define N_EVENTS    8u
#define N_PAGES	    512u /* more than L2 has room for */

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1u << 4)
#endif

static const unsigned period[N_EVENTS] = {1, 2, 3, 5, 7, 13, 17, 1};

struct event {
	int fd;
	uint64_t bytes; /* of its ring */
	struct perf_event_mmap_page *page;
	uint64_t *at, n, room;	    /* addresses of its samples */
	uint64_t told, count, lost; /* lost: as LOST records say, as read(2) says */
};

/* What the mixed code does not have: MMX and SSE, prefetches, segment registers, code that changes
 * itself, indirect calls, denormals, stores past a line's end. */
static void extras(uint8_t *code, unsigned turn)
{
	static const uint8_t returns[] = {0xb8, 0, 0, 0, 0, 0xc3}; /* mov $n, %eax; ret */
	static const float tiny = 1e-40f;
	unsigned n = turn;

	memcpy(code, returns, sizeof(returns));
	memcpy(code + 1, &turn, sizeof(turn));
	((unsigned (*)(void))(uintptr_t)code)();
	__asm__ volatile("movd %0, %%mm0\n\tpunpcklwd %%mm0, %%mm1\n\tpaddusb %%mm1, "
			 "%%mm0\n\tpmullw %%mm0, %%mm1\n\tpsllw $3, %%mm0\n\t"
			 "packsswb %%mm1, %%mm0\n\tmovd %%mm0, %0\n\temms\n\tmov %%ds, "
			 "%%eax\n\tmov %%eax, %%es\n\t"
			 "movb $7, %%al\n\tadd %%eax, %0\n\tbswap %0\n\tstd\n\tcld"
			 : "+r"(n)
			 :
			 : "eax", "cc", "memory");
	__asm__ volatile("fldpi\n\tfsqrt\n\tfsin\n\tfmuls %0\n\tfstp %%st(0)" : : "m"(tiny) : "st");
	__asm__ volatile(
	    "prefetchnta (%0)\n\tprefetcht0 64(%0)\n\tprefetcht1 128(%0)\n\tprefetcht2 "
	    "192(%0)\n\txorps %%xmm0, %%xmm0\n\taddps %%xmm0, %%xmm0\n\t"
	    "addss %%xmm0, %%xmm0\n\tmovntps %%xmm0, 256(%0)\n\tsfence\n\tmovl $1, 30(%0)"
	    :
	    : "r"(code + 512)
	    : "xmm0", "memory");
}

static int open_event(uint64_t config, uint64_t n, bool has_state)
{
	struct perf_event_attr a = {
	    .type = PERF_TYPE_RAW, .size = sizeof(a), .sample_type = PERF_SAMPLE_IP};

	a.config = config;
	a.sample_period = n;
	a.read_format = PERF_FORMAT_LOST;
	a.sample_type |= has_state ? PERF_SAMPLE_REGS_USER : 0;
	a.sample_regs_user = has_state; /* one of them */
	a.exclude_kernel = a.exclude_hv = a.disabled = 1;
	return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0ul);
}

static void take(const struct event *e, uint64_t from, void *to, unsigned n)
{
	const uint8_t *data = (const uint8_t *)e->page + e->page->data_offset;

	for (unsigned i = 0; i < n; i++)
		((uint8_t *)to)[i] = data[(from + i) % e->bytes];
}

static void drain(struct event *e)
{
	while (e->page->data_tail != e->page->data_head) {
		struct perf_event_header head;
		uint64_t word[2];

		take(e, e->page->data_tail, &head, sizeof(head));
		take(e, e->page->data_tail + sizeof(head), word,
		     head.type == PERF_RECORD_LOST ? 16 : 8);
		e->page->data_tail += head.size;
		if (head.type == PERF_RECORD_LOST) {
			e->told += word[1];
			continue;
		}
		if (head.type != PERF_RECORD_SAMPLE)
			continue;
		if (e->n == e->room)
			e->at = realloc(e->at, (e->room = 2 * e->room + 4096) * sizeof(*e->at));
		e->at[e->n++] = word[0];
	}
}

static bool open_all(struct event *e, uint64_t config, bool has_state)
{
	for (unsigned i = 0; i < N_EVENTS; i++) {
		e[i] = (struct event){.fd = open_event(config, period[i], has_state),
				      .bytes = i + 1 == N_EVENTS ? SMALL_BYTES : RING_BYTES};
		e[i].page = e[i].fd < 0 ? MAP_FAILED
					: mmap(NULL, 4096 + e[i].bytes, PROT_READ | PROT_WRITE,
					       MAP_SHARED, e[i].fd, 0);
		if (e[i].page == MAP_FAILED) {
			printf("0x%llx: open and mmap: %s\n", (unsigned long long)config,
			       strerror(errno));
			return false;
		}
		prctl(PR_TASK_PERF_EVENTS_DISABLE);
	}
	for (unsigned i = 0; i < N_EVENTS; i++)
		e[i].count = (uint64_t)-1;
	return true;
}

static void close_all(struct event *e)
{
	for (unsigned i = 0; i < N_EVENTS; i++) {
		if (e[i].page != MAP_FAILED && e[i].page)
			munmap(e[i].page, 4096 + e[i].bytes);
		if (e[i].fd >= 0)
			close(e[i].fd);
		free(e[i].at);
	}
}

/* Sample k of period n lies at sample k * n of period 1. */
static void compare(const struct event *one, const struct event *e, unsigned n,
		    unsigned long long config)
{
	uint64_t k = 0;

	if (e->lost || one->lost)
		return;
	while (k < e->n && (k + 1) * n <= one->n && e->at[k] == one->at[(k + 1) * n - 1])
		k++;
	CHECK(k == e->n,
	      "0x%llx, period %u: sample %llu of %llu lies at %llx, %u events come to %llx", config,
	      n, (unsigned long long)k, (unsigned long long)e->n, (unsigned long long)e->at[k], n,
	      (unsigned long long)((k + 1) * n <= one->n ? one->at[(k + 1) * n - 1] : 0));
}

static void check(struct event *e, unsigned long long config)
{
	uint64_t hash = 14695981039346656037u;

	for (unsigned i = 0; i < N_EVENTS; i++) {
		uint64_t value[2] = {0, 0};

		CHECK(read(e[i].fd, value, sizeof(value)) == sizeof(value), "0x%llx: read: %s",
		      config, strerror(errno));
		e[i].count = value[0];
		e[i].lost = value[1];
		CHECK(e[i].count == e[0].count, "0x%llx: counts %llu and %llu", config,
		      (unsigned long long)e[i].count, (unsigned long long)e[0].count);
		CHECK(e[i].n + e[i].lost == e[i].count / period[i],
		      "0x%llx, period %u: count %llu, %llu samples and %llu lost", config,
		      period[i], (unsigned long long)e[i].count, (unsigned long long)e[i].n,
		      (unsigned long long)e[i].lost);
		CHECK(e[i].told <= e[i].lost, "0x%llx, period %u: %llu lost, LOST says %llu",
		      config, period[i], (unsigned long long)e[i].lost,
		      (unsigned long long)e[i].told);
		compare(&e[0], &e[i], period[i], config);
	}
	for (uint64_t k = 0; k < e[0].n; k++)
		hash = (hash ^ e[0].at[k]) * 1099511628211u;
	printf("0x%llx %llu %016llx\n", config, (unsigned long long)e[0].count,
	       (unsigned long long)hash);
}

static void run(uint64_t config, bool has_state, const char *pages, unsigned turns,
		uint8_t *scratch)
{
	struct event e[N_EVENTS] = {{0}};
	static unsigned used;

	if (!open_all(e, config, has_state)) {
		n_wrong++;
		return;
	}
	for (unsigned slice = 0; slice < SLICES; slice++) {
		prctl(PR_TASK_PERF_EVENTS_ENABLE);
		code(pages + 4096 * used, turns);
		for (unsigned i = 0; i < 4 * turns; i++)
			extras(scratch, i);
		prctl(PR_TASK_PERF_EVENTS_DISABLE);
		for (unsigned i = 0; i < N_EVENTS; i++)
			drain(&e[i]);
		used = used + PAGES_EACH * turns > N_PAGES - PAGES_EACH * turns
			   ? 0
			   : used + PAGES_EACH * turns;
	}
	check(e, config);
	close_all(e);
}

int main(int argc, char **argv)
{
	const unsigned turns = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	uint8_t *scratch;
	char *pages;

	if (argc < 4 || PAGES_EACH * turns > N_PAGES)
		return 2;
	pages =
	    mmap(NULL, N_PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	scratch = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	if (pages == MAP_FAILED || scratch == MAP_FAILED)
		return 3;
	for (unsigned i = 0; i < N_PAGES * 4096; i += 251)
		pages[i] = 1;
	for (int i = 3; i < argc; i++)
		run(strtoull(argv[i], NULL, 0), argv[1][0] == 's', pages, turns, scratch);
	return n_wrong != 0;
}
