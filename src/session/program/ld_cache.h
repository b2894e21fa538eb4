/* ld_cache.h -- the list of libraries that a program's loader is shown in place of the machine's
 * /etc/ld.so.cache.
 *
 * RULE           it holds the libraries that the program and its libraries name (DT_NEEDED,
 *                LD_PRELOAD), as far as the loader would find them by the machine's list or in its
 *                own directories. So its size and order depend on the program, and not on what else
 *                is installed.
 * NOT MODELLED   libraries in glibc-hwcaps folders: the plain ones are listed.
 */
#ifndef SOFTPMU_SESSION_LD_CACHE_H
#define SOFTPMU_SESSION_LD_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ses_server;

struct ses_ld_cache {
	char *program, *library_path, *preload; /* owned; NULL: not there */
	bool is_32, is_made;
	uint8_t *bytes; /* of the file; owned */
	size_t n;
};

/* Another program begins: forget the old list. library_path, preload: its LD_LIBRARY_PATH and
 * LD_PRELOAD, or NULL. All are copied. */
void ses_ld_cache_program(struct ses_ld_cache *c, const char *program, bool is_32,
			  const char *library_path, const char *preload);

/* Answer REQ_LD_CACHE. Returns REQ_OK or REQ_BAD. Cost: headers of each library are read,
 * once per program. */
uint32_t ses_ld_cache_answer(struct ses_server *s);

void ses_ld_cache_free(struct ses_ld_cache *c);

#endif
