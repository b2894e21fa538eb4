/* process_file.c -- replaces "%p" in a file name by the order of birth of a process. */
#include "session/files/process_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK	   "%p"
#define NAME_BYTES (SES_BIRTH_BYTES + 20)

bool ses_has_process_files(const char *pattern)
{
	return pattern && strstr(pattern, MARK);
}

char *ses_process_file(const char *pattern, const struct ses_member *m)
{
	const bool is_cut = strstr(m->birth, "...") != NULL; /* others may begin alike */
	char name[NAME_BYTES], *out, *to;
	size_t n = 0;

	snprintf(name, sizeof(name), "%s", m->birth);
	if (is_cut)
		snprintf(name, sizeof(name), "%.80s-%016" PRIx64, m->birth, m->birth_hash);
	for (const char *p = pattern; (p = strstr(p, MARK)); p += strlen(MARK))
		n++;
	out = to = malloc(strlen(pattern) + n * strlen(name) + 1);
	if (!out)
		return NULL;
	for (;;) {
		const char *mark = strstr(pattern, MARK);

		if (!mark)
			break;
		memcpy(to, pattern, (size_t)(mark - pattern));
		to += mark - pattern;
		to = stpcpy(to, name);
		pattern = mark + strlen(MARK);
	}
	strcpy(to, pattern);
	return out;
}
