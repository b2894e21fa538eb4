/* blocks.c -- blocks of a trace, decoded anew from their code. Rules: player.h. */
#include "session/replay/player.h"

#include <string.h>

#include "base/error.h"
#include "trace/record.h"

/* Code of one block, as a page source for the builder. */
struct block_code {
	uint64_t pc;
	const uint8_t *code;
	uint32_t bytes;
	uint8_t page[4096];
};

static const uint8_t *code_page(void *ctx, uint64_t page_addr)
{
	struct block_code *c = ctx;
	bool has_any = false;

	memset(c->page, 0xcc, sizeof(c->page));
	for (uint32_t i = 0; i < c->bytes; i++) {
		uint64_t at = c->pc + i - page_addr;

		if (at < sizeof(c->page)) {
			c->page[at] = c->code[i];
			has_any = true;
		}
	}
	return has_any ? c->page : NULL;
}

/* Add the block of a TRC_BLOCK payload to the store. */
int ses_player_block(struct ses_player *p, const uint8_t *bytes, uint32_t size)
{
	const uint32_t flags = p->in.flags;
	struct block_code code = {.pc = 0};
	struct x86_code_source src = {.page = code_page, .ctx = &code};
	struct x86_build_limits lim = {.has_slots = true,
				       .has_assists = flags & TRC_FILE_CLASSES,
				       .has_x87_operands = flags & TRC_FILE_X87_OPERANDS,
				       .has_x87_control = flags & TRC_FILE_X87_CONTROL,
				       .has_mmx_operands = flags & TRC_FILE_MMX_OPERANDS,
				       .xsave_bytes = (uint16_t)(flags >> TRC_FILE_XSAVE_SHIFT)};
	struct trc_block fixed;

	if (size < sizeof(fixed))
		return -SPMU_EPROTO;
	memcpy(&fixed, bytes, sizeof(fixed));
	code.pc = fixed.pc;
	code.code = bytes + sizeof(fixed);
	code.bytes = fixed.bytes;
	lim.max_insns = fixed.n_insn;
	if (fixed.id != x86_store_count(p->store) || code.bytes == 0 ||
	    code.bytes > size - sizeof(fixed) || fixed.n_insn == 0 ||
	    fixed.n_insn > X86_MAX_INSNS ||
	    (fixed.mode != X86_MODE_64 && fixed.mode != X86_MODE_32))
		return -SPMU_EPROTO;
	if (fixed.mode != p->builder->mode)
		x86_builder_init(p->builder, fixed.mode);
	if (x86_block_build(p->builder, code.pc, &src, &lim) != 0 ||
	    p->builder->block.bytes != code.bytes || p->builder->block.n_insn != fixed.n_insn)
		return -SPMU_EPROTO;
	return x86_store_add(p->store, &p->builder->block) ? 0 : -SPMU_ENOMEM;
}
