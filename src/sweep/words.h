/* words.h -- words of a command line as a shell reads and writes them: quotes and backslashes,
 * nothing else. */
#ifndef SOFTPMU_SWEEP_WORDS_H
#define SOFTPMU_SWEEP_WORDS_H

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

struct swp_words {
	char **word; /* NULL terminated; owned */
	size_t n;
	char *input; /* the file behind "<", owned; NULL: there is none */
};

/* Split text. "<FILE" or "< FILE" that is not in quotes names standard input. out begins with all
 * zero, and is the caller's in either case (swp_words_free). Returns 0; -SPMU_EINVAL with a
 * sentence (a quote without its end, what only a shell does); -SPMU_ENOMEM. */
int swp_words(const char *text, struct swp_words *out, struct spmu_error *err);
void swp_words_free(struct swp_words *w);

/* Append a copy of a word. Returns 0 or -SPMU_ENOMEM. */
int swp_words_add(struct swp_words *w, const char *word);

/* Append `word` as a shell reads it back, with a blank before it where t has something already. */
void swp_quote(struct text *t, const char *word);

#endif
