/* spelling.h -- how far two words are apart, for "did you mean". */
#ifndef SOFTPMU_BASE_SPELLING_H
#define SOFTPMU_BASE_SPELLING_H

#include <stddef.h>

/* Number of letters to insert, delete, replace or swap with their neighbour to turn a into b; upper
 * and lower case count as equal, and so do - and _. Only the first 95 letters of each are looked at. */
unsigned spelling_distance(const char *a, const char *b);

/* A search for the nearest word: start with { .word = ... }, offer every candidate, read `best`. */
struct spelling_search {
	const char *word;
	const char *best;  /* NULL until something was offered; the first one among equals */
	unsigned distance; /* of best */
};
void spelling_offer(struct spelling_search *s, const char *candidate);

/* The nearest of n words to `word`, the first one among equals. NULL when n is 0. */
const char *spelling_nearest(const char *word, const char *const *list, size_t n);

#endif
