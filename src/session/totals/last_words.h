/* last_words.h -- whether a program that ended badly said that its processor lacks something.
 *
 * RULE     a text is about the processor when one of its lines has a word for a processor and
 *          one for a lack ("this CPU does not support ..."), or when it names a feature of the
 *          x86-64 levels anywhere beside a word for a lack.
 * LIMITS   English; the last SHR_WORDS_BYTES bytes of what was written.
 */
#ifndef SOFTPMU_SESSION_LAST_WORDS_H
#define SOFTPMU_SESSION_LAST_WORDS_H

#include <stddef.h>

#include "trace/share.h"

/* Which --isa the text (n bytes, of a stranger) asks for, of a program that was shown `shown`
 * (1..4, 0 = host, SHR_ISA_CPU). Returns 0 when it is not about the processor or more cannot be
 * shown; 1..4; SES_WORDS_HOST: a feature of no level, or more than v4. */
#define SES_WORDS_HOST 5
int ses_words_isa(const char *text, size_t n, unsigned shown);

/* The same for the guest of this control area: 0 too when it ended well or never executed CPUID. */
int ses_last_words_isa(const struct shr_ctl *c);

#endif
