/* room.c -- is there room for another block, and is its memory there? What is written behind each
 * other (code, exits, recovery entries ...) is made ready a stretch at a time, as most programs
 * need much of it. */
#include "translate/internal.h"

#include "base/stretch.h"

#define MAKE_READY(x, which, array, used, n)                                                       \
	stretch_ahead(&(x)->ready[which], array, (used) * sizeof(*(array)),                        \
		      (uint64_t)(n) * sizeof(*(array)))

bool xlt_has_room(struct xlt *x)
{
	if (x->out.off + XLT_MAX_BLOCK_BYTES > XLT_COLD_OFF ||
	    x->cold.off + XLT_MAX_BLOCK_BYTES > SHR_CODE_BYTES || x->n_block >= SHR_MAX_BLOCKS ||
	    x->n_exit + 8 >= SHR_MAX_EXITS || x->n_recover + 512 >= SHR_MAX_RECOVER ||
	    x->n_check_bytes + X86_MAX_INSNS * 15 > sizeof(x->cfg.tables->bytes))
		x->is_full = true;
	if (x->is_full)
		return false;
	stretch_ahead(&x->ready[XLT_READY_HOT], x->out.base, x->out.off, XLT_COLD_OFF);
	stretch_ahead(&x->ready[XLT_READY_COLD], x->out.base + XLT_COLD_OFF,
		      x->cold.off - XLT_COLD_OFF, SHR_CODE_BYTES - XLT_COLD_OFF);
	MAKE_READY(x, XLT_READY_BLOCK, x->cfg.tables->block, x->n_block, SHR_MAX_BLOCKS);
	MAKE_READY(x, XLT_READY_EXIT, x->cfg.tables->exit, x->n_exit, SHR_MAX_EXITS);
	MAKE_READY(x, XLT_READY_RECOVER, x->cfg.tables->recover, x->n_recover, SHR_MAX_RECOVER);
	MAKE_READY(x, XLT_READY_OWN_EXIT, x->exit, x->n_exit, SHR_MAX_EXITS);
	return true;
}
