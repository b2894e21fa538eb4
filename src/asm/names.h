/* names.h -- the names that a snippet uses and does not define: registers of another width,
 * labels that are missing, and what is left, which becomes cells of data.
 *
 * COUNTING RULES   a name that is a register in any mode or in the other syntax is refused; so
 *                  is the target of a direct branch. AT&T's % and $ in Intel's syntax are
 *                  refused before the assembler sees them: it takes them for something else
 *                  without a word.
 * NOT MODELLED     names in directives (.long x) are taken as data.
 */
#ifndef SOFTPMU_ASM_NAMES_H
#define SOFTPMU_ASM_NAMES_H

#include "asm/object.h"
#include "asm/program.h"
#include "base/text.h"

/* Refuse AT&T's spellings in the statements of t when they are Intel's, and the other way round.
 * Returns 0, -SPMU_EINVAL with a sentence. */
int asm_names_check_syntax(const struct asm_text *t, bool is_att, struct spmu_error *err);

/* Look at the undefined names of object o, that t and init were assembled to; those that are
 * data are added to `data`, with ", " between. Returns 0, -SPMU_EINVAL with a sentence. Cost:
 * names times statements. */
int asm_names_check(const struct asm_text *t, const struct asm_text *init,
		    const struct asm_settings *s, const struct asm_object *o, struct text *data,
		    struct spmu_error *err);

#endif
