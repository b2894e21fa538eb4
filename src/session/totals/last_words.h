/* last_words.h -- finds out if a program that failed has written that its processor lacks
 * something.
 *
 * RULE     a text is about the processor if one of its lines has a word for a processor and a word
 *          for a lack ("this CPU does not support ..."), or if the text names a feature of the
 *          x86-64 levels and has a word for a lack. Words of a path are names of files. A line of
 *          the loader ("error while loading shared libraries") is about a file unless it has a
 *          word for a processor.
 * LIMITS   English; the last SHR_WORDS_BYTES bytes of what was written.
 */
#ifndef SOFTPMU_SESSION_LAST_WORDS_H
#define SOFTPMU_SESSION_LAST_WORDS_H

#include <stddef.h>

#include "trace/share.h"

/* Returns the --isa value that the text asks for. The text is n untrusted bytes of a program
 * that was shown the level `shown` (1..4, 0 = host, SHR_ISA_CPU). Returns 0 if the text is not
 * about the processor, or if softpmu cannot show more; 1..4; or SES_WORDS_HOST for a feature of
 * no level, or above v4. */
#define SES_WORDS_HOST 5
int ses_words_isa(const char *text, size_t n, unsigned shown);

/* As ses_words_isa() for the guest of this control area. Returns 0 also if the guest ended well or
 * never executed CPUID. */
int ses_last_words_isa(const struct shr_ctl *c);

#endif
