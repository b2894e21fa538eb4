/* branch.c -- takes back a near branch to an address that is not canonical, and raises its fault.
 * Rules: branch.h. */
#include "guest/cpu/branch.h"

#include "guest/memory/copy.h"
#include "guest/cpu/prefix.h"
#include "guest/gst.h"
#include "guest/signals/signal.h"
#include "guest/signals/trap.h"

#define MOST_BYTES 15u

/* Returns the bytes that the branch at pc has added to the stack pointer. */
static int64_t stack_change(uint64_t pc, uint64_t bytes)
{
	uint8_t code[MOST_BYTES + 3] = {0}, *p = code;

	if (bytes > MOST_BYTES || gst_copy_in(code, pc, bytes))
		return 0;
	while (p < code + MOST_BYTES && (gst_is_prefix(*p) || gst_is_rex(*p)))
		p++;
	switch (*p) {
	case 0xc2: return 8 + (p[1] | p[2] << 8);
	case 0xc3: return 8;
	case 0xe8: return -8;
	case 0xff: return (p[1] >> 3 & 7) == 2 ? -8 : 0;
	default: return 0;
	}
}

void gst_branch_fault(struct gst *g, uint32_t block)
{
	const struct shr_block *b = &g->tab->block[block & (SHR_MAX_BLOCKS - 1)];
	const uint64_t end = b->pc + b->guest_bytes;

	if (!b->n_recover)
		gst_refuse(g, "a branch of translated code outside any block", NULL);
	g->gs->pc = b->pc + g->tab->recover[b->recover_off + b->n_recover - 1u].pc_off;
	g->gs->gpr[4] -= (uint64_t)stack_change(g->gs->pc, end - g->gs->pc);
	g->t->is_trap_due = 0;
	gst_take_back(g, block);
	gst_signal_trap(g, GST_SIGSEGV, TRAP_PROTECTION);
}
