/* fpstate.c -- x87, vector and mask registers in signal frames.
 *
 * MODELLED       FXSAVE frames for processors without OSXSAVE, else the standard XSAVE format with the
 *                components of the shown XCR0 and the kernel's magic words.
 * NOT MODELLED   components that the program was not shown: they pass through handlers untouched.
 * SOURCES        Intel SDM vol. 1, chapter 13; asm/sigcontext.h.
 */
#include "guest/emulate.h"
#include "guest/gst.h"
#include "guest/signal.h"

#define MAGIC1 0x46505853u
#define MAGIC2 0x46505845u
#define SW_BYTES 464u    /* offset of the kernel's own words in the FXSAVE area */
#define HEADER 512u
#define X87_PC 8u
#define MXCSR 24u
#define XSAVE_LEAST 576u
#define MXCSR_DEFAULT 0x1f80u
#define XCR0_FP_SSE 3ull

struct sw_words {
	uint32_t magic1, extended_bytes;
	uint64_t features;
	uint32_t xsave_bytes;
	uint32_t padding[7];
};

static void host_cpuid(uint32_t leaf, uint32_t sub, uint32_t *eax, uint32_t *ebx)
{
	uint32_t ecx = sub, edx;

	__asm__ volatile("cpuid" : "=a"(*eax), "=b"(*ebx), "+c"(ecx), "=d"(edx) : "a"(leaf));
}

void gst_fp_start(struct gst *g)
{
	uint64_t mask = g->ctl->start.xcr0;
	uint32_t bytes = XSAVE_LEAST;

	g->sig.xsave_bytes = 512;
	if (!mask)
		return;
	for (uint32_t i = 2; i < 63; i++) {
		uint32_t size, offset;

		if (!(mask >> i & 1))
			continue;
		host_cpuid(13, i, &size, &offset);
		if (offset + size > bytes)
			bytes = offset + size;
	}
	if (bytes > GST_FP_AREA_BYTES - 64)
		mask = XCR0_FP_SSE, bytes = XSAVE_LEAST;
	g->sig.xsave_mask = mask | XCR0_FP_SSE;
	g->sig.xsave_bytes = bytes;
}

static void xsave(uint8_t *area, uint64_t mask)
{
	__asm__ volatile("xsave64 (%0)"
	                 : : "r"(area), "a"((uint32_t)mask), "d"((uint32_t)(mask >> 32)) : "memory");
}

static void xrstor(const uint8_t *area, uint64_t mask)
{
	__asm__ volatile("xrstor64 (%0)"
	                 : : "r"(area), "a"((uint32_t)mask), "d"((uint32_t)(mask >> 32)) : "memory");
}

/* The x87's instruction pointer in a state that was just saved. */
static void correct_pc(const struct gst *g, uint8_t *area)
{
	uint64_t pc;

	memcpy(&pc, area + X87_PC, sizeof(pc));
	pc = gst_x87_pc(g, pc);
	memcpy(area + X87_PC, &pc, sizeof(pc));
}

void gst_fp_save(struct gst *g, uint8_t *area)
{
	struct sw_words sw = { 0 };
	uint32_t magic2 = MAGIC2;

	memset(area, 0, g->sig.xsave_bytes);
	if (!g->sig.xsave_mask) {
		__asm__ volatile("fxsave64 (%0)" : : "r"(area) : "memory");
		correct_pc(g, area);
		return;
	}
	xsave(area, g->sig.xsave_mask);
	correct_pc(g, area);
	/* The kernel claims the x87 and SSE components always: old programs edit them. */
	area[HEADER] |= XCR0_FP_SSE;
	sw.magic1 = MAGIC1;
	sw.extended_bytes = g->sig.xsave_bytes + 4;
	sw.features = g->sig.xsave_mask;
	sw.xsave_bytes = g->sig.xsave_bytes;
	memcpy(area + SW_BYTES, &sw, sizeof(sw));
	memcpy(area + g->sig.xsave_bytes, &magic2, 4);
}

static void load_initial(struct gst *g, uint8_t *area)
{
	uint32_t mxcsr = MXCSR_DEFAULT;
	uint16_t control = 0x37f;

	memset(area, 0, XSAVE_LEAST);
	memcpy(area, &control, 2);
	memcpy(area + MXCSR, &mxcsr, 4);
	if (g->sig.xsave_mask)
		xrstor(area, g->sig.xsave_mask);
	else
		__asm__ volatile("fxrstor64 (%0)" : : "r"(area) : "memory");
}

void gst_fp_load(struct gst *g, uint8_t *area)
{
	struct sw_words sw;
	uint32_t magic2, mxcsr;
	uint64_t bits;

	if (!area) {
		load_initial(g, (uint8_t *)GST_FP_AREA);
		return;
	}
	memcpy(&mxcsr, area + MXCSR, 4);
	mxcsr &= 0xffff; /* reserved bits fault */
	memcpy(area + MXCSR, &mxcsr, 4);
	if (!g->sig.xsave_mask) {
		__asm__ volatile("fxrstor64 (%0)" : : "r"(area) : "memory");
		return;
	}
	memcpy(&sw, area + SW_BYTES, sizeof(sw));
	memcpy(&magic2, area + g->sig.xsave_bytes, 4);
	memcpy(&bits, area + HEADER, 8);
	bits &= g->sig.xsave_mask;
	/* A frame without the magic words holds only what FXSAVE knows; the rest becomes initial. */
	if (sw.magic1 != MAGIC1 || magic2 != MAGIC2)
		bits = XCR0_FP_SSE;
	memset(area + HEADER, 0, 64);
	memcpy(area + HEADER, &bits, 8);
	xrstor(area, g->sig.xsave_mask);
}

void gst_fp_put_back(struct gst *g)
{
	struct shr_fp_bracket *f = &g->gs->fp;

	if (f->saved_x87) {
		__asm__ volatile("fnstenv %0" : "=m"(f->env));
		f->env[4] |= f->saved_x87 & SHR_X87_STICKY;
		__asm__ volatile("fldenv %0" : : "m"(f->env));
		f->saved_x87 = 0;
	}
	if (f->saved_sse) {
		__asm__ volatile("stmxcsr %0" : "=m"(f->status));
		f->status |= f->saved_sse & SHR_MXCSR_STICKY;
		__asm__ volatile("ldmxcsr %0" : : "m"(f->status));
		f->saved_sse = 0;
	}
}
