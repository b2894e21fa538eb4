#include "guest/segments.h"

#include "guest/copy.h"
#include "guest/gst.h"

#define BIT_32 1u
#define BITS_CONTENTS 6u
#define BIT_READ_ONLY 8u
#define BIT_PAGES 0x10u
#define BIT_ABSENT 0x20u
#define BITS_ALL 0x7fu
#define ANY_NUMBER 0xffffffffu

void gst_segments_start(struct gst *g)
{
	memset(&g->t->segments, 0, sizeof(g->t->segments));
	memset(g->gs->selector, 0, sizeof(g->gs->selector));
	g->gs->seg_base[0] = g->gs->seg_base[1] = 0;
	g->gs->selector[GST_CS] = GST_CODE_SELECTOR;
	g->gs->selector[GST_ES] = g->gs->selector[GST_SS] = g->gs->selector[GST_DS] = GST_DATA_SELECTOR;
}

/* The thread descriptor that a selector names, or NULL. */
static const struct gst_descriptor *named(const struct gst *g, uint32_t selector)
{
	uint32_t i = (selector >> 3) - GST_TLS_FIRST;

	return !(selector & 4) && i < GST_N_TLS && g->t->segments.tls[i].bits ? &g->t->segments.tls[i] : NULL;
}

/* The kernel's own segments that a program may load; all begin at 0. */
static int is_flat(uint32_t selector)
{
	uint32_t index = selector & ~3u;

	return index == (GST_CODE_SELECTOR & ~3u) || index == (GST_DATA_SELECTOR & ~3u) || index == 0x30;
}

long gst_segment_load(struct gst *g, unsigned which, uint32_t selector)
{
	const struct gst_descriptor *d;

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
	if (which < GST_FS && d && d->base)
		gst_refuse(g, "the program uses a segment that does not begin at address 0 for its data or "
		              "stack, which softpmu does not support", NULL);
	if (which >= GST_FS)
		g->gs->seg_base[which - GST_FS] = d ? d->base : 0;
	g->gs->selector[which] = (uint16_t)selector;
	return 0;
}

static int is_empty(const struct gst_descriptor *d)
{
	uint32_t bits = d->bits & BITS_ALL & ~0x40u;

	return d->base == 0 && d->limit == 0 && (bits == (BIT_READ_ONLY | BIT_ABSENT) || bits == 0);
}

/* What the kernel lets a thread descriptor be: 32-bit data, present. */
static int is_allowed(const struct gst_descriptor *d)
{
	return is_empty(d) || ((d->bits & BIT_32) && (d->bits & BITS_CONTENTS) <= 2 &&
	                       !(d->bits & BIT_ABSENT));
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
	g->t->segments.tls[i] = is_empty(&d) ? (struct gst_descriptor){ 0 } : d;
	g->t->segments.tls[i].bits &= BITS_ALL;
	/* Registers that name it see the new descriptor at once, as the kernel sees to. */
	selector = d.number << 3 | 3;
	for (unsigned which = GST_FS; which <= GST_GS; which++) {
		if ((g->gs->selector[which] | 3u) == selector && gst_segment_load(g, which, selector))
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
		d.bits = BIT_READ_ONLY | BIT_ABSENT;
	d.number = number;
	return gst_copy_out(at, &d, sizeof(d));
}
