/* segments.c -- loads segment registers of a 32-bit program from its descriptors. Rules:
 * segments.h. */
#include "guest/memory/segments.h"

#include "guest/memory/copy.h"
#include "guest/gst.h"

#define BITS_ALL   0x7fu
#define ANY_NUMBER 0xffffffffu
#define NOWHERE	   (1ull << 63) /* not canonical: #GP, as through a null selector */

void gst_segments_start(struct gst *g)
{
	memset(&g->t->segments, 0, sizeof(g->t->segments));
	memset(g->gs->selector, 0, sizeof(g->gs->selector));
	g->gs->seg_base[0] = g->gs->seg_base[1] = 0;
	g->gs->selector[GST_CS] = GST_CODE_SELECTOR;
	g->gs->selector[GST_ES] = g->gs->selector[GST_SS] = g->gs->selector[GST_DS] =
	    GST_DATA_SELECTOR;
	gst_segments_point(g);
}

static int is_null(const struct gst *g, unsigned which)
{
	return (g->gs->selector[which] & ~3u) == 0;
}

void gst_segments_point(struct gst *g)
{
	for (unsigned i = 0; i < 2; i++)
		g->gs->seg_at[i] = is_null(g, GST_FS + i) ? NOWHERE : (uint64_t)&g->gs->seg_base[i];
}

uint32_t gst_segments_null(const struct gst *g)
{
	return (uint32_t)is_null(g, GST_ES) << GST_ES | (uint32_t)is_null(g, GST_DS) << GST_DS;
}

/* The descriptor of the program's that a selector names, or NULL. */
static const struct gst_descriptor *named(const struct gst *g, uint32_t selector)
{
	uint32_t i = (selector >> 3) - GST_TLS_FIRST;

	if (selector & 4)
		return gst_ldt_entry(g, selector);
	return i < GST_N_TLS && g->t->segments.tls[i].bits ? &g->t->segments.tls[i] : NULL;
}

/* The kernel's own segments that a program may load; all begin at 0. */
static int is_flat(uint32_t selector)
{
	uint32_t index = selector & ~3u;

	return index == (GST_CODE_SELECTOR & ~3u) || index == (GST_DATA_SELECTOR & ~3u) ||
	       index == 0x30;
}

/* A descriptor of the program's in a register for data. Returns as gst_segment_load. */
static long check_data(unsigned which, uint32_t selector, const struct gst_descriptor *d)
{
	const uint32_t contents = d->bits & GST_SEG_CONTENTS;
	const int is_code = contents >= 4;

	/* code that can be executed only */
	if (is_code && (which == GST_SS || (d->bits & GST_SEG_READ_ONLY)))
		return -EFAULT;
	if (which == GST_SS && ((d->bits & GST_SEG_READ_ONLY) || (selector & 3) != 3))
		return -EFAULT;
	return d->bits & GST_SEG_ABSENT ? -ENXIO : 0;
}

long gst_segment_load(struct gst *g, unsigned which, uint32_t selector)
{
	const struct gst_descriptor *d;
	long ret;

	selector &= 0xffff;
	d = named(g, selector);
	if (which >= GST_N_SEGMENTS || which == GST_CS)
		return -EFAULT;
	if ((selector & ~3u) == 0) {
		if (which == GST_SS)
			return -EFAULT;
	} else if (!d && !is_flat(selector)) {
		return -EFAULT;
	} else if (which == GST_SS && !d && selector != GST_DATA_SELECTOR) {
		return -EFAULT; /* the stack must be writable, at its own privilege */
	}
	ret = d ? check_data(which, selector, d) : 0;
	if (ret)
		return ret;
	if (which < GST_FS && d && d->base)
		gst_refuse(g,
			   "the program uses a segment that does not begin at address 0 for its "
			   "data or "
			   "stack, which softpmu does not support",
			   NULL);
	if (which == GST_SS && d && !(d->bits & GST_SEG_32))
		gst_refuse(g,
			   "the program uses a 16-bit stack segment, which softpmu does not "
			   "support",
			   NULL);
	if (which >= GST_FS)
		g->gs->seg_base[which - GST_FS] = d ? d->base : 0;
	g->gs->selector[which] = (uint16_t)selector;
	gst_segments_point(g);
	return 0;
}

int gst_segment_is_code(struct gst *g, uint32_t selector)
{
	const struct gst_descriptor *d = named(g, selector);

	if (!d && (selector & ~3u) == 0x30)
		gst_refuse(g,
			   "the program changes from 32-bit to 64-bit code, which softpmu does "
			   "not support",
			   NULL);
	if (!d)
		return (selector & ~3u) == (GST_CODE_SELECTOR & ~3u);
	if ((d->bits & GST_SEG_CONTENTS) < 4 || (d->bits & GST_SEG_ABSENT))
		return 0;
	if (d->base || !(d->bits & GST_SEG_32))
		gst_refuse(g,
			   "the program executes code in a segment that does not begin at "
			   "address 0 or is 16-bit, which "
			   "softpmu does not support",
			   NULL);
	return 1;
}

static int is_empty(const struct gst_descriptor *d)
{
	uint32_t bits = d->bits & BITS_ALL & ~0x40u;

	return d->base == 0 && d->limit == 0 &&
	       (bits == (GST_SEG_READ_ONLY | GST_SEG_ABSENT) || bits == 0);
}

/* Returns 1 if the kernel allows this thread descriptor: empty, or 32-bit data that is present. */
static int is_allowed(const struct gst_descriptor *d)
{
	return is_empty(d) || ((d->bits & GST_SEG_32) && (d->bits & GST_SEG_CONTENTS) <= 2 &&
			       !(d->bits & GST_SEG_ABSENT));
}

long gst_segment_set(struct gst *g, uint64_t at)
{
	struct gst_descriptor d;
	uint32_t i, selector;

	if (gst_copy_in(&d, at, sizeof(d)))
		return -EFAULT;
	if (!is_allowed(&d))
		return -EINVAL;
	if (d.number == ANY_NUMBER) {
		for (i = 0; i < GST_N_TLS && g->t->segments.tls[i].bits; i++)
			;
		if (i == GST_N_TLS)
			return -ESRCH;
		d.number = GST_TLS_FIRST + i;
		if (gst_copy_out(at, &d.number, sizeof(d.number)))
			return -EFAULT;
	}
	i = d.number - GST_TLS_FIRST;
	if (i >= GST_N_TLS)
		return -EINVAL;
	g->t->segments.tls[i] = is_empty(&d) ? (struct gst_descriptor){0} : d;
	g->t->segments.tls[i].bits &= BITS_ALL;
	/* Registers that name it see the new descriptor at once, as the kernel sees to. */
	selector = d.number << 3 | 3;
	for (unsigned which = GST_FS; which <= GST_GS; which++) {
		if ((g->gs->selector[which] | 3u) == selector &&
		    gst_segment_load(g, which, selector))
			gst_segment_load(g, which, 0);
	}
	return 0;
}

long gst_segment_birth(struct gst *g, struct gst_thread *t, uint64_t at)
{
	struct gst_descriptor d;

	if (gst_copy_in(&d, at, sizeof(d)))
		return -EFAULT;
	if (d.number - GST_TLS_FIRST >= GST_N_TLS || !is_allowed(&d) || is_empty(&d))
		return -EINVAL;
	t->segments.tls[d.number - GST_TLS_FIRST] = d;
	t->segments.tls[d.number - GST_TLS_FIRST].bits &= BITS_ALL;
	for (unsigned which = GST_FS; which <= GST_GS; which++) {
		if (t->regs.selector[which] >> 3 == d.number)
			t->regs.seg_base[which - GST_FS] = d.base;
	}
	return 0;
}

long gst_segment_get(struct gst *g, uint64_t at)
{
	struct gst_descriptor d;
	uint32_t number, i;

	if (gst_copy_in(&number, at, sizeof(number)))
		return -EFAULT;
	i = number - GST_TLS_FIRST;
	if (i >= GST_N_TLS)
		return -EINVAL;
	d = g->t->segments.tls[i];
	if (!d.bits)
		d.bits = GST_SEG_READ_ONLY | GST_SEG_ABSENT;
	d.number = number;
	return gst_copy_out(at, &d, sizeof(d));
}
