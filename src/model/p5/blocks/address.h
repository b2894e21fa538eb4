/* address.h -- linear addresses of references. */
#ifndef SOFTPMU_MODEL_P5_ADDRESS_H
#define SOFTPMU_MODEL_P5_ADDRESS_H

#include "model/p5/p5.h"

/* Linear address of reference k of b with the record's slot values. */
static inline uint64_t p5_address(const struct p5 *m, const struct x86_block *b, unsigned k,
				  const uint8_t *slots)
{
	return reader_address(b, k, slots, m->seg.fs_base);
}

/* As p5_address(), of r, a reference of a compiled block. */
static inline uint64_t p5_ref_address(const struct p5 *m, const struct p5_ref *r,
				      const uint8_t *slots)
{
	uint64_t lin = r->disp;

	if (r->slot != P5_NO_SLOT)
		lin += reader_slot(slots, r->slot);
	if (r->slot2 != P5_NO_SLOT)
		lin += reader_slot(slots, r->slot2) << r->shift;
	if (r->has_fs)
		lin += m->seg.fs_base;
	return lin & P5_LIN_MASK;
}

/* Are the line and the page of r at lin those that were used last in their sets, for a write in
 * state M? Then the access changes nothing, and waits for no fill but one that may still be
 * coming. */
static inline bool p5_ref_is_fast(struct p5 *m, const struct p5_ref *r, uint64_t lin, bool is_write)
{
	const struct p5_dcache *d = &m->dcache;
	const size_t set = lin >> d->cache.line_log2 & (d->cache.n_sets - 1);
	const uint64_t vpn = lin >> PAGE_LOG2;
	const uint64_t *filter = is_write ? d->write_filter : d->read_filter;

	if (!r->is_fast || (filter[set] ^ lin >> cache_way_log2(&d->cache)) | (lin & r->align_mask))
		return false;
	if (m->dtlb.is_full)
		return fulltlb_find_again(&m->dtlb.full, vpn);
	return m->dtlb.filter[vpn & m->dtlb.set_mask] == vpn;
}

#endif
