/* trace_look.c -- reads a trace: finds its frames and decompresses them. Rules: trace_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "record/kind.h"
#include "session/files/trace_code.h"
#include "session/files/trace_file.h"

#define MOST_TEXT   (4u << 20)
#define MOST_OBJECT (64u << 10)
#define MOST_CODED  SES_CODE_MOST(SES_TRACE_FRAME_BYTES)
#define MOST_PACKED (2u * MOST_CODED)
#define MOST_NAMES  (256u << 20) /* bytes of names of JIT code */

static bool is_head(const struct trc_frame_head *h)
{
	const uint32_t n = h->skip.bytes;

	return h->skip.magic == TRC_SKIPPABLE && n >= sizeof(h->frame) &&
	       n - sizeof(h->frame) <= MOST_TEXT &&
	       !memcmp(h->frame.tag, TRC_FRAME_TAG, sizeof(h->frame.tag)) &&
	       h->frame.kind < TRC_N_FRAMES && h->frame.raw <= MOST_CODED &&
	       h->frame.packed <= MOST_PACKED;
}

static bool read_all(int fd, void *to, size_t n, uint64_t at)
{
	uint8_t *p = to;

	while (n) {
		const ssize_t some = pread(fd, p, n, (off_t)at);

		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0)
			return false;
		p += some;
		at += (uint64_t)some;
		n -= (size_t)some;
	}
	return true;
}

/* The text of a frame, NUL terminated and the caller's; NULL without memory or where it ends early.
 */
static char *read_text(const struct ses_trace_in *t, uint64_t at, size_t n)
{
	char *text = malloc(n + 1);

	if (text && read_all(t->fd, text, n, at)) {
		text[n] = 0;
		return text;
	}
	free(text);
	return NULL;
}

/* Put a frame behind the *n of a list. Returns 0 or -SPMU_ENOMEM. */
static int append(struct ses_trace_frame **list, size_t *n, const struct trc_frame *f, uint64_t at)
{
	if (!(*n & (*n - 1))) {
		void *more = realloc(*list, (*n ? 2 * *n : 1) * sizeof(**list));

		if (!more)
			return -SPMU_ENOMEM;
		*list = more;
	}
	(*list)[(*n)++] = (struct ses_trace_frame){f->process, at, f->raw, f->packed, 0};
	return 0;
}

/* Returns 0 or -SPMU_ENOMEM. */
static int add_frame(struct ses_trace_in *t, const struct trc_frame *f, uint64_t at)
{
	if (!t->n_frame)
		t->first = f->process;
	t->raw += f->raw;
	return append(&t->frame, &t->n_frame, f, at);
}

/* Names beyond the limit are left out. Returns 0 or -SPMU_ENOMEM. */
static int add_names(struct ses_trace_in *t, const struct trc_frame *f, uint64_t at)
{
	if (f->raw > MOST_NAMES - t->names_bytes)
		return 0;
	t->names_bytes += f->raw;
	return append(&t->names, &t->n_names, f, at);
}

/* A frame that is a file which was executed. */
static void add_object(struct ses_trace_in *t, uint64_t at, size_t n)
{
	char *text = n <= MOST_OBJECT ? read_text(t, at, n) : NULL;

	if (text)
		ses_trace_objects_take(&t->objects, text);
	free(text);
}

static int by_process(const void *a, const void *b)
{
	const struct ses_trace_frame *f = a, *g = b;

	if (f->process != g->process)
		return f->process < g->process ? -1 : 1;
	return f->at < g->at ? -1 : f->at > g->at;
}

static void sort(struct ses_trace_in *t)
{
	if (t->n_frame)
		qsort(t->frame, t->n_frame, sizeof(*t->frame), by_process);
	for (size_t i = 0; i < t->n_frame; i++) {
		t->n_process += !i || t->frame[i].process != t->frame[i - 1].process;
		t->frame[i].number = (uint32_t)(t->n_process - 1);
	}
}

const struct ses_trace_frame *ses_trace_frames(const struct ses_trace_in *t, uint64_t process,
					       size_t *n)
{
	size_t low = 0, high = t->n_frame;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (t->frame[middle].process < process)
			low = middle + 1;
		else
			high = middle;
	}
	for (*n = 0; low + *n < t->n_frame && t->frame[low + *n].process == process;)
		++*n;
	return t->frame + low;
}

/* It is another file, or a trace whose beginning is damaged. */
static int no_trace(const char *path, struct spmu_error *err)
{
	const char *kind = rec_kind_of_file(path);

	if (strstr(kind, "a trace"))
		kind = ": it begins like one, and is damaged there";
	return spmu_fail(err, SPMU_EPROTO, "'%s' is not a trace of softpmu%s", path, kind);
}

/* What the first compressed frame says about the streams. Returns 0 or -SPMU_EPROTO. */
static int take_head(struct ses_trace_in *t, const char *path, const struct trc_frame *f,
		     uint64_t at, struct spmu_error *err)
{
	const struct ses_trace_frame own = {f->process, at, f->raw, f->packed, 0};
	struct trc_file_head head;
	uint8_t *bytes = malloc(f->raw + 1u);

	if (!bytes)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	if (f->raw != sizeof(head) || ses_trace_unpack(t, &own, bytes) != 0) {
		free(bytes);
		return no_trace(path, err);
	}
	memcpy(&head, bytes, sizeof(head));
	free(bytes);
	if (memcmp(head.magic, TRC_FILE_MAGIC, sizeof(head.magic)) != 0)
		return no_trace(path, err);
	if (head.version < TRC_OLDEST || head.version > TRC_VERSION)
		return spmu_fail(err, SPMU_EPROTO,
				 "'%s' is a trace of version %u, this softpmu reads version %u",
				 path, head.version, TRC_VERSION);
	t->flags = head.flags;
	t->has_members = head.version >= TRC_MEMBERS;
	t->has_marks = head.version > TRC_MEMBERS && head.flags & TRC_FILE_MARKS;
	return 0;
}

/* Walk over all frames. A frame that is not whole ends the walk. */
static int walk(struct ses_trace_in *t, const char *path, struct spmu_error *err)
{
	bool has_head = false;
	struct trc_frame_head h;
	uint64_t at = 0;
	int rc = 0;

	while (!rc && at < t->bytes) {
		const uint64_t text = at + sizeof(h);
		uint64_t body;
		size_t n;

		if (t->bytes - at < sizeof(h) || !read_all(t->fd, &h, sizeof(h), at)) {
			t->is_cut = true;
			break;
		}
		if (!is_head(&h)) {
			t->is_damaged = true;
			break;
		}
		n = h.skip.bytes - sizeof(h.frame);
		body = text + n;
		if (t->bytes - text < n + h.frame.packed) {
			t->is_cut = true;
			break;
		}
		if (h.frame.kind == TRC_FRAME_HEAD && n && !t->head)
			t->head = read_text(t, text, n);
		else if (h.frame.kind == TRC_FRAME_END && n && !t->end)
			t->end = read_text(t, text, n);
		else if (h.frame.kind == TRC_FRAME_HEAD && h.frame.packed && !has_head) {
			rc = take_head(t, path, &h.frame, body, err);
			has_head = true;
		} else if (h.frame.kind == TRC_FRAME_RECORDS && h.frame.packed) {
			if (add_frame(t, &h.frame, body) != 0)
				rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
		} else if (h.frame.kind == TRC_FRAME_NAMES && h.frame.packed) {
			if (add_names(t, &h.frame, body) != 0)
				rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
		} else if (h.frame.kind == TRC_FRAME_OBJECT) {
			add_object(t, text, n);
		}
		at = body + h.frame.packed;
	}
	if (!rc && (!has_head || !t->head))
		rc = no_trace(path, err);
	return rc;
}

int ses_trace_look(const char *path, struct ses_trace_in *t, struct spmu_error *err)
{
	struct stat st;

	memset(t, 0, sizeof(*t));
	t->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (t->fd < 0 || fstat(t->fd, &st) != 0)
		return spmu_fail(err, errno == ENOENT ? SPMU_ENOENT : SPMU_ESYS,
				 "cannot read '%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return spmu_fail(err, SPMU_EPROTO,
				 "'%s' is no regular file%s; a trace is read from its parts, so "
				 "copy it into a file first",
				 path, rec_kind_of_file(path));
	t->bytes = (uint64_t)st.st_size;
	if (walk(t, path, err) != 0)
		return -err->code;
	sort(t);
	return 0;
}

void ses_trace_shut(struct ses_trace_in *t)
{
	if (t->fd >= 0)
		close(t->fd);
	free(t->head);
	free(t->end);
	free(t->frame);
	free(t->names);
	ses_trace_objects_free(&t->objects);
	memset(t, 0, sizeof(*t));
	t->fd = -1;
}

int ses_trace_unpack(const struct ses_trace_in *t, const struct ses_trace_frame *f, uint8_t *out)
{
	uint8_t *packed = malloc(f->packed + 1u);
	int rc = -SPMU_EPROTO;

	if (packed && f->raw <= MOST_CODED && read_all(t->fd, packed, f->packed, f->at) &&
	    ZSTD_decompress(out, f->raw, packed, f->packed) == f->raw)
		rc = 0;
	free(packed);
	return rc;
}

char *ses_trace_in_names(const struct ses_trace_in *t, uint64_t process, size_t *n)
{
	uint64_t all = 0;
	char *lines;

	*n = 0;
	for (size_t i = 0; i < t->n_names; i++)
		all += t->names[i].process == process ? t->names[i].raw : 0;
	lines = all ? malloc(all + 1) : NULL;
	for (size_t i = 0; i < t->n_names && lines; i++) {
		if (t->names[i].process != process)
			continue;
		if (ses_trace_unpack(t, &t->names[i], (uint8_t *)lines + *n) != 0) {
			free(lines);
			return NULL;
		}
		*n += t->names[i].raw;
	}
	if (lines)
		lines[*n] = 0;
	return lines;
}
