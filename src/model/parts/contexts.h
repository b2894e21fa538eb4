/* contexts.h -- what a ledger has by calling context.
 *
 * The caller says to which context the next records belong; who called whom is not known here.
 *
 * COUNTING RULES   what cells have moved up to the last booking to an instruction, since a context
 *                  was booked last, is the running context's; the outcome of a transfer is that of
 *                  its block's context. Executions of whole blocks come from the caller. What
 *                  With ledger.is_at_once each booking is that of the context that the machine
 *                  names. What moves in LEDGER_OUTSIDE is no context's, and no instruction's.
 */
#ifndef SOFTPMU_MODEL_PARTS_CONTEXTS_H
#define SOFTPMU_MODEL_PARTS_CONTEXTS_H

#include "model/parts/ledger.h"

/* As mdl_set_context(): before the records that belong to `context` are fed. What was counted so
 * far and booked to instructions is that of the context before. */
void ledger_set_context(struct ledger *l, uint32_t context);

/* With ledger.is_at_once: n of a cell were counted in a context. Nothing without contexts. */
void ledger_add_context(struct ledger *l, uint32_t context, unsigned cell, int64_t n);

/* Book what was booked to instructions since the last time to a context. Nothing, when no context
 * was set yet. */
void ledger_book_context(struct ledger *l, uint32_t context);

/* The same to the running one; what moved since then is nobody's. */
void ledger_pass_contexts(struct ledger *l);

/* As mdl_take_contexts(), of n_ledger machines that are parts of one; of: what to ask of it. */
int ledger_take_contexts(struct ledger *const *l, unsigned n_ledger,
			 const struct ledger_machine *of, const struct mdl_visit *visit, size_t n,
			 mdl_take_posting *take, void *ctx);

/* Forget what was booked to contexts. What was not taken is lost, so ledger_take_contexts() comes
 * before. */
void ledger_forget_contexts(struct ledger *l);

#endif
