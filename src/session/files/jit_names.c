/* jit_names.c -- reads /tmp/perf-PID.map and jit-PID.dump. Rules: jit_names.h. */
#include "session/files/jit_names.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

#define MOST_MAP    (64u << 20)
#define MOST_DUMP   (256u << 20)
#define MOST_ACROSS 256u /* lines that begin between an address and the line that has it */

/* Contents of a process's file, *n bytes and a NUL; NULL: there is none that may be believed. form:
 * its path, with %d for the pid. */
static char *read_file(const char *form, pid_t pid, uint64_t most, size_t *n)
{
	char path[64], *text = NULL;
	struct stat st;
	ssize_t k = 1;
	int fd;

	*n = 0;
	snprintf(path, sizeof(path), form, (int)pid);
	fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY) : -1;
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    (uint64_t)st.st_size <= most)
		text = malloc((size_t)st.st_size + 1);
	for (; text && k > 0 && *n<(size_t)st.st_size; *n += k> 0 ? (size_t)k : 0)
		k = read(fd, text + *n, (size_t)st.st_size - *n);
	close(fd);
	if (text)
		text[*n] = 0;
	return text;
}

/* Control characters of a name become '?'. */
static void make_plain(char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f)
			*name = '?';
}

static int by_address(const void *a, const void *b)
{
	const struct ses_jit_name *s = a, *t = b;

	if (s->addr != t->addr)
		return s->addr < t->addr ? -1 : 1;
	return s->line < t->line ? -1 : s->line > t->line;
}

static void parse_map(struct ses_jit_names *m)
{
	size_t lines = 1;

	for (const char *s = m->text; *s; s++)
		lines += *s == '\n';
	m->name = calloc(lines, sizeof(*m->name));
	for (char *s = m->text, *next; m->name && *s; s = next) {
		char *end = s + strcspn(s, "\n"), *at, *name;
		struct ses_jit_name line = {.line = m->n};

		next = *end ? end + 1 : end;
		*end = 0;
		errno = 0;
		line.addr = strtoull(s, &at, 16);
		line.bytes = strtoull(at, &name, 16);
		if (at == s || name == at || *name != ' ' || !name[1] || errno || !line.bytes ||
		    line.addr + line.bytes < line.addr)
			continue;
		line.name = name + 1;
		make_plain(name);
		m->name[m->n++] = line;
	}
}

/* ---- jitdump --------------------------------------------------------------------------------- */

/* The file's head; then records, each with its head. Numbers have the machine's byte order. */
struct dump_head {
	uint32_t magic, version, bytes, machine, pad, pid;
	uint64_t time, flags;
};
struct dump_record {
	uint32_t kind, bytes;
	uint64_t time;
};
struct dump_load { /* a name and the code follow */
	uint32_t pid, tid;
	uint64_t vma, addr, bytes, index;
};
struct dump_move {
	uint32_t pid, tid;
	uint64_t vma, from, to, bytes, index;
};
enum { DUMP_LOAD, DUMP_MOVE };
#define DUMP_MAGIC 0x4a695444u

static bool add(struct ses_jit_names *m, size_t *room, struct ses_jit_name as)
{
	if (m->n == *room) {
		const size_t more = *room ? 2 * *room : 256;
		void *p = realloc(m->name, more * sizeof(*m->name));

		if (!p)
			return false;
		m->name = p;
		*room = more;
	}
	if (as.bytes && as.addr + as.bytes >= as.addr) {
		as.line = m->n;
		m->name[m->n++] = as;
	}
	return true;
}

/* The name of the code that lay at the address last. */
static const char *name_at(const struct ses_jit_names *m, size_t first, uint64_t addr)
{
	for (size_t i = m->n; i > first; i--)
		if (m->name[i - 1].addr == addr)
			return m->name[i - 1].name;
	return NULL;
}

/* A record of `bytes` bytes behind its head. Returns false when it does not fit, or without
 * memory. */
static bool take_load(struct ses_jit_names *m, size_t *room, char *body, size_t bytes)
{
	struct dump_load load;
	char *name = body + sizeof(load);

	if (bytes <= sizeof(load) || !memchr(name, 0, bytes - sizeof(load)))
		return false;
	memcpy(&load, body, sizeof(load));
	make_plain(name);
	return add(m, room, (struct ses_jit_name){load.addr, load.bytes, name, 0});
}

/* As take_load(), for a record of code that moved; the dump's names begin at m->name[first]. */
static bool take_move(struct ses_jit_names *m, size_t *room, size_t first, const char *body,
		      size_t bytes)
{
	struct dump_move move;
	const char *name;

	if (bytes < sizeof(move))
		return false;
	memcpy(&move, body, sizeof(move));
	name = name_at(m, first, move.from);
	return !name || add(m, room, (struct ses_jit_name){move.to, move.bytes, name, 0});
}

/* Records behind the lines of the map, whose room is m->n. A record that does not fit ends it. */
static void parse_dump(struct ses_jit_names *m, size_t n)
{
	const size_t first = m->n;
	struct dump_head head;
	size_t room = m->n, at;
	bool fits = true;

	if (n < sizeof(head))
		return;
	memcpy(&head, m->dump, sizeof(head));
	if (head.magic != DUMP_MAGIC || head.bytes < sizeof(head) || head.bytes > n)
		return;
	for (at = head.bytes; fits && n - at >= sizeof(struct dump_record);) {
		struct dump_record r;
		char *body = m->dump + at + sizeof(r);

		memcpy(&r, m->dump + at, sizeof(r));
		if (r.bytes < sizeof(r) || r.bytes > n - at)
			return;
		if (r.kind == DUMP_LOAD)
			fits = take_load(m, &room, body, r.bytes - sizeof(r));
		else if (r.kind == DUMP_MOVE)
			fits = take_move(m, &room, first, body, r.bytes - sizeof(r));
		at += r.bytes;
	}
}

/* The last line of the file that has the address. */
const struct ses_jit_name *ses_jit_find(const struct ses_jit_names *m, uint64_t addr)
{
	const struct ses_jit_name *best = NULL;
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (m->name[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i > 0 && lo - i < MOST_ACROSS; i--) {
		const struct ses_jit_name *s = &m->name[i - 1];

		if (addr - s->addr < s->bytes && (!best || s->line > best->line))
			best = s;
	}
	return best;
}

void ses_jit_parse(struct ses_jit_names *m, char *text)
{
	m->text = text;
	parse_map(m);
}

void ses_jit_read(struct ses_jit_names *m, pid_t pid)
{
	size_t n_text, n_dump;

	m->text = read_file("/tmp/perf-%d.map", pid, MOST_MAP, &n_text);
	m->dump = read_file("jit-%d.dump", pid, MOST_DUMP, &n_dump);
	if (m->text)
		parse_map(m);
	if (m->dump)
		parse_dump(m, n_dump);
}

char *ses_jit_lines(const struct ses_jit_names *m, size_t *bytes)
{
	struct text lines = {0};
	char *copy;

	for (size_t i = 0; i < m->n; i++)
		text_printf(&lines, "%" PRIx64 " %" PRIx64 " %s\n", m->name[i].addr,
			    m->name[i].bytes, m->name[i].name);
	*bytes = m->n ? strlen(text_get(&lines)) : 0;
	copy = *bytes ? strdup(text_get(&lines)) : NULL;
	text_free(&lines);
	return copy;
}

void ses_jit_sort(struct ses_jit_names *m)
{
	if (m->n)
		qsort(m->name, m->n, sizeof(*m->name), by_address);
}

void ses_jit_free(struct ses_jit_names *m)
{
	free(m->name);
	free(m->text);
	free(m->dump);
	*m = (struct ses_jit_names){.name = NULL};
}
