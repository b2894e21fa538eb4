/* check.h -- for guest programs that check themselves: a failed check prints its line and counts.
 */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_failed, check_done;

#define CHECK(cond)                                                                                \
	do {                                                                                       \
		check_done++;                                                                      \
		if (!(cond)) {                                                                     \
			check_failed++;                                                            \
			printf("line %d: %s\n", __LINE__, #cond);                                  \
		}                                                                                  \
	} while (0)

static inline int check_end(void)
{
	printf("%d checks, %d failed\n", check_done, check_failed);
	return check_failed != 0;
}

#endif
