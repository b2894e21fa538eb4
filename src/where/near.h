/* near.h -- the function that was meant by a name that none has.
 *
 * RULE   functions of the program and of libraries that lie beside it come first: one of the
 *        system's files (/usr, /lib, /opt) is proposed only where none of them is near. A name
 *        without :: is compared with the last part of a function's name, too.
 */
#ifndef SOFTPMU_WHERE_NEAR_H
#define SOFTPMU_WHERE_NEAR_H

#include "base/spelling.h"

#define WHR_NEAR_NAME 512u

/* The nearest of some names. */
struct whr_nearest {
	struct spelling_search search;
	char best[WHR_NEAR_NAME];
};

struct whr_near {
	struct whr_nearest own, system;
};

/* word: what was asked for; borrowed. */
void whr_near_open(struct whr_near *n, const char *word);

/* Offers a function of the file `object`; texts are copied where they are needed. */
void whr_near_offer(struct whr_near *n, const char *function, const char *object);

/* "; did you mean NAME?" in `text`, or "". Returns `text`. */
const char *whr_near_ask(const struct whr_near *n, char text[SPELLING_TEXT]);

#endif
