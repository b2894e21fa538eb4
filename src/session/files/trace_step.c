/* trace_step.c -- looks at one record of a trace. Rules: trace_step.h. */
#include "session/files/trace_step.h"

#include <string.h>

#include "trace/record.h"

void ses_trace_step(const struct x86_store *store, const uint8_t *p, size_t size,
		    struct ses_trace_step *out)
{
	const struct x86_block *b = NULL;
	uint32_t head, word[2] = {0, 0};

	memcpy(&head, p, 4);
	*out = (struct ses_trace_step){0};
	if (head < TRC_SPECIAL) {
		out->block = trc_block_id(head);
		out->slots = p + 4;
	} else if (head == TRC_SPECIAL + TRC_PARTIAL && size >= 16) {
		memcpy(word, p + 8, 8);
		out->block = word[0];
		out->slots = p + 16;
	} else if (head == TRC_SPECIAL + TRC_UNKNOWN_INSN) {
		out->insns = 1;
	}
	if (out->slots && out->block < x86_store_count(store))
		b = x86_store_get(store, out->block);
	if (b)
		out->insns = head < TRC_SPECIAL ? b->n_insn : word[1];
	if (!b || out->insns > b->n_insn || 8u * b->n_slot > (size_t)(p + size - out->slots))
		out->slots = NULL;
}
