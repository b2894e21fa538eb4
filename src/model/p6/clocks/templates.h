/* templates.h -- what machines with clocks know of code alike, kept once: templates of blocks
 * (template.h), and numbers for what rename and later stages see of a micro-op.
 *
 * The machines of a system and of a team share a template store (decision 024), from several
 * threads: one that meets a block first makes its templates, and keeps them for all.
 *
 * COUNTING RULES   none: numbers tell contents apart, which machine made them first changes
 *                  nothing.
 * NOT MODELLED     forgetting contents: there are as many as there are kinds of micro-ops, some ten
 *                  thousand; behind four million the run ends as without memory.
 */
#ifndef SOFTPMU_MODEL_P6_TEMPLATES_H
#define SOFTPMU_MODEL_P6_TEMPLATES_H

#include <stdint.h>

#include "model/p6/clocks/template.h"
#include "model/p6/clocks/template_fast.h"

struct p6;
struct p6_templates;
struct x86_block;

/* An empty template store with one user; NULL when memory is out. */
struct p6_templates *p6_templates_open(void);
/* One more user. Returns b. */
struct p6_templates *p6_templates_use(struct p6_templates *b);
/* One less: the last one closes it. b may be NULL. */
void p6_templates_leave(struct p6_templates *b);

/* Templates of b, of which p6_bogus_of() says `bogus`; m makes them when nobody did. Given back by
 * p6_templates_put(). NULL when memory is out. Cost: a lock; when they are new, about 0.2 us per
 * instruction. */
struct p6_tblk *p6_templates_get(struct p6 *m, const struct x86_block *b, uint64_t bogus);

/* One user more of t. Returns it. */
struct p6_tblk *p6_templates_keep(struct p6_templates *b, struct p6_tblk *t);

/* t is not used any more by one of its users. It may be NULL. */
void p6_templates_put(struct p6_templates *b, struct p6_tblk *t);

/* Block ids are void: templates made so far are not found any more. */
void p6_templates_forget(struct p6_templates *b);

/* What rename and later stages see of a micro-op. It stays where it is until the template store is
 * closed. */
struct p6_content {
	struct p6_uop uop;
	struct p6_fast_uop fast; /* follows from both */
	struct p6_step step;
};

/* That of u, which lies in a template store. */
static inline const struct p6_content *p6_content_of(const struct p6_uop *u)
{
	return (const struct p6_content *)(const void *)u;
}

/* Number 1 and on of a template store's contents. */
const struct p6_content *p6_templates_content(const struct p6_templates *b, uint32_t number);

/* Instruction i of t. */
static inline const struct p6_step *p6_templates_step(const struct p6_templates *b,
						      const struct p6_tblk *t, unsigned i)
{
	return &p6_templates_content(b, t->uop[t->code[i].first_uop].content)->step;
}

#endif
