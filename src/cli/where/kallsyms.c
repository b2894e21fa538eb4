/* kallsyms.c -- names of a kernel's code. Rules: kallsyms.h. */
#include "cli/where/kallsyms.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define MOST_SYMBOLS (1u << 22)
#define MOST_NAME    512u
#define TOP	     UINT64_C(0x100000000) /* behind the last address */

struct symbol {
	uint64_t addr;
	bool is_code;
	char *name; /* owned */
};

struct symbols {
	struct symbol *at; /* owned */
	size_t n, room;
};

static void free_symbols(struct symbols *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->at[i].name);
	free(s->at);
}

/* Take a line. Returns false without memory. */
static bool take_line(struct symbols *s, const char *line)
{
	char *end, name[MOST_NAME];
	const uint64_t addr = strtoull(line, &end, 16);
	const char kind = *end == ' ' ? end[1] : 0;
	struct symbol *more;

	if (!isxdigit((unsigned char)*line) || !addr || addr >= TOP ||
	    !isalpha((unsigned char)kind) || end[2] != ' ' || sscanf(end + 3, "%511s", name) != 1 ||
	    s->n == MOST_SYMBOLS)
		return true;
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 4096;
		more = realloc(s->at, s->room * sizeof(*more));
		if (!more)
			return false;
		s->at = more;
	}
	s->at[s->n] = (struct symbol){addr, strchr("TtWw", kind) != NULL, strdup(name)};
	return s->at[s->n++].name != NULL;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *s = a, *t = b;

	return s->addr != t->addr	  ? (s->addr < t->addr ? -1 : 1)
	       : s->is_code != t->is_code ? (s->is_code ? -1 : 1)
					  : strcmp(s->name, t->name);
}

/* The names as lines of a map (session/files/jit_names.h), or NULL. Of several names of one address
 * the first one holds. */
static char *as_map(struct symbols *s)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	qsort(s->at, s->n, sizeof(*s->at), by_address);
	for (size_t i = 0, next; i < s->n; i = next) {
		for (next = i + 1; next < s->n && s->at[next].addr == s->at[i].addr;)
			next++;
		if (s->at[i].is_code && next < s->n)
			fprintf(out, "%llx %llx %s\n", (unsigned long long)s->at[i].addr,
				(unsigned long long)(s->at[next].addr - s->at[i].addr),
				s->at[i].name);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

int cli_kallsyms_read(const char *path, struct ses_jit_names *out)
{
	FILE *in = fopen(path, "r");
	struct symbols s = {NULL, 0, 0};
	bool has_memory = true;
	char *line = NULL, *map;
	size_t room = 0;

	if (!in)
		return cli_fail("--kallsyms %s: %s", path, strerror(errno));
	while (has_memory && getline(&line, &room, in) > 0)
		has_memory = take_line(&s, line);
	fclose(in);
	free(line);
	map = has_memory ? as_map(&s) : NULL;
	if (map)
		ses_jit_parse(out, map);
	free_symbols(&s);
	if (!map)
		return cli_fail("out of memory");
	return out->n ? 0
		      : cli_fail("--kallsyms %s: no line has an address, a letter and a name, as "
				 "/proc/kallsyms and System.map have; a kernel shows its own by "
				 "cat /proc/kallsyms",
				 path);
}
