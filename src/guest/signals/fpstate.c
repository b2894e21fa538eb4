/* fpstate.c -- x87, vector and mask registers in signal frames (docs/decisions/026).
 *
 * MODELLED       frames as large as the shown level says: FXSAVE for processors without OSXSAVE,
 *                else the standard XSAVE format with the components of the shown XCR0 and the
 *                kernel's size words. When registers beyond the shown level hold something, the
 *                frame has their components too, and its size words say so. What a handler or a
 *                return leaves out becomes initial, as in the kernel.
 * RULE           how large a frame is depends on what the program was shown and on what its
 *                registers hold, never on the host: its components lie where the host's
 *                processor has them, in the largest of all layouts.
 * NOT MODELLED   protection keys (PKRU): programs have no instruction or call that changes it,
 *                so it passes through handlers untouched. AMX tiles: the permission to use them
 *                is refused.
 * SOURCES        Intel SDM vol. 1, chapter 13; asm/sigcontext.h; Linux
 *                Documentation/arch/x86/xstate.rst.
 */
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/signals/signal.h"
#include "guest/signals/signal32.h"

#define MAGIC1		    0x46505853u
#define MAGIC2		    0x46505845u
#define SW_BYTES	    464u /* offset of the kernel's own words in the FXSAVE area */
#define HEADER		    512u
#define X87_PC		    8u
#define MXCSR		    24u
#define MXCSR_RESERVED	    0xffff0000u
#define MXCSR_DEFAULT	    0x1f80u
#define X87_CONTROL_DEFAULT 0x37fu

/* Components, and bytes of an area that ends with them. The last one is the largest layout that
 * processors have for components up to 7: others leave less between AVX and AVX-512. */
#define FP_SSE	     3u
#define AVX	     4u
#define KNOWN	     0xffu
#define FP_SSE_BYTES 576u
#define AVX_BYTES    832u
#define KNOWN_BYTES  2688u
#define MOST_BYTES   2696u /* of an area that a program makes: what CPUID says */
_Static_assert(KNOWN_BYTES + sizeof(uint32_t) <= GST_FP_AREA_BYTES / 2,
	       "an area and its last word fit");

struct sw_words {
	uint32_t magic1, extended_bytes;
	uint64_t features;
	uint32_t xsave_bytes;
	uint32_t padding[7];
};

static void host_cpuid(uint32_t leaf, uint32_t sub, uint32_t out[4])
{
	__asm__ volatile("cpuid"
			 : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
			 : "a"(leaf), "c"(sub));
}

void gst_fp_start(struct gst *g)
{
	struct gst_signals *s = &g->sig;
	uint32_t id[4], low, high;

	host_cpuid(1, 0, id);
	if (!(id[2] >> 27 & 1)) /* OSXSAVE */
		return;
	s->xsave_mask = g->ctl->start.xcr0 ? g->ctl->start.xcr0 | FP_SSE : 0;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	s->host_mask = low & KNOWN;
	for (uint32_t i = 2; i < GST_FP_PARTS; i++) {
		if (!(s->host_mask >> i & 1))
			continue;
		host_cpuid(13, i, id);
		s->part[i] = (struct gst_fp_part){.bytes = (uint16_t)id[0], .at = (uint16_t)id[1]};
		if (id[1] + id[0] > KNOWN_BYTES)
			gst_refuse(g,
				   "this processor keeps its vector registers in a layout that "
				   "softpmu does not know",
				   NULL);
	}
}

static void xsave(uint8_t *area, uint64_t mask)
{
	__asm__ volatile("xsave64 (%0)"
			 :
			 : "r"(area), "a"((uint32_t)mask), "d"((uint32_t)(mask >> 32))
			 : "memory");
}

static void xrstor(const uint8_t *area, uint64_t mask)
{
	__asm__ volatile("xrstor64 (%0)"
			 :
			 : "r"(area), "a"((uint32_t)mask), "d"((uint32_t)(mask >> 32))
			 : "memory");
}

/* The x87's instruction pointer in a state that was just saved. */
static void correct_pc(const struct gst *g, uint8_t *area)
{
	uint64_t pc;

	memcpy(&pc, area + X87_PC, sizeof(pc));
	pc = gst_x87_pc(g, pc);
	memcpy(area + X87_PC, &pc, sizeof(pc));
}

static int is_zero(const uint8_t *at, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		if (at[i])
			return 0;
	return 1;
}

/* Returns the components that a saved area claims to hold: x87 and SSE always, as the kernel does,
 * because old programs edit them; of the others those that are not all zero. Zeros decide because
 * processors differ in which state they call initial. */
static uint64_t parts_in_use(const struct gst *g, const uint8_t *area)
{
	uint64_t in_use;

	memcpy(&in_use, area + HEADER, sizeof(in_use));
	for (uint32_t i = 2; i < GST_FP_PARTS; i++) {
		const struct gst_fp_part *p = &g->sig.part[i];

		if ((in_use >> i & 1) && is_zero(area + p->at, p->bytes))
			in_use &= ~(1ull << i);
	}
	return in_use | FP_SSE;
}

/* Components of a frame for a program whose registers hold those of in_use: what it was shown,
 * or a level that has them. */
static uint64_t frame_mask(const struct gst *g, uint64_t in_use)
{
	const uint64_t shown = g->sig.xsave_mask;

	if (!(in_use & ~(shown | FP_SSE)))
		return shown;
	return in_use & ~(uint64_t)(FP_SSE | AVX) ? g->sig.host_mask | shown : FP_SSE | AVX | shown;
}

static uint32_t area_bytes(uint64_t mask)
{
	if (mask & ~(uint64_t)(FP_SSE | AVX))
		return KNOWN_BYTES;
	return mask & AVX ? AVX_BYTES : mask ? FP_SSE_BYTES : GST_FXSAVE_BYTES;
}

/* Bytes of a frame's area with these components; 0 = FXSAVE. */
static uint32_t frame_bytes(uint64_t mask)
{
	return area_bytes(mask) + (mask ? (uint32_t)sizeof(uint32_t) : 0);
}

uint32_t gst_fp_shown_bytes(const struct gst *g)
{
	return frame_bytes(g->sig.xsave_mask);
}

uint32_t gst_fp_save(struct gst *g, uint8_t *area)
{
	struct sw_words sw = {.magic1 = MAGIC1};
	uint32_t magic2 = MAGIC2;
	uint64_t in_use;

	memset(area, 0, KNOWN_BYTES);
	if (!g->sig.host_mask) {
		__asm__ volatile("fxsave64 (%0)" : : "r"(area) : "memory");
		correct_pc(g, area);
		return GST_FXSAVE_BYTES;
	}
	xsave(area, g->sig.host_mask);
	correct_pc(g, area);
	in_use = parts_in_use(g, area);
	sw.features = frame_mask(g, in_use);
	if (!sw.features)
		return GST_FXSAVE_BYTES;
	memcpy(area + HEADER, &in_use, sizeof(in_use));
	sw.xsave_bytes = area_bytes(sw.features);
	sw.extended_bytes = frame_bytes(sw.features) + (g->layout.is_32 ? GST_FSAVE_BYTES : 0);
	memcpy(area + SW_BYTES, &sw, sizeof(sw));
	memcpy(area + sw.xsave_bytes, &magic2, sizeof(magic2));
	return sw.xsave_bytes + (uint32_t)sizeof(magic2);
}

/* An area in which everything is initial. */
static void make_initial(uint8_t *area)
{
	const uint32_t mxcsr = MXCSR_DEFAULT;
	const uint16_t control = X87_CONTROL_DEFAULT;

	memset(area, 0, KNOWN_BYTES);
	memcpy(area, &control, sizeof(control));
	memcpy(area + MXCSR, &mxcsr, sizeof(mxcsr));
}

/* Returns 1 if the frame at fp has the extended state that these words describe. If not, the frame
 * holds FXSAVE's state only, as for the kernel. */
static int is_extended(const struct gst *g, const struct sw_words *sw, uint64_t fp)
{
	uint32_t magic2;

	return g->sig.host_mask && sw->magic1 == MAGIC1 && sw->xsave_bytes >= FP_SSE_BYTES &&
	       sw->xsave_bytes <= MOST_BYTES && sw->xsave_bytes <= sw->extended_bytes &&
	       !gst_copy_in(&magic2, fp + sw->xsave_bytes, sizeof(magic2)) && magic2 == MAGIC2;
}

/* End of the last of these components in an area. */
static uint32_t end_of_parts(const struct gst *g, uint64_t mask)
{
	uint32_t end = FP_SSE_BYTES;

	for (uint32_t i = 2; i < GST_FP_PARTS; i++) {
		const struct gst_fp_part *p = &g->sig.part[i];

		if ((mask >> i & 1) && p->at + p->bytes > end)
			end = p->at + p->bytes;
	}
	return end;
}

int gst_fp_fetch(struct gst *g, uint8_t *area, uint64_t fp)
{
	uint64_t has = FP_SSE;
	struct sw_words sw;
	uint32_t mxcsr;

	memset(area, 0, KNOWN_BYTES);
	if (gst_copy_in(area, fp, GST_FXSAVE_BYTES))
		return -EFAULT;
	memcpy(&mxcsr, area + MXCSR, sizeof(mxcsr));
	if (mxcsr & MXCSR_RESERVED)
		return -EFAULT;
	memcpy(&sw, area + SW_BYTES, sizeof(sw));
	if (is_extended(g, &sw, fp)) {
		const uint64_t features = sw.features & g->sig.host_mask;

		if (gst_copy_in(area + HEADER, fp + HEADER, end_of_parts(g, features) - HEADER))
			return -EFAULT;
		if (!is_zero(area + HEADER + 8, 16)) /* a format that the kernel does not accept */
			return -EFAULT;
		memcpy(&has, area + HEADER, sizeof(has));
		has &= features;
	}
	memset(area + HEADER, 0, 64);
	memcpy(area + HEADER, &has, sizeof(has));
	return 0;
}

void gst_fp_load(struct gst *g, uint8_t *area)
{
	if (!area) {
		area = (uint8_t *)GST_FP_AREA;
		make_initial(area);
	}
	if (g->sig.host_mask)
		xrstor(area, g->sig.host_mask);
	else
		__asm__ volatile("fxrstor64 (%0)" : : "r"(area) : "memory");
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
