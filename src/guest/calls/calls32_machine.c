/* calls32_machine.c -- machine, process and files as a 32-bit program sees them: structures that
 * differ from those of x86-64. */
#include <linux/fcntl.h>

#include "guest/calls/calls32.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

#define SHOWN_BLOCK_BYTES   4096u
#define LIMIT_MAX_OLD	    0x7fffffffu
#define ARCH_GET_CPUID_CODE 0x1011
#define ARCH_SET_CPUID_CODE 0x1012

/* struct compat_sysinfo of the kernel. */
struct machine32 {
	int32_t uptime;
	uint32_t loads[3], ram, free_ram, shared_ram, buffer_ram, swap, free_swap;
	uint16_t procs, pad;
	uint32_t high, free_high, unit;
	uint8_t rest[8];
};
_Static_assert(sizeof(struct machine32) == 64, "layout of the kernel's compat_sysinfo");

long gst_call_sysinfo32(struct gst *g, const uint64_t *a)
{
	struct machine32 m = {.procs = 1, .unit = 1};
	uint64_t ram = g->ctl->start.memory_bytes;
	uint8_t host[128];

	if (SYS1(sysinfo, host) == 0)
		memcpy(&m.uptime, host, 4);
	while (ram >> 32) { /* as the kernel does: a larger unit until it fits */
		ram >>= 12;
		m.unit <<= 12;
	}
	m.ram = (uint32_t)ram;
	m.free_ram = (uint32_t)(ram / 2);
	return gst_copy_out(a[0], &m, sizeof(m));
}

long gst_call_getaffinity32(struct gst *g, const uint64_t *a)
{
	const uint64_t bytes = a[1] < 8 ? a[1] : 8;
	uint64_t mask;
	long ret;

	if ((a[1] & 3) || a[1] < 4)
		return -EINVAL;
	ret = gst_affinity(g, a[0], &mask);
	if (ret)
		return ret;
	return gst_copy_out(a[2], &mask, bytes) ? -EFAULT : (long)bytes;
}

/* ---- limits ---------------------------------------------------------------------------------- */

static uint64_t widened(uint32_t limit)
{
	return limit == ~0u ? ~0ull : limit;
}

static uint32_t narrowed(uint64_t limit, uint32_t most)
{
	return limit > most ? most : (uint32_t)limit;
}

static long get_limit(struct gst *g, const uint64_t *a, uint32_t most)
{
	uint64_t wide[2];
	uint32_t narrow[2];
	long ret = gst_limit(g, a[0], NULL, wide);

	if (ret)
		return ret;
	narrow[0] = narrowed(wide[0], most);
	narrow[1] = narrowed(wide[1], most);
	return gst_copy_out(a[1], narrow, sizeof(narrow));
}

long gst_call_getrlimit32(struct gst *g, const uint64_t *a)
{
	return get_limit(g, a, ~0u);
}

/* The first version of the call knew signed limits only. */
long gst_call_getrlimit_old(struct gst *g, const uint64_t *a)
{
	return get_limit(g, a, LIMIT_MAX_OLD);
}

long gst_call_setrlimit32(struct gst *g, const uint64_t *a)
{
	uint64_t wide[2];
	uint32_t narrow[2];

	if (gst_copy_in(narrow, a[1], sizeof(narrow)))
		return -EFAULT;
	wide[0] = widened(narrow[0]);
	wide[1] = widened(narrow[1]);
	return gst_limit(g, a[0], wide, NULL);
}

/* ---- process --------------------------------------------------------------------------------- */

long gst_call_arch_prctl32(struct gst *g, const uint64_t *a)
{
	switch (a[0]) {
	case ARCH_GET_CPUID_CODE: return 1;
	case ARCH_SET_CPUID_CODE: return -ENODEV;
	default: /* bases belong to x86-64 */ return -EINVAL;
	}
}

/* clone has its last two arguments the other way round. */
long gst_call_clone32(struct gst *g, const uint64_t *a)
{
	uint64_t words[7] = {__NR_clone, a[0], a[1], a[2], a[4], a[3], a[5]};

	return gst_call_clone(g, words + 1);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The block size that is shown, in the word at `at` of the program's struct. */
static long fix_block_bytes(long ret, uint64_t at)
{
	uint32_t shown = SHOWN_BLOCK_BYTES;

	if (ret == 0)
		gst_copy_out(at, &shown, sizeof(shown));
	return ret;
}

long gst_call_stat32(struct gst *g, const uint64_t *a)
{
	return fix_block_bytes(gst_call_pass(g, a), a[1] + 24);
}

long gst_call_stat64(struct gst *g, const uint64_t *a)
{
	return fix_block_bytes(gst_call_pass(g, a), a[1] + 52);
}

long gst_call_fstatat64(struct gst *g, const uint64_t *a)
{
	return fix_block_bytes(gst_call_pass(g, a), a[2] + 52);
}
