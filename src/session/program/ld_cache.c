/* ld_cache.c -- makes the list of libraries for the program's loader at its first question, and
 * answers from it. Rules: ld_cache.h. */
#include "session/program/ld_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/program/ld_cache_file.h"
#include "session/program/libraries.h"
#include "session/serve/serve.h"

#define MOST_FILE_BYTES (16u << 20)
#define HOST_CACHE	"/etc/ld.so.cache"

void ses_ld_cache_free(struct ses_ld_cache *c)
{
	free(c->program);
	free(c->library_path);
	free(c->preload);
	free(c->bytes);
	*c = (struct ses_ld_cache){0};
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

void ses_ld_cache_program(struct ses_ld_cache *c, const char *program, bool is_32,
			  const char *library_path, const char *preload)
{
	ses_ld_cache_free(c);
	c->program = copy(program);
	c->library_path = copy(library_path);
	c->preload = copy(preload);
	c->is_32 = is_32;
}

/* Read the list of the machine's own file; without a file the list is empty. Returns 0 or
 * -SPMU_ENOMEM. */
static int read_host(struct ld_list *l)
{
	const int fd = open(HOST_CACHE, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *bytes;
	size_t n = 0;
	int rc;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MOST_FILE_BYTES) {
		close(fd);
		return 0;
	}
	bytes = malloc((size_t)st.st_size + 1);
	for (ssize_t got = 1;
	     bytes && got > 0 && n<(size_t)st.st_size; n += got> 0 ? (size_t)got : 0)
		got = read(fd, bytes + n, (size_t)st.st_size - n);
	close(fd);
	rc = bytes ? ld_list_read(l, bytes, n) : -SPMU_ENOMEM;
	free(bytes);
	return rc;
}

static void make_list(struct ses_ld_cache *c)
{
	struct ld_list host = {0}, own = {0};

	c->is_made = true;
	if (c->program && !read_host(&host) &&
	    !ses_libraries_list(c->program, c->is_32, c->library_path, c->preload, &host, &own))
		c->bytes = ld_list_bytes(&own, &c->n);
	ld_list_free(&own);
	ld_list_free(&host);
}

/* The program's loader found no library of this name. If the machine's own list would have led to
 * one, note it for the report. */
static void lacks(struct ses_server *s, const char *name)
{
	const bool is_32 = s->ld_cache.is_32;
	struct ld_list host = {0};
	const struct ld_entry *e = NULL;

	if (!s->remarks.cache_lacks[0] && !read_host(&host))
		e = ld_list_find(&host, name, is_32);
	if (e && !ses_libraries_is_own_dir(e->path, is_32))
		snprintf(s->remarks.cache_lacks, sizeof(s->remarks.cache_lacks), "%.63s", name);
	ld_list_free(&host);
}

uint32_t ses_ld_cache_answer(struct ses_server *s)
{
	struct req_box *b = &ses_areas_ctl(s->areas)->req;
	struct ses_ld_cache *c = &s->ld_cache;
	const uint64_t from = b->arg[0];
	char name[REQ_TEXT_BYTES];

	if (b->arg[1]) {
		memcpy(name, b->text, sizeof(name));
		name[sizeof(name) - 1] = 0;
		lacks(s, name);
		return REQ_OK;
	}
	if (!c->is_made)
		make_list(c);
	if (!c->bytes || from > c->n)
		return REQ_BAD;
	b->result[0] = c->n;
	memcpy(b->pages, c->bytes + from,
	       c->n - from < sizeof(b->pages) ? c->n - from : sizeof(b->pages));
	return REQ_OK;
}
