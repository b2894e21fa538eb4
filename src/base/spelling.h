/* spelling.h -- how far two words are apart, for "did you mean". */
#ifndef SOFTPMU_BASE_SPELLING_H
#define SOFTPMU_BASE_SPELLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of letters to insert, delete, replace or swap with their neighbour to turn a into b; upper
 * and lower case count as equal, and so do - and _. Only the first 95 letters of each are looked
 * at. */
unsigned spelling_distance(const char *a, const char *b);

enum {
	SPELLING_PART = 4,  /* letters that must be there for a part of a word to stand for it */
	SPELLING_TEXT = 160 /* bytes of a question */
};

/* A search for the nearest name: start with { .word = ... }, offer every candidate, ask.
 *
 * A name of several words (LLC-misses) is compared word by word, in any order. A word that some
 * candidate has (or a part of which is one) is no slip: only a candidate that has it, too, can have
 * been meant. LLC-misses is never BTB_MISSES. */
struct spelling_search {
	const char *word;
	const char *best;  /* NULL until something was offered; the first one among equals */
	unsigned distance; /* of best */
	uint8_t known;	   /* a bit for each word of `word` that some candidate has */
	uint8_t has;	   /* a bit for each word of `word` that best has */
};
void spelling_offer(struct spelling_search *s, const char *candidate);

/* Can best have been meant? Not when more than a quarter of a word's letters is wrong (one of a
 * short word) and best does not contain what was written, and not when best lacks a word that
 * another candidate has. */
bool spelling_is_near(const struct spelling_search *s);

/* "; did you mean LEADbest?" in `text`, to go into a sentence. "" when nothing that was offered can
 * have been meant. Returns `text`. */
const char *spelling_ask(const struct spelling_search *s, const char *lead,
			 char text[SPELLING_TEXT]);

#endif
