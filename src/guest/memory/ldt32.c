/* ldt32.c -- the local descriptor table of a 32-bit program: modify_ldt(2).
 *
 * MODELLED       reading and writing as the kernel does both, the old and the new form; a
 *                register that has loaded an entry keeps what it has.
 * NOT MODELLED   entries with other bases than 0 serve FS and GS alone (segments.h).
 * SOURCES        modify_ldt(2); Intel SDM vol. 3, 3.4.5.
 */
#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/memory/segments.h"

#define MOST_ENTRIES  (GST_LDT_BYTES / sizeof(struct gst_descriptor))
#define DEFAULT_BYTES 128u
#define ENTRY_BYTES   8u
enum { LDT_READ = 0, LDT_WRITE_OLD = 1, LDT_READ_DEFAULT = 2, LDT_WRITE = 0x11 };

static struct gst_descriptor *entry(uint32_t i)
{
	return (struct gst_descriptor *)GST_LDT + i;
}

const struct gst_descriptor *gst_ldt_entry(const struct gst *g, uint32_t selector)
{
	const uint32_t i = (selector & 0xffff) >> 3;

	return i < g->n_ldt && (entry(i)->bits & GST_SEG_TAKEN) ? entry(i) : NULL;
}

/* Code or data descriptor of privilege 3, accessed, as the processor has it. */
static uint64_t encode(const struct gst_descriptor *d)
{
	const uint64_t base = d->base, limit = d->limit;
	uint64_t type = (d->bits & GST_SEG_CONTENTS) << 1 | 0x1; /* bits 3..2, and accessed */

	if (!(d->bits & GST_SEG_TAKEN))
		return 0;
	if (!(d->bits & GST_SEG_READ_ONLY))
		type |= 2;
	return (limit & 0xffff) | (base & 0xffffff) << 16 | type << 40 | 1ull << 44 | 3ull << 45 |
	       (uint64_t) !(d->bits & GST_SEG_ABSENT) << 47 | (limit >> 16 & 15) << 48 |
	       (uint64_t)((d->bits & GST_SEG_USEABLE) != 0) << 52 |
	       (uint64_t)(d->bits & GST_SEG_32) << 54 |
	       (uint64_t)((d->bits & GST_SEG_PAGES) != 0) << 55 | base >> 24 << 56;
}

static long read_ldt(const struct gst *g, uint64_t to, uint64_t bytes)
{
	const uint64_t most = g->n_ldt * (uint64_t)ENTRY_BYTES;

	if (bytes > most)
		bytes = most;
	for (uint64_t at = 0; at < bytes; at += ENTRY_BYTES) {
		uint64_t word = encode(entry((uint32_t)(at / ENTRY_BYTES)));

		if (gst_copy_out(to + at, &word,
				 bytes - at < ENTRY_BYTES ? bytes - at : ENTRY_BYTES))
			return -EFAULT;
	}
	return (long)bytes;
}

static long read_default(uint64_t to, uint64_t bytes)
{
	const uint8_t zero[DEFAULT_BYTES] = {0};

	if (bytes > sizeof(zero))
		bytes = sizeof(zero);
	return gst_copy_out(to, zero, bytes) ? -EFAULT : (long)bytes;
}

static long write_ldt(struct gst *g, uint64_t from, uint64_t bytes, int is_old)
{
	struct gst_descriptor d;
	uint32_t number, bits;

	if (bytes != sizeof(d))
		return -EINVAL;
	if (gst_copy_in(&d, from, sizeof(d)))
		return -EFAULT;
	number = d.number;
	bits = d.bits & ~(uint32_t)(is_old ? GST_SEG_USEABLE : 0);
	if (number >= MOST_ENTRIES)
		return -EINVAL;
	if ((bits & GST_SEG_CONTENTS) == 6 && (is_old || !(bits & GST_SEG_ABSENT)))
		return -EINVAL;
	d.bits = (bits & 0x7f) | GST_SEG_TAKEN;
	if (!d.base && !d.limit &&
	    (is_old || (bits & 0x7f) == (GST_SEG_READ_ONLY | GST_SEG_ABSENT)))
		d = (struct gst_descriptor){0};
	*entry(number) = d;
	if (number >= g->n_ldt)
		g->n_ldt = number + 1;
	return 0;
}

long gst_call_modify_ldt32(struct gst *g, const uint64_t *a)
{
	switch ((uint32_t)a[0]) {
	case LDT_READ: return read_ldt(g, a[1], (uint32_t)a[2]);
	case LDT_READ_DEFAULT: return read_default(a[1], (uint32_t)a[2]);
	case LDT_WRITE_OLD:
	case LDT_WRITE: return write_ldt(g, a[1], (uint32_t)a[2], (uint32_t)a[0] == LDT_WRITE_OLD);
	default: return -ENOSYS;
	}
}
