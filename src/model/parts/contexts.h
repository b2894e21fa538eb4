/* contexts.h -- what a ledger has by calling context.
 *
 * The caller says to which context the next records belong; who called whom is not known here.
 *
 * COUNTING RULES   The running context gets what was booked to instructions since a context was
 *                  booked last. The outcome of a transfer belongs to the context of its block. How
 *                  often blocks were executed in a context comes from the caller. With
 *                  ledger.is_at_once each booking belongs to the context that the machine has set
 *                  (ledger.context). What is counted in LEDGER_OUTSIDE belongs to no context and to
 *                  no instruction.
 */
#ifndef SOFTPMU_MODEL_PARTS_CONTEXTS_H
#define SOFTPMU_MODEL_PARTS_CONTEXTS_H

#include "model/parts/ledger.h"

/* As mdl_set_context(): call it before the records that belong to `context` are fed. What was
 * counted and booked to instructions so far belongs to the context before. */
void ledger_set_context(struct ledger *l, uint32_t context);

/* With ledger.is_at_once: n of a cell were counted in a context. Nothing without contexts. */
void ledger_add_context(struct ledger *l, uint32_t context, unsigned cell, int64_t n);

/* Book what was booked to instructions since the last time to a context. Nothing, when no context
 * was set yet. */
void ledger_book_context(struct ledger *l, uint32_t context);

/* Book what was booked to instructions since the last time to the running context. What was counted
 * and not booked to an instruction is passed over: no context gets it. */
void ledger_pass_contexts(struct ledger *l);

/* As mdl_take_contexts(), of n_ledger machines that are parts of one; of: what to ask of it. */
int ledger_take_contexts(struct ledger *const *l, unsigned n_ledger,
			 const struct ledger_machine *of, const struct mdl_visit *visit, size_t n,
			 mdl_take_posting *take, void *ctx);

/* Forget what was booked to contexts. What was not taken is lost, so ledger_take_contexts() comes
 * before. */
void ledger_forget_contexts(struct ledger *l);

#endif
