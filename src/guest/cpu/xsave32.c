/* xsave32.c -- XSAVE, XSAVEOPT, XSAVEC and XRSTOR of 32-bit programs, which have eight vector
 * registers.
 *
 * The runtime executes the instruction on a copy of the program's area, with the program's
 * registers, which are live, and gives back what 32-bit code neither stores nor loads.
 *
 * MODELLED       x87 state with the program's own instruction pointer, XMM0 to XMM7, their upper
 *                halves; the initial state is not stored by XSAVEOPT and XSAVEC; faults of a bad
 *                address or header. Components beyond the shown XCR0 are left out; a program
 *                that was shown none and executes the instruction all the same gets x87, SSE and
 *                AVX.
 * NOT MODELLED   what is in its initial state is what the host's processor says of it. XSAVEOPT
 *                stores what was not modified since XRSTOR, too. Of ZMM registers all sixteen
 *                are stored.
 * SOURCES        Intel SDM vol. 1 chapter 13, vol. 2 XSAVE, XSAVEOPT, XSAVEC, XRSTOR.
 */
#include "guest/memory/copy.h"
#include "guest/cpu/emulate.h"
#include "guest/gst.h"
#include "guest/signals/signal.h"
#include "guest/signals/trap.h"

#define LEGACY_BYTES  512u
#define HEAD_BYTES    576u
#define HIGH_XMM      288u /* where XMM8 to XMM15 lie */
#define HIGH_YMM      (HEAD_BYTES + 128u)
#define HALF_BYTES    128u
#define X87	      1u
#define SSE	      2u
#define AVX	      4u
#define KNOWN	      0xe7u /* x87, SSE, AVX, AVX-512 */
#define COMPACT	      (1ull << 63)
#define SIGILL_NUMBER 4

struct header {
	uint64_t has, format, zero[6];
};

static void host_cpuid(uint32_t leaf, uint32_t sub, uint32_t out[4])
{
	__asm__ volatile("cpuid"
			 : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
			 : "a"(leaf), "c"(sub));
}

/* Returns the components that the program can name; 0 if it has no XSAVE. */
static uint64_t enabled(const struct gst *g)
{
	uint32_t id[4], low, high;

	if (g->ctl->start.xcr0)
		return g->ctl->start.xcr0 & KNOWN;
	host_cpuid(1, 0, id);
	if (!(id[2] >> 27 & 1)) /* OSXSAVE */
		return 0;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low & (X87 | SSE | AVX);
}

/* Returns 1 if the host has the compacted format (XSAVEC). */
static int is_compact_known(void)
{
	uint32_t id[4];

	host_cpuid(13, 1, id);
	return id[0] >> 1 & 1;
}

/* Bytes of an area with these components. */
static uint32_t area_bytes(uint64_t mask, int is_compact)
{
	uint32_t bytes = HEAD_BYTES, id[4];

	for (uint32_t i = 2; i < 8; i++) {
		if (!(mask >> i & 1))
			continue;
		host_cpuid(13, i, id);
		if (is_compact && (id[2] & 2))
			bytes = (bytes + 63) & ~63u;
		bytes = is_compact ? bytes + id[0] : id[0] + id[1] > bytes ? id[0] + id[1] : bytes;
	}
	return bytes;
}

static void correct_pointers(const struct gst *g, uint8_t *area)
{
	static const uint32_t code = 0x23, data = 0x2b;
	uint32_t stored, pc;

	memcpy(&stored, area + 8, sizeof(stored));
	pc = (uint32_t)gst_x87_pc(g, stored);
	if (pc == stored)
		return;
	memcpy(area + 8, &pc, sizeof(pc));
	memcpy(area + 12, &code, 2);
	memcpy(area + 20, &data, 2);
}

static void save_area(const struct gst *g, uint8_t *area, const uint8_t *before, uint64_t mask,
		      enum shr_xsave how)
{
	struct header *h = (struct header *)(area + LEGACY_BYTES);

	if (how == SHR_XSAVE_C)
		__asm__ volatile("xsavec (%0)"
				 :
				 : "r"(area), "a"((uint32_t)mask), "d"(0)
				 : "memory");
	else
		__asm__ volatile("xsave (%0)"
				 :
				 : "r"(area), "a"((uint32_t)mask), "d"(0)
				 : "memory");
	if (mask & X87)
		correct_pointers(g, area);
	if (how == SHR_XSAVE_OPT) { /* components in their initial state are not stored */
		if (!(h->has & X87))
			memcpy(area, before, 24), memcpy(area + 32, before + 32, 128);
		if (!(h->has & SSE))
			memcpy(area + 160, before + 160, 128);
		if ((mask & AVX) && !(h->has & AVX))
			memcpy(area + HEAD_BYTES, before + HEAD_BYTES, HALF_BYTES);
	}
	memcpy(area + HIGH_XMM, before + HIGH_XMM, HALF_BYTES);
	if (mask & AVX)
		memcpy(area + HIGH_YMM, before + HIGH_YMM, HALF_BYTES);
}

/* Returns 1 if the processor would accept this area. */
static int is_valid(const uint8_t *area, uint64_t mask, uint64_t all)
{
	const struct header *h = (const struct header *)(area + LEGACY_BYTES);
	const uint64_t components = h->format & ~COMPACT;
	uint32_t mxcsr;

	memcpy(&mxcsr, area + 24, sizeof(mxcsr));
	if (h->format & COMPACT && !is_compact_known())
		return 0;
	for (int i = 0; i < (h->format & COMPACT ? 6 : 1); i++)
		if (h->zero[i])
			return 0;
	if (h->format & COMPACT ? (h->has & ~components) || (components & ~all)
				: h->format != 0 || (h->has & ~all))
		return 0;
	return !(mask & (SSE | AVX)) || mxcsr <= 0xffff;
}

static void restore(uint8_t *area, uint64_t mask)
{
	struct header *h = (struct header *)(area + LEGACY_BYTES);

	memset(area + HIGH_XMM, 0, HALF_BYTES);
	if ((h->format & COMPACT ? h->format : mask) & AVX)
		memset(area + HIGH_YMM, 0, HALF_BYTES);
	__asm__ volatile("xrstor (%0)" : : "r"(area), "a"((uint32_t)mask), "d"(0) : "memory");
}

void gst_xsave32(struct gst *g, const struct shr_exit *e)
{
	const uint64_t at = g->gs->target, all = enabled(g),
		       asked = (uint32_t)g->gs->gpr[0] | g->gs->gpr[2] << 32;
	uint8_t *area = (uint8_t *)GST_FP_AREA, *before = area + GST_FP_AREA_BYTES / 2;
	const int is_load = e->operand == SHR_XSAVE_RSTOR;
	const unsigned how = is_load ? 0 : GST_MEMORY_WRITE;
	const struct header *h = (const struct header *)(area + LEGACY_BYTES);
	const uint64_t mask = asked & all;
	uint32_t bytes;

	if (!all || (e->operand == SHR_XSAVE_C && !is_compact_known())) {
		gst_raise32(g, e, SIGILL_NUMBER, 6, 0);
		return;
	}
	if (at & 63) {
		gst_raise32(g, e, GST_SIGSEGV, TRAP_PROTECTION, 0);
		return;
	}
	if (gst_copy_in(area, at, HEAD_BYTES)) {
		gst_raise_memory(g, e, at, HEAD_BYTES, how);
		return;
	}
	if (is_load && !is_valid(area, mask, all)) {
		gst_raise32(g, e, GST_SIGSEGV, TRAP_PROTECTION, 0);
		return;
	}
	bytes = is_load && (h->format & COMPACT) ? area_bytes(h->format & all, 1)
						 : area_bytes(mask, e->operand == SHR_XSAVE_C);
	if (gst_copy_in(area, at, bytes)) {
		gst_raise_memory(g, e, at, bytes, how);
		return;
	}
	if (is_load) {
		restore(area, mask);
		return;
	}
	memcpy(before, area, bytes);
	save_area(g, area, before, mask, (enum shr_xsave)e->operand);
	if (gst_copy_out(at, area, bytes))
		gst_raise_memory(g, e, at, bytes, how);
}
