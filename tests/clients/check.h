/* check.h -- what the program knows against what it was told: a line per difference, counted in
 * n_wrong. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

static int n_wrong;

#define CHECK(ok, ...)                                                                             \
	do {                                                                                       \
		if (!(ok)) {                                                                       \
			n_wrong++;                                                                 \
			printf("line %d: ", __LINE__);                                             \
			printf(__VA_ARGS__);                                                       \
			putchar('\n');                                                             \
		}                                                                                  \
	} while (0)

#endif
