/* paths.c -- rewrites paths of sources and looks for their files. Rules: paths.h. */
#include "names/paths.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_ROOM 256u

static size_t place_of(const struct nm_paths *p, const char *file)
{
	uint64_t h = 0xcbf29ce484222325ull;
	size_t at;

	for (const char *s = file; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ull;
	at = (size_t)(h ^ h >> 32) & (p->room - 1);
	while (p->known[at].from && strcmp(p->known[at].from, file))
		at = (at + 1) & (p->room - 1);
	return at;
}

/* Room for one more. Returns 0 without memory. */
static int grow(struct nm_paths *p)
{
	struct nm_paths more = *p;

	if (2 * p->n < p->room)
		return 1;
	more.room = p->room ? 2 * p->room : FIRST_ROOM;
	more.known = calloc(more.room, sizeof(*more.known));
	if (!more.known)
		return 0;
	for (size_t i = 0; i < p->room; i++)
		if (p->known[i].from)
			more.known[place_of(&more, p->known[i].from)] = p->known[i];
	free(p->known);
	*p = more;
	return 1;
}

/* With its beginning rewritten; "OLD=" takes OLD away. */
static void rewrite(const struct nm_paths *p, const char *file, char *out, size_t room)
{
	snprintf(out, room, "%s", file);
	for (unsigned i = 0; i < p->n_prefix; i++) {
		const char *is = strchr(p->prefix[i], '=');
		const size_t n = (size_t)(is - p->prefix[i]);

		if (strncmp(file, p->prefix[i], n))
			continue;
		snprintf(out, room, "%s%s", is + 1, file + n);
		return;
	}
}

/* The longest end of path that is a file below the directory, in its place. */
static void find_below(const char *directory, char *path, size_t room)
{
	char below[PATH_MAX];

	for (const char *end = path; end; end = strchr(end, '/')) {
		end += *end == '/';
		snprintf(below, sizeof(below), "%s/%s", directory, end);
		if (*end && !access(below, R_OK)) {
			snprintf(path, room, "%s", below);
			return;
		}
	}
}

const char *nm_paths_here(struct nm_paths *p, const char *file)
{
	char path[PATH_MAX];
	size_t at;

	if ((!p->n_prefix && !p->source_dir) || strlen(file) >= sizeof(path) || !grow(p))
		return file;
	at = place_of(p, file);
	if (p->known[at].from)
		return p->known[at].to;
	rewrite(p, file, path, sizeof(path));
	if (p->source_dir)
		find_below(p->source_dir, path, sizeof(path));
	p->known[at].from = strdup(file);
	p->known[at].to = strdup(path);
	if (p->known[at].from && p->known[at].to) {
		p->n++;
		return p->known[at].to;
	}
	free(p->known[at].from);
	free(p->known[at].to);
	p->known[at] = (struct nm_path){NULL, NULL};
	return file;
}

const char *nm_paths_object(const struct nm_paths *p, const char *path, char *out, size_t room)
{
	rewrite(p, path, out, room);
	return access(out, R_OK) ? path : out;
}

void nm_paths_free(struct nm_paths *p)
{
	for (size_t i = 0; i < p->room; i++) {
		free(p->known[i].from);
		free(p->known[i].to);
	}
	free(p->known);
	memset(p, 0, sizeof(*p));
}
