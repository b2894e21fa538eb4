/* shelf.h -- emitted blocks, not linked, that the address spaces of one run share.
 *
 * A run of many short programs executes the same files again and again. What one softpmu process of
 * the run has translated, it leaves here; another that is asked for the same guest bytes at the
 * same address copies it into its own code area, which costs a tenth of decoding and emitting.
 * Links, ids and counts belong to the address space and are not here. Everything is kept by page of
 * guest code.
 *
 * KEY              address and bytes of the page, width of the code, whether heads count a quantum
 *                  and blocks make records. What the session asked for otherwise (operand classes)
 *                  is the same for the whole run.
 * TRUST            hashes only find: all bytes of the page are compared before it is used, and
 *                  whoever takes a block that goes on in the next page compares the rest. A guest
 *                  cannot reach this memory.
 * ADMISSION        a page is kept when a second address space meets it: what runs once in a run
 *                  costs nothing here.
 * BOUND            SHELF_BYTES of address space, touched as used; nothing is put on a full shelf,
 *                  nothing is ever taken away. Lock-free: a process that is killed leaves nothing
 *                  half done.
 * SOURCES          docs/decisions/014.
 */
#ifndef SOFTPMU_TRANSLATE_SHELF_H
#define SOFTPMU_TRANSLATE_SHELF_H

#include <stddef.h>
#include <stdint.h>

struct xlt_shelf;

/* Memory shared with every process that is forked from here on, at the same address in all.
 * Returns 0 or -SPMU_ENOMEM. */
int xlt_shelf_open(struct xlt_shelf **out);

/* NULL is fine. The memory goes when the last process has let go of it. */
void xlt_shelf_close(struct xlt_shelf *s);

/* ---- for the translator ---------------------------------------------------------------------- */

/* First bytes of what lies on the shelf; the rest is the translator's. */
struct xlt_shelved {
	struct xlt_shelved *next; /* older, of the same line */
};

/* Things of one page: a list for each line of 64 bytes. They only become more. */
#define XLT_SHELF_LINES 64u
struct xlt_shelf_page {
	struct xlt_shelf_page *next; /* of the same bucket */
	uint64_t addr, hash;
	uint32_t kind;	      /* mode of the code and shape of heads: a number of the translator */
	uint32_t n;	      /* things put here so far */
	const uint8_t *bytes; /* all of the page */
	struct xlt_shelved *first[XLT_SHELF_LINES];
};

/* The page at addr with exactly these bytes, seen as `kind`. NULL = it is not there: it is made
 * when it is asked for a second time, unless the shelf is full. It and its bytes stay until the
 * shelf is closed. */
struct xlt_shelf_page *xlt_shelf_page(struct xlt_shelf *s, uint64_t addr, uint32_t kind,
				      const uint8_t *bytes);

/* The newest thing of a line, NULL = none. */
static inline struct xlt_shelved *xlt_shelf_first(const struct xlt_shelf_page *p, unsigned line)
{
	return __atomic_load_n(&p->first[line], __ATOMIC_ACQUIRE);
}

/* Room for one thing, aligned to 16 bytes; NULL = the shelf is full. */
void *xlt_shelf_room(struct xlt_shelf *s, size_t bytes);

/* From now on others see `thing`, which lies in xlt_shelf_room() and does not change any more. */
void xlt_shelf_put(struct xlt_shelf_page *p, unsigned line, struct xlt_shelved *thing);

#endif
