/* check.c -- blocks that compare their source bytes each time they start.
 *
 * For code that bounces between written and executed, or that is shared and may be written through
 * another mapping. The comparison goes in pieces of 8 bytes, without touching flags; a difference
 * leaves by SHR_EXIT_CHECK.
 */
#include "translate/terminator.h"

static void note_source_bytes(struct xlt *x, const struct x86_block *blk, struct shr_block *t)
{
	uint64_t done = 0;

	t->flags |= SHR_BLK_CHECK;
	t->check_off = x->n_check_bytes;
	while (done < blk->bytes) {
		uint64_t at = blk->pc + done, off = at & (XLT_PAGE_BYTES - 1);
		const struct xlt_page *p = xlt_find_page(x, at - off);
		uint64_t n = XLT_PAGE_BYTES - off;

		if (n > blk->bytes - done)
			n = blk->bytes - done;
		memcpy(x->cfg.tables->bytes + t->check_off + done, p->bytes + off, n);
		done += n;
	}
	x->n_check_bytes += blk->bytes;
}

void xlt_emit_source_check(struct xlt_emitter *e, struct shr_block *t)
{
	const struct x86_block *blk = &e->b->block;
	struct xlt *x = e->x;
	struct x86_out *o = e->out;
	uint32_t check, differs;
	const uint8_t *source;

	note_source_bytes(x, blk, t);
	source = x->cfg.tables->bytes + t->check_off;
	check = xlt_new_exit(x, SHR_EXIT_CHECK, blk->pc, e->id);
	differs = x->cold.off;
	if (check == XLT_NONE)
		return;
	emit_load_gs(&x->cold, X86_RCX, SHR_GS_SPILL_RCX);
	emit_load_gs(&x->cold, X86_RAX, SHR_GS_SPILL_RAX);
	xlt_emit_exit(x, check);
	emit_store_gs(o, SHR_GS_SPILL_RCX, X86_RCX);
	emit_store_gs(o, SHR_GS_SPILL_RAX, X86_RAX);
	xlt_mark(e, e->state | SHR_ST_RCX | SHR_ST_RAX);
	for (unsigned at = 0, n; at < blk->bytes; at += n) {
		uint64_t value = 0;

		n = blk->bytes - at;
		if (n < 8 && blk->bytes >= 8)
			at = blk->bytes - 8u; /* some of them twice */
		n = n >= 8 || blk->bytes >= 8 ? 8 : n >= 4 ? 4 : n >= 2 ? 2 : 1;
		memcpy(&value, source + at, n);
		emit_mov_imm64(o, X86_RAX, blk->pc + at);
		switch (n) {
		case 8: emit_bytes(o, "\x48\x8b\x00", 3); break;  /* mov rax, [rax] */
		case 4: emit_bytes(o, "\x8b\x00", 2); break;	  /* mov eax, [rax] */
		case 2: emit_bytes(o, "\x0f\xb7\x00", 3); break;  /* movzx eax, word [rax] */
		default: emit_bytes(o, "\x0f\xb6\x00", 3); break; /* movzx eax, byte [rax] */
		}
		emit_mov_imm64(o, X86_RCX, 0 - value);
		emit_lea_index(o, X86_RCX, X86_RCX, X86_RAX);
		emit_bytes(o, "\xe3\x05", 2); /* jrcxz over the jump */
		emit_jump(o, differs);
	}
	emit_load_gs(o, X86_RCX, SHR_GS_SPILL_RCX);
	emit_load_gs(o, X86_RAX, SHR_GS_SPILL_RAX);
	xlt_mark(e, e->state & ~(unsigned)(SHR_ST_RCX | SHR_ST_RAX));
	x->cfg.tables->exit[check].resume = o->off;
}
