/* trace_file.c -- writes a trace: frames of coded and compressed records, with the code of their
 * blocks.
 * Layout: trace_file.h.
 *
 * Records gather in a buffer until a frame is full. The head and the compressed bytes go to the end
 * of the file in one call. A server that forks empties its buffer first, so the new server never
 * writes its parent's records a second time.
 */
#include "session/files/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "session/files/trace_code.h"

#define LEVEL 3 /* of zstd: a run waits for it */

struct ses_trace {
	int fd;
	const struct x86_store *store;
	uint32_t n_block; /* blocks written so far */
	struct ses_trace_objects objects;
	uint64_t process;
	ZSTD_CCtx *packer;
	struct ses_guess *guess;
	uint32_t n; /* bytes in buffer */
	uint8_t buffer[SES_TRACE_FRAME_BYTES];
	uint8_t code[SES_CODE_ROOM(SES_TRACE_FRAME_BYTES)];
	/* A skippable frame of a head, then the compressed frame. */
	uint8_t out[sizeof(struct trc_frame_head) +
		    ZSTD_COMPRESSBOUND(SES_CODE_MOST(SES_TRACE_FRAME_BYTES))];
};

static int put(int fd, const uint8_t *bytes, size_t n)
{
	while (n) {
		const ssize_t some = write(fd, bytes, n);

		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0)
			return -SPMU_ESYS;
		bytes += some;
		n -= (size_t)some;
	}
	return 0;
}

/* The head of a frame with n bytes of text and `packed` bytes behind it, which become `raw`. */
static struct trc_frame_head head_of(const struct ses_trace *t, enum trc_frame_kind kind, size_t n,
				     size_t raw, size_t packed)
{
	return (struct trc_frame_head){
	    .skip = {TRC_SKIPPABLE, (uint32_t)(sizeof(struct trc_frame) + n)},
	    .frame = {TRC_FRAME_TAG, kind, t->process, (uint32_t)raw, (uint32_t)packed}};
}

static int pack(struct ses_trace *t, enum trc_frame_kind kind, const uint8_t *bytes, size_t n)
{
	struct trc_frame_head head;
	const size_t packed = ZSTD_compress2(t->packer, t->out + sizeof(head),
					     sizeof(t->out) - sizeof(head), bytes, n);

	if (ZSTD_isError(packed))
		return -SPMU_ESYS;
	head = head_of(t, kind, 0, n, packed);
	memcpy(t->out, &head, sizeof(head));
	return put(t->fd, t->out, sizeof(head) + packed);
}

/* A frame that is a text alone. */
static int put_text(struct ses_trace *t, enum trc_frame_kind kind, const char *text)
{
	const size_t n = strlen(text);
	const struct trc_frame_head head = head_of(t, kind, n, 0, 0);
	uint8_t *all = malloc(sizeof(head) + n);
	int rc;

	if (!all)
		return -SPMU_ENOMEM;
	memcpy(all, &head, sizeof(head));
	memcpy(all + sizeof(head), text, n);
	rc = put(t->fd, all, sizeof(head) + n);
	free(all);
	return rc;
}

/* Open a file that no other run writes, emptied; the servers of this run share its lock. */
static int open_alone(struct ses_trace *t, const char *path, struct spmu_error *err)
{
	struct stat st;

	t->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (t->fd < 0)
		return spmu_fail(err, SPMU_ESYS, "cannot write the trace to '%s': %s", path,
				 strerror(errno));
	if (fstat(t->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	if (flock(t->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return spmu_fail(err, SPMU_ESYS,
				 "cannot write the trace to '%s': another softpmu is writing this "
				 "file",
				 path);
	if (ftruncate(t->fd, 0) != 0)
		return spmu_fail(err, SPMU_ESYS, "cannot write the trace to '%s': %s", path,
				 strerror(errno));
	return 0;
}

int ses_trace_create(const char *path, const struct x86_store *store, uint32_t flags,
		     uint64_t process, const char *text, struct ses_trace **out,
		     struct spmu_error *err)
{
	const struct trc_file_head head = {TRC_FILE_MAGIC, TRC_VERSION, flags};
	struct ses_trace *t = malloc(sizeof(*t));

	if (!t)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	memset(t, 0, offsetof(struct ses_trace, buffer)); /* the rest is large */
	t->store = store;
	t->process = process;
	t->packer = ZSTD_createCCtx();
	if (open_alone(t, path, err) != 0) {
		ses_trace_close(t);
		return -SPMU_ESYS;
	}
	t->guess = ses_guess_new();
	if (!t->packer || !t->guess) {
		ses_trace_close(t);
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	}
	ZSTD_CCtx_setParameter(t->packer, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(t->packer, ZSTD_c_checksumFlag, 1);
	if (t->fd < 0 || put_text(t, TRC_FRAME_HEAD, text) != 0 ||
	    pack(t, TRC_FRAME_HEAD, (const uint8_t *)&head, sizeof(head)) != 0) {
		spmu_fail(err, SPMU_ESYS, "cannot write the trace to '%s': %s", path,
			  strerror(errno));
		ses_trace_close(t);
		return -SPMU_ESYS;
	}
	*out = t;
	return 0;
}

int ses_trace_flush(struct ses_trace *t)
{
	const uint32_t n = t->n;
	size_t coded;

	t->n = 0;
	if (!n)
		return 0;
	coded = ses_code_put(t->guess, t->buffer, n, t->code);
	return coded ? pack(t, TRC_FRAME_RECORDS, t->code, coded) : -SPMU_ESYS;
}

/* Room for a record of n bytes; NULL when the buffer could not be written. */
static uint8_t *room(struct ses_trace *t, size_t n)
{
	uint8_t *at;

	if (n > sizeof(t->buffer) || (t->n + n > sizeof(t->buffer) && ses_trace_flush(t) != 0))
		return NULL;
	at = t->buffer + t->n;
	t->n += (uint32_t)n;
	return at;
}

static int put_event(struct ses_trace *t, enum trc_kind kind, const void *payload, uint32_t n)
{
	const uint32_t head[2] = {TRC_SPECIAL + kind, n};
	uint8_t *p = room(t, sizeof(head) + n);

	if (!p)
		return -SPMU_ESYS;
	memcpy(p, head, sizeof(head));
	if (n)
		memcpy(p + sizeof(head), payload, n);
	return 0;
}

static int write_block(struct ses_trace *t, const struct x86_block *b)
{
	const uint32_t padded = (b->bytes + 3u) & ~3u;
	const struct trc_block fixed = {b->id, b->bytes, b->pc, b->n_insn, b->mode};
	const uint32_t head[2] = {TRC_SPECIAL + TRC_BLOCK, (uint32_t)sizeof(fixed) + padded};
	uint8_t *p = room(t, sizeof(head) + sizeof(fixed) + padded);

	if (!p)
		return -SPMU_ESYS;
	memcpy(p, head, sizeof(head));
	memcpy(p + sizeof(head), &fixed, sizeof(fixed));
	p += sizeof(head) + sizeof(fixed);
	memcpy(p, b->code, b->bytes);
	memset(p + b->bytes, 0, padded - b->bytes);
	return 0;
}

int ses_trace_write(struct ses_trace *t, const uint8_t *bytes, size_t n)
{
	uint8_t *p;

	while (t->n_block < x86_store_count(t->store))
		if (write_block(t, x86_store_get(t->store, t->n_block++)) != 0)
			return -SPMU_ESYS;
	p = room(t, n);
	if (!p)
		return -SPMU_ESYS;
	memcpy(p, bytes, n);
	return 0;
}

int ses_trace_forget_all(struct ses_trace *t)
{
	t->n_block = 0;
	return put_event(t, TRC_FORGET_ALL, NULL, 0);
}

int ses_trace_finish(struct ses_trace *t)
{
	return put_event(t, TRC_FINISH, NULL, 0);
}

int ses_trace_fork(struct ses_trace *t, uint64_t child)
{
	const int rc = put_event(t, TRC_BIRTH, &child, sizeof(child));

	return rc ? rc : ses_trace_flush(t);
}

int ses_trace_member(struct ses_trace *t, const struct trc_member *m, const char *birth,
		     const char *program)
{
	const size_t births = strlen(birth) + 1, programs = strlen(program) + 1;
	const size_t n = (sizeof(*m) + births + programs + 3) & ~(size_t)3;
	uint8_t payload[512] = {0};

	if (n > sizeof(payload))
		return -SPMU_ESYS;
	memcpy(payload, m, sizeof(*m));
	memcpy(payload + sizeof(*m), birth, births);
	memcpy(payload + sizeof(*m) + births, program, programs);
	return put_event(t, TRC_MEMBER, payload, (uint32_t)n);
}

int ses_trace_region(struct ses_trace *t, enum req_region what, uint32_t thread, const char *name)
{
	const struct trc_region region = {what, thread};
	const size_t n = (sizeof(region) + strlen(name) + 1 + 3) & ~(size_t)3;
	uint8_t payload[512] = {0};

	if (n > sizeof(payload))
		return -SPMU_ESYS;
	memcpy(payload, &region, sizeof(region));
	memcpy(payload + sizeof(region), name, strlen(name));
	return put_event(t, TRC_REGION, payload, (uint32_t)n);
}

int ses_trace_object(struct ses_trace *t, const char *path)
{
	char *text = ses_trace_objects_text(&t->objects, path);
	const int rc = text ? put_text(t, TRC_FRAME_OBJECT, text) : 0;

	free(text);
	return rc;
}

int ses_trace_names(struct ses_trace *t, const char *lines, size_t n)
{
	int rc = 0;

	while (n && !rc) {
		size_t some = n < SES_TRACE_FRAME_BYTES ? n : SES_TRACE_FRAME_BYTES;

		while (some && lines[some - 1] != '\n')
			some--;
		if (!some) /* no name is so long */
			return 0;
		rc = pack(t, TRC_FRAME_NAMES, (const uint8_t *)lines, some);
		lines += some;
		n -= some;
	}
	return rc;
}

void ses_trace_born(struct ses_trace *t, uint64_t child)
{
	t->process = child;
	t->n = 0;
}

int ses_trace_end(struct ses_trace *t, const char *text)
{
	const int rc = ses_trace_flush(t);

	return rc ? rc : put_text(t, TRC_FRAME_END, text);
}

int ses_trace_close(struct ses_trace *t)
{
	int rc = 0;

	if (!t)
		return 0;
	if (t->fd >= 0) {
		rc = ses_trace_flush(t);
		if (close(t->fd) != 0)
			rc = -SPMU_ESYS;
	}
	ses_trace_objects_free(&t->objects);
	ZSTD_freeCCtx(t->packer);
	ses_guess_free(t->guess);
	free(t);
	return rc;
}
