/* check.h -- for programs that fork: the first failed check prints its line and ends its process.
 */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("line %d: %s (errno %d)\n", __LINE__, #x, errno);                   \
			fflush(stdout);                                                            \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

#endif
