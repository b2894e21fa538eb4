/* read.c -- a record file taken apart. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "record/file.h"
#include "record/jit.h"
#include "record/kind.h"
#include "record/section.h"

#define MOST_FILE      (1ull << 30)
#define MOST_RAW       (512ull << 20) /* of all sections */
#define MOST_PROCESSES 1000000u

/* A file that is read. */
struct parse {
	const uint8_t *at, *end;
	const char *path;
	struct rec *rec;
	uint64_t raw;  /* of the sections so far */
	uint64_t left; /* counts that may still be read */
	uint32_t n_section;
	bool has_end;
	struct spmu_error *err;
};

static int damaged(struct parse *p, const char *how)
{
	return spmu_fail(p->err, SPMU_EINVAL,
			 "'%s': the record %s; make it anew with softpmu record", p->path, how);
}

const char *rec_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

bool rec_is_plain(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

/* The section's bytes as they were, owned by the caller. NULL after a sentence. */
static uint8_t *unpack(struct parse *p, const struct rec_section *s, const uint8_t *bytes)
{
	uint8_t *raw;

	if (s->raw > MOST_RAW - p->raw) {
		damaged(p, "is larger than softpmu reads");
		return NULL;
	}
	p->raw += s->raw;
	raw = malloc(s->raw + 1);
	if (!raw) {
		spmu_fail(p->err, SPMU_ENOMEM, "out of memory for '%s'", p->path);
		return NULL;
	}
	if (s->codec == REC_STORED && s->raw == s->stored) {
		memcpy(raw, bytes, s->raw);
		return raw;
	}
	if (s->codec == REC_ZSTD && ZSTD_decompress(raw, s->raw, bytes, s->stored) == s->raw)
		return raw;
	free(raw);
	damaged(p, s->codec > REC_ZSTD ? "is of a newer softpmu" : "is damaged");
	return NULL;
}

/* ---- sections -------------------------------------------------------------------------------- */

static int take_events(struct parse *p)
{
	struct rec *r = p->rec;
	const json_t *list = json_object_get(r->meta, "events");
	const size_t n = json_array_size(list);

	if (!n || n > REC_MOST_EVENTS)
		return damaged(p, "is damaged");
	r->event = calloc(n, sizeof(*r->event));
	if (!r->event)
		return spmu_fail(p->err, SPMU_ENOMEM, "out of memory for '%s'", p->path);
	r->n_event = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		const json_t *e = json_array_get(list, i);

		r->event[i] = (struct rec_event){
		    .name = rec_text(e, "name"),
		    .status = rec_text(e, "status"),
		    .total = (uint64_t)json_integer_value(json_object_get(e, "total")),
		    .half = (uint64_t)json_integer_value(json_object_get(e, "half")),
		    .has_replicates =
			json_integer_value(json_object_get(e, "replicates")) == REC_REPLICATES,
		};
		if (!*r->event[i].name || !rec_is_plain(r->event[i].name))
			return damaged(p, "is damaged");
	}
	return 0;
}

static int take_json(struct parse *p, const uint8_t *raw, size_t n, json_t **out)
{
	if (*out)
		return damaged(p, "is damaged");
	*out = json_loadb((const char *)raw, n, 0, NULL);
	return json_is_object(*out) ? 0 : damaged(p, "is damaged");
}

static int take_process(struct parse *p, const uint8_t *raw, size_t n)
{
	struct rec *r = p->rec;
	const char *why;

	if (!r->event || r->n_process == MOST_PROCESSES)
		return damaged(p, "is damaged");
	if (!(r->n_process & (r->n_process + 1))) { /* 0, 1, 3, 7 ...: twice the room */
		void *more = realloc(r->process, (2 * r->n_process + 2) * sizeof(*r->process));

		if (!more)
			return spmu_fail(p->err, SPMU_ENOMEM, "out of memory for '%s'", p->path);
		r->process = more;
		more = realloc(r->paths, (2 * r->n_process + 2) * sizeof(*r->paths));
		if (!more)
			return spmu_fail(p->err, SPMU_ENOMEM, "out of memory for '%s'", p->path);
		r->paths = more;
		more = realloc(r->replicas, (2 * r->n_process + 2) * sizeof(*r->replicas));
		if (!more)
			return spmu_fail(p->err, SPMU_ENOMEM, "out of memory for '%s'", p->path);
		r->replicas = more;
	}
	memset(&r->paths[r->n_process], 0, sizeof(*r->paths));
	memset(&r->replicas[r->n_process], 0, sizeof(*r->replicas));
	why = rec_process_get(&r->process[r->n_process++], raw, n, r->n_event, &p->left);
	return why ? damaged(p, why) : 0;
}

/* Of the process that was read last. */
static int take_paths(struct parse *p, const uint8_t *raw, size_t n)
{
	struct rec *r = p->rec;
	const char *why;

	if (!r->n_process || r->paths[r->n_process - 1].n_context)
		return damaged(p, "is damaged");
	why = rec_paths_get(&r->paths[r->n_process - 1], raw, n, &r->process[r->n_process - 1],
			    &p->left);
	return why ? damaged(p, why) : 0;
}

/* Of the process that was read last. */
static int take_replicas(struct parse *p, const uint8_t *raw, size_t n)
{
	struct rec *r = p->rec;
	struct rec_process *to = r->n_process ? &r->replicas[r->n_process - 1] : NULL;
	const char *why;

	if (!to || to->n_event)
		return damaged(p, "is damaged");
	why = rec_process_get(to, raw, n, REC_REPLICATES, &p->left);
	return why ? damaged(p, why) : 0;
}

static bool is_named(const struct rec_section *s, const char *name)
{
	return !strncmp(s->name, name, sizeof(s->name));
}

static int take(struct parse *p, const struct rec_section *s, const uint8_t *raw)
{
	uint32_t n;
	int rc;

	if (is_named(s, "meta")) {
		rc = take_json(p, raw, s->raw, &p->rec->meta);
		return rc ? rc : take_events(p);
	}
	if (is_named(s, "process"))
		return take_process(p, raw, s->raw);
	if (is_named(s, "paths"))
		return take_paths(p, raw, s->raw);
	if (is_named(s, "replicas"))
		return take_replicas(p, raw, s->raw);
	if (is_named(s, "objects"))
		return take_json(p, raw, s->raw, &p->rec->objects);
	if (is_named(s, "jit"))
		return take_json(p, raw, s->raw, &p->rec->jit_names);
	if (is_named(s, "times"))
		return take_json(p, raw, s->raw, &p->rec->times);
	if (!is_named(s, "end"))
		return 0; /* of a newer softpmu, which does not mind */
	if (s->raw != sizeof(n))
		return damaged(p, "is damaged");
	memcpy(&n, raw, sizeof(n));
	p->has_end = n == p->n_section && p->at == p->end;
	return p->has_end ? 0 : damaged(p, "is damaged");
}

static int section(struct parse *p)
{
	struct rec_section s;
	const uint8_t *bytes;
	uint8_t *raw;
	int rc;

	if ((size_t)(p->end - p->at) < sizeof(s))
		return damaged(p, "is cut off");
	memcpy(&s, p->at, sizeof(s));
	p->at += sizeof(s);
	if (s.stored > (size_t)(p->end - p->at))
		return damaged(p, "is cut off");
	bytes = p->at;
	p->at += s.stored;
	if (rec_crc(0, bytes, s.stored) != s.crc)
		return damaged(p, "is damaged");
	if (s.version > REC_SECTION_VERSION)
		return spmu_fail(p->err, SPMU_EINVAL,
				 "'%s' was written by a newer softpmu; read it with that one",
				 p->path);
	if (s.version < REC_SECTION_VERSION)
		return spmu_fail(p->err, SPMU_EINVAL,
				 "'%s' was written by an older softpmu; make it anew with softpmu "
				 "record",
				 p->path);
	raw = unpack(p, &s, bytes);
	if (!raw)
		return -p->err->code;
	rc = take(p, &s, raw);
	free(raw);
	p->n_section++;
	return rc;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The totals of all processes are those of the run. */
static bool has_right_totals(const struct rec *r)
{
	for (uint32_t e = 0; e < r->n_event; e++) {
		uint64_t sum = 0;

		for (uint32_t i = 0; i < r->n_process; i++)
			sum += (uint64_t)r->process[i].total[e];
		if (sum != (*r->event[e].status ? 0 : r->event[e].total))
			return false;
	}
	return true;
}

int rec_parse(const uint8_t *bytes, size_t n, const char *path, struct rec **out,
	      struct spmu_error *err)
{
	struct parse p = {.at = bytes,
			  .end = bytes + n,
			  .path = path,
			  .rec = calloc(1, sizeof(*p.rec)),
			  .left = REC_MOST_COUNTS,
			  .err = err};
	const char *why;
	int rc = 0;

	if (!p.rec)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory for '%s'", path);
	if (n >= 8 && !memcmp(bytes, "PERFILE2", 8)) {
		rec_close(p.rec);
		return spmu_fail(err, SPMU_EINVAL,
				 "'%s' is a file of perf record: perf report -i reads it", path);
	}
	if (n < 8 || memcmp(bytes, REC_MAGIC, 7)) {
		rec_close(p.rec);
		return spmu_fail(err, SPMU_EINVAL, "'%s' is no record%s; softpmu record makes one",
				 path, rec_kind(bytes, n));
	}
	if (bytes[7] != REC_MAGIC[7]) {
		rec_close(p.rec);
		return spmu_fail(err, SPMU_EINVAL,
				 "'%s' was written by a newer softpmu; read it with that one",
				 path);
	}
	p.at += 8;
	while (!rc && !p.has_end)
		rc = section(&p);
	if (!rc && (!p.rec->meta || !p.rec->objects || !p.rec->n_process))
		rc = damaged(&p, "is damaged");
	why = rc ? NULL : rec_jit_take(p.rec);
	rc = why ? damaged(&p, why) : rc;
	if (!rc && !has_right_totals(p.rec))
		rc = damaged(&p, "has counts that do not sum to its totals");
	if (rc)
		rec_close(p.rec);
	else
		*out = p.rec;
	return rc;
}

/* All of a file, owned by the caller. Returns 0 or a negative error with a sentence. */
static int read_file(const char *path, uint8_t **bytes, size_t *n, struct spmu_error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	size_t done = 0;
	ssize_t k = 1;

	*bytes = NULL;
	if (fd < 0 && errno == ENOENT)
		return spmu_fail(err, SPMU_EINVAL,
				 "there is no record '%s'; softpmu record -- PROGRAM makes one",
				 path);
	if (fd < 0 || fstat(fd, &st)) {
		const int code = errno;

		if (fd >= 0)
			close(fd);
		return spmu_fail(err, SPMU_ESYS, "cannot read '%s': %s", path, strerror(code));
	}
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > MOST_FILE) {
		close(fd);
		return spmu_fail(err, SPMU_EINVAL, "'%s' is no record%s; softpmu record makes one",
				 path, S_ISREG(st.st_mode) ? "" : rec_kind_of_file(path));
	}
	*bytes = malloc((size_t)st.st_size + 1);
	while (*bytes && k > 0 && done < (size_t)st.st_size) {
		k = read(fd, *bytes + done, (size_t)st.st_size - done);
		done += k > 0 ? (size_t)k : 0;
	}
	close(fd);
	*n = done;
	return *bytes ? 0 : spmu_fail(err, SPMU_ENOMEM, "out of memory for '%s'", path);
}

int rec_open(const char *path, struct rec **out, struct spmu_error *err)
{
	uint8_t *bytes;
	size_t n;
	int rc = read_file(path, &bytes, &n, err);

	if (!rc)
		rc = rec_parse(bytes, n, path, out, err);
	free(bytes);
	return rc;
}

void rec_close(struct rec *r)
{
	if (!r)
		return;
	rec_jit_free(r);
	for (uint32_t i = 0; i < r->n_process; i++)
		rec_process_free(&r->process[i]);
	for (uint32_t i = 0; i < r->n_process; i++)
		rec_paths_free(&r->paths[i]);
	free(r->process);
	for (uint32_t i = 0; i < r->n_process; i++)
		rec_process_free(&r->replicas[i]);
	free(r->paths);
	free(r->replicas);
	free(r->event);
	json_decref(r->meta);
	json_decref(r->objects);
	json_decref(r->times);
	free(r);
}
