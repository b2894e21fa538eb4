/* ld_cache_file.c -- reads and writes the format of /etc/ld.so.cache. Rules: ld_cache_file.h.
 * Entries are written in the loader's own order of names, because it searches the file by
 * halves. */
#include "session/program/ld_cache_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define OLD_MAGIC	   "ld.so-1.7.0"
#define NEW_MAGIC	   "glibc-ld.so.cache1.1" /* without a NUL behind it */
#define OLD_HEAD_BYTES	   16u
#define OLD_ENTRY_BYTES	   12u
#define MOST_ENTRIES	   100000u
#define LITTLE_ENDIAN_FILE 2u
#define FLAGS_64	   0x0303 /* x86-64, C library 6 */
#define FLAGS_32	   0x0003
#define FLAGS_ANY	   0x0001 /* not shown: the library does not need a C library */

struct head {
	char magic[20];
	uint32_t n, string_bytes;
	uint8_t flags, zero[3];
	uint32_t extensions, unused[3];
};

struct row {
	int32_t flags;
	uint32_t name, path; /* offsets from the head */
	uint32_t os_version;
	uint64_t hwcap;
};

int ld_list_add(struct ld_list *l, const char *name, const char *path, bool is_32)
{
	struct ld_entry e = {strdup(name), strdup(path), is_32};

	if (l->n == l->room) {
		const size_t room = l->room ? 2 * l->room : 64;
		struct ld_entry *more = realloc(l->entry, room * sizeof(*more));

		if (more) {
			l->entry = more;
			l->room = room;
		}
	}
	if (!e.name || !e.path || l->n == l->room) {
		free(e.name);
		free(e.path);
		return -SPMU_ENOMEM;
	}
	l->entry[l->n++] = e;
	return 0;
}

/* The text at an offset, or NULL when it does not end within the bytes. */
static const char *text_at(const uint8_t *bytes, size_t n, uint32_t at)
{
	return at < n && memchr(bytes + at, 0, n - at) ? (const char *)bytes + at : NULL;
}

/* Where the head of the newer format lies, or n. */
static size_t head_at(const uint8_t *bytes, size_t n)
{
	size_t at = 0;
	uint32_t rows;

	if (n > OLD_HEAD_BYTES && !memcmp(bytes, OLD_MAGIC, sizeof(OLD_MAGIC))) {
		memcpy(&rows, bytes + OLD_HEAD_BYTES - 4, 4);
		if (rows > MOST_ENTRIES)
			return n;
		at = (OLD_HEAD_BYTES + rows * (size_t)OLD_ENTRY_BYTES + 7) & ~(size_t)7;
	}
	return at < n && n - at >= sizeof(struct head) && !memcmp(bytes + at, NEW_MAGIC, 20) ? at
											     : n;
}

int ld_list_read(struct ld_list *l, const uint8_t *bytes, size_t n)
{
	const size_t at = head_at(bytes, n);
	struct head h;

	if (at == n)
		return 0;
	bytes += at;
	n -= at;
	memcpy(&h, bytes, sizeof(h));
	for (uint32_t i = 0; i < h.n && (n - sizeof(h)) / sizeof(struct row) > i; i++) {
		const char *name, *path;
		struct row r;

		memcpy(&r, bytes + sizeof(h) + i * sizeof(r), sizeof(r));
		name = text_at(bytes, n, r.name);
		path = text_at(bytes, n, r.path);
		if (r.hwcap || !name || !path)
			continue;
		if ((r.flags == FLAGS_64 || r.flags == FLAGS_ANY) &&
		    ld_list_add(l, name, path, false))
			return -SPMU_ENOMEM;
		if ((r.flags == FLAGS_32 || r.flags == FLAGS_ANY) &&
		    ld_list_add(l, name, path, true))
			return -SPMU_ENOMEM;
	}
	return 0;
}

const struct ld_entry *ld_list_find(const struct ld_list *l, const char *name, bool is_32)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->entry[i].is_32 == is_32 && !strcmp(l->entry[i].name, name))
			return &l->entry[i];
	return NULL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static unsigned number(const char **p)
{
	unsigned n = 0;

	for (; is_digit(**p); ++*p)
		n = 10 * n + (unsigned)(**p - '0');
	return n;
}

/* The order by which the loader searches: letter by letter, digits by the number they make, and
 * behind every letter. */
static int compare_names(const char *a, const char *b)
{
	while (*a && *b) {
		if (is_digit(*a) && is_digit(*b)) {
			const unsigned m = number(&a), n = number(&b);

			if (m != n)
				return m < n ? -1 : 1;
		} else if (is_digit(*a) != is_digit(*b)) {
			return is_digit(*a) ? 1 : -1;
		} else if (*a != *b) {
			return *a < *b ? -1 : 1;
		} else {
			a++;
			b++;
		}
	}
	return (*a != 0) - (*b != 0);
}

/* The file has the last name first. */
static int by_name(const void *a, const void *b)
{
	const struct ld_entry *x = a, *y = b;
	int order = -compare_names(x->name, y->name);

	if (!order)
		order = strcmp(x->name, y->name);
	if (!order)
		order = x->is_32 - y->is_32;
	return order ? order : strcmp(x->path, y->path);
}

uint8_t *ld_list_bytes(struct ld_list *l, size_t *n)
{
	struct head h = {.magic = {0}, .n = (uint32_t)l->n, .flags = LITTLE_ENDIAN_FILE};
	size_t at = sizeof(h) + l->n * sizeof(struct row), bytes = at;
	uint8_t *out;

	if (l->n)
		qsort(l->entry, l->n, sizeof(*l->entry), by_name);
	for (size_t i = 0; i < l->n; i++)
		bytes += strlen(l->entry[i].name) + strlen(l->entry[i].path) + 2;
	out = calloc(bytes, 1);
	if (!out)
		return NULL;
	memcpy(h.magic, NEW_MAGIC, sizeof(h.magic));
	h.string_bytes = (uint32_t)(bytes - at);
	memcpy(out, &h, sizeof(h));
	for (size_t i = 0; i < l->n; i++) {
		const struct ld_entry *e = &l->entry[i];
		struct row r = {.flags = e->is_32 ? FLAGS_32 : FLAGS_64, .name = (uint32_t)at};

		memcpy(out + at, e->name, strlen(e->name));
		at += strlen(e->name) + 1;
		r.path = (uint32_t)at;
		memcpy(out + at, e->path, strlen(e->path));
		at += strlen(e->path) + 1;
		memcpy(out + sizeof(h) + i * sizeof(r), &r, sizeof(r));
	}
	*n = bytes;
	return out;
}

void ld_list_free(struct ld_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->entry[i].name);
		free(l->entry[i].path);
	}
	free(l->entry);
	*l = (struct ld_list){0};
}
