#include "cli/where/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/json.h"

#define MOST_MAP    (64u << 20)
#define MOST_ACROSS 256u /* lines that begin between an address and the line that has it */

/* A line of the map. */
struct named {
	uint64_t addr, bytes;
	const char *name;
	size_t line;
};

struct map {
	char *text;	     /* owned, names end with a NUL */
	struct named *named; /* by address, then line; owned */
	size_t n;
};

/* The text of the process's file; NULL: there is none that may be believed. */
static char *read_map(pid_t pid)
{
	char path[64], *text = NULL;
	struct stat st;
	size_t n = 0;
	ssize_t k = 1;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY) : -1;
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    (uint64_t)st.st_size <= MOST_MAP)
		text = malloc((size_t)st.st_size + 1);
	for (; text && k > 0 && n<(size_t)st.st_size; n += k> 0 ? (size_t)k : 0)
		k = read(fd, text + n, (size_t)st.st_size - n);
	close(fd);
	if (text)
		text[n] = 0;
	return text;
}

static int by_address(const void *a, const void *b)
{
	const struct named *s = a, *t = b;

	if (s->addr != t->addr)
		return s->addr < t->addr ? -1 : 1;
	return s->line < t->line ? -1 : s->line > t->line;
}

static void parse_map(struct map *m)
{
	size_t lines = 1;

	for (const char *s = m->text; *s; s++)
		lines += *s == '\n';
	m->named = calloc(lines, sizeof(*m->named));
	for (char *s = m->text, *next; m->named && *s; s = next) {
		char *end = s + strcspn(s, "\n"), *at, *name;
		struct named line = {.line = m->n};

		next = *end ? end + 1 : end;
		*end = 0;
		errno = 0;
		line.addr = strtoull(s, &at, 16);
		line.bytes = strtoull(at, &name, 16);
		if (at == s || name == at || *name != ' ' || !name[1] || errno || !line.bytes ||
		    line.addr + line.bytes < line.addr)
			continue;
		line.name = name + 1;
		for (char *c = name; *c; c++)
			if ((unsigned char)*c < ' ' || *c == 0x7f)
				*c = '?';
		m->named[m->n++] = line;
	}
	if (m->n)
		qsort(m->named, m->n, sizeof(*m->named), by_address);
}

/* The last line of the file that has the address. */
static const struct named *find(const struct map *m, uint64_t addr)
{
	const struct named *best = NULL;
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (m->named[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i > 0 && lo - i < MOST_ACROSS; i--) {
		const struct named *s = &m->named[i - 1];

		if (addr - s->addr < s->bytes && (!best || s->line > best->line))
			best = s;
	}
	return best;
}

static void put(json_t *list, uint64_t from, uint64_t to, const struct named *named)
{
	json_t *range = json_array();

	json_array_append_new(range, json_integer((json_int_t)from));
	json_array_append_new(range, json_integer((json_int_t)(to - from + 1)));
	json_array_append_new(range, rpt_json_text(named->name));
	json_array_append_new(list, range);
}

/* Runs of places that have one name. */
static json_t *names_of(const struct rec_process *p, const struct map *m)
{
	json_t *list = json_array();
	const struct named *run = NULL;
	uint64_t from = 0, to = 0;

	for (uint32_t i = 0; i < p->n_place; i++) {
		const uint64_t at = p->place[i].offset;
		const struct named *named =
		    strcmp(p->object[p->place[i].object], "[anon]") ? NULL : find(m, at);

		if (run && run != named)
			put(list, from, to, run);
		if (named && named != run)
			from = at;
		run = named;
		to = at;
	}
	if (run)
		put(list, from, to, run);
	return list;
}

json_t *cli_jit_names(const struct rec_process *p, pid_t pid)
{
	struct map m = {.text = read_map(pid)};
	json_t *list = NULL;

	if (m.text)
		parse_map(&m);
	if (m.n)
		list = names_of(p, &m);
	free(m.named);
	free(m.text);
	if (json_array_size(list))
		return list;
	json_decref(list);
	return NULL;
}
