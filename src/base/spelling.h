/* spelling.h -- how far two words are apart, for "did you mean". */
#ifndef SOFTPMU_BASE_SPELLING_H
#define SOFTPMU_BASE_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

/* Number of letters to insert, delete, replace or swap with their neighbour to turn a into b; upper
 * and lower case count as equal, and so do - and _. Only the first 95 letters of each are looked at. */
unsigned spelling_distance(const char *a, const char *b);

enum {
	SPELLING_PART = 4,  /* letters that must be there for a part of a word to stand for it */
	SPELLING_TEXT = 160 /* bytes of a question */
};

/* A search for the nearest word: start with { .word = ... }, offer every candidate, ask. */
struct spelling_search {
	const char *word;
	const char *best;  /* NULL until something was offered; the first one among equals */
	unsigned distance; /* of best; that of a candidate which contains the word is small */
};
void spelling_offer(struct spelling_search *s, const char *candidate);

/* "; did you mean LEADbest?" in `text`, to go into a sentence. "" when nothing that was offered can have been meant:
 * more than a quarter of the letters is wrong (one of a short word), and nothing contains what was written. Returns `text`. */
const char *spelling_ask(const struct spelling_search *s, const char *lead, char text[SPELLING_TEXT]);

#endif
