/* jit.c -- reads /tmp/perf-PID.map and gives names to addresses in no file. Rules: jit.h. */
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
#define MOST_DUMP   (256u << 20)
#define MOST_ACROSS 256u /* lines that begin between an address and the line that has it */

/* A line of the map, or a record of the dump. */
struct named {
	uint64_t addr, bytes;
	const char *name;
	size_t line;
};

struct map {
	char *text;	     /* owned, names end with a NUL */
	char *dump;	     /* the same of the dump */
	struct named *named; /* by address, then line; owned */
	size_t n;
};

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
		make_plain(name);
		m->named[m->n++] = line;
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

static bool add(struct map *m, size_t *room, struct named as)
{
	if (m->n == *room) {
		const size_t more = *room ? 2 * *room : 256;
		void *p = realloc(m->named, more * sizeof(*m->named));

		if (!p)
			return false;
		m->named = p;
		*room = more;
	}
	if (as.bytes && as.addr + as.bytes >= as.addr) {
		as.line = m->n;
		m->named[m->n++] = as;
	}
	return true;
}

/* The name of the code that lay at the address last. */
static const char *name_at(const struct map *m, size_t first, uint64_t addr)
{
	for (size_t i = m->n; i > first; i--)
		if (m->named[i - 1].addr == addr)
			return m->named[i - 1].name;
	return NULL;
}

/* A record of `bytes` bytes behind its head. Returns false when it does not fit, or without
 * memory. */
static bool take_load(struct map *m, size_t *room, char *body, size_t bytes)
{
	struct dump_load load;
	char *name = body + sizeof(load);

	if (bytes <= sizeof(load) || !memchr(name, 0, bytes - sizeof(load)))
		return false;
	memcpy(&load, body, sizeof(load));
	make_plain(name);
	return add(m, room, (struct named){load.addr, load.bytes, name, 0});
}

/* The same; the dump's names begin at m->named[first]. */
static bool take_move(struct map *m, size_t *room, size_t first, const char *body, size_t bytes)
{
	struct dump_move move;
	const char *name;

	if (bytes < sizeof(move))
		return false;
	memcpy(&move, body, sizeof(move));
	name = name_at(m, first, move.from);
	return !name || add(m, room, (struct named){move.to, move.bytes, name, 0});
}

/* Records behind the lines of the map, whose room is m->n. A record that does not fit ends it. */
static void parse_dump(struct map *m, size_t n)
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

static void put_name(json_t *list, uint64_t from, uint64_t to, const struct named *named)
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
			put_name(list, from, to, run);
		if (named && named != run)
			from = at;
		run = named;
		to = at;
	}
	if (run)
		put_name(list, from, to, run);
	return list;
}

json_t *cli_jit_names(const struct rec_process *p, pid_t pid)
{
	size_t n_text, n_dump;
	struct map m = {.text = read_file("/tmp/perf-%d.map", pid, MOST_MAP, &n_text),
			.dump = read_file("jit-%d.dump", pid, MOST_DUMP, &n_dump)};
	json_t *list = NULL;

	if (m.text)
		parse_map(&m);
	if (m.dump)
		parse_dump(&m, n_dump);
	if (m.n) {
		qsort(m.named, m.n, sizeof(*m.named), by_address);
		list = names_of(p, &m);
	}
	free(m.named);
	free(m.text);
	free(m.dump);
	if (json_array_size(list))
		return list;
	json_decref(list);
	return NULL;
}
