/* mutate.h -- facts that a test may change, to see whether it notices (--mutate): moves.def,
 * rules.def. */
#ifndef SOFTPMU_MODEL_P6_MUTATE_H
#define SOFTPMU_MODEL_P6_MUTATE_H

#include <stdint.h>

struct p6;

/* What is done to a line, and where. */
enum p6_move {
#define P6_MOVE(id, i, s, e, m) P6_MOVE_##id,
#include "model/p6/moves.def"
#undef P6_MOVE
	P6_N_MOVES
};

/* Rules of replacement and prediction. */
enum p6_rule {
	P6_RULE_NONE,
#define P6_RULE(id, name, text)	    P6_RULE_##id,
#define P6_SET_RULE(id, name, text) P6_RULE_##id,
#include "model/p6/rules.def"
#undef P6_RULE
#undef P6_SET_RULE
};

/* The rules of the general forms. p6_mutate() writes them; a machine that is changed is plain. */
struct p6_rules {
	uint8_t move[P6_N_MOVES][4]; /* by enum cache_state: the next one */
	uint8_t broken;		     /* enum p6_rule */
};

/* Set m->rules and m->retire.uops, and change what `mutation` says (mdl_config.mutation; NULL:
 * nothing); when caches and predictors are open. Returns 0, -SPMU_EINVAL when there is no such
 * thing, or -SPMU_ENOMEM. Freed by p6_close (mutate.c). */
int p6_mutate(struct p6 *m, const char *mutation);

#endif
