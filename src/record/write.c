/* write.c -- sections put together, and the file saved. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "record/file.h"
#include "record/section.h"

#define LEVEL 3 /* of zstd */

void rec_out_section(struct rec_out *o, const char *name, const uint8_t *bytes, size_t n)
{
	struct rec_section s = {.version = REC_SECTION_VERSION, .raw = n};
	const size_t room = ZSTD_compressBound(n);
	uint8_t *packed = malloc(room + 1);
	size_t size = packed ? ZSTD_compress(packed, room, bytes, n, LEVEL) : 0;

	if (!packed) {
		o->bytes.is_lost = true;
		return;
	}
	memcpy(s.name, name, strnlen(name, sizeof(s.name)));
	if (ZSTD_isError(size) || size >= n)
		size = n;
	else
		s.codec = REC_ZSTD;
	if (!o->n_section)
		rec_put(&o->bytes, REC_MAGIC, 8);
	s.stored = size;
	s.crc = rec_crc(0, s.codec ? packed : bytes, size);
	rec_put(&o->bytes, &s, sizeof(s));
	rec_put(&o->bytes, s.codec ? packed : bytes, size);
	o->n_section++;
	free(packed);
}

void rec_out_json(struct rec_out *o, const char *name, json_t *value)
{
	char *text = value ? json_dumps(value, JSON_INDENT(1) | JSON_SORT_KEYS) : NULL;

	if (text)
		rec_out_section(o, name, (const uint8_t *)text, strlen(text));
	else
		o->bytes.is_lost = true;
	free(text);
	json_decref(value);
}

void rec_out_append(struct rec_out *o, const struct rec_out *from)
{
	const size_t head = o->n_section ? 8 : 0; /* one magic is enough */

	if (from->n_section)
		rec_put(&o->bytes, from->bytes.at + head, from->bytes.n - head);
	o->n_section += from->n_section;
	o->bytes.is_lost |= from->bytes.is_lost;
}

static int write_all(int fd, const uint8_t *bytes, size_t n)
{
	while (n) {
		const ssize_t k = write(fd, bytes, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return -1;
		bytes += k;
		n -= (size_t)k;
	}
	return 0;
}

static int save(const struct rec_bytes *b, const char *path, const char *temporary,
		struct spmu_error *err)
{
	const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	struct stat st;
	int code = 0;

	if (fd < 0)
		return spmu_fail(err, SPMU_ESYS,
				 "cannot write '%s': %s; -o FILE names another file", path,
				 strerror(errno));
	if (write_all(fd, b->at, b->n))
		code = errno ? errno : EIO;
	if (close(fd) && !code)
		code = errno;
	if (!code && stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		code = EEXIST;
	if (!code && rename(temporary, path))
		code = errno;
	if (!code)
		return 0;
	unlink(temporary);
	return spmu_fail(err, SPMU_ESYS, "cannot write '%s': %s; what was there is as it was", path,
			 code == EEXIST ? "it is no regular file" : strerror(code));
}

void rec_out_end(struct rec_out *o)
{
	const uint32_t n = o->n_section;

	rec_out_section(o, "end", (const uint8_t *)&n, sizeof(n));
}

int rec_out_save(struct rec_out *o, const char *path, struct spmu_error *err)
{
	char *temporary = NULL;
	int rc;

	rec_out_end(o);
	if (o->bytes.is_lost || asprintf(&temporary, "%s.%ld~", path, (long)getpid()) < 0)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory for the record");
	rc = save(&o->bytes, path, temporary, err);
	free(temporary);
	return rc;
}

void rec_out_free(struct rec_out *o)
{
	rec_bytes_free(&o->bytes);
	o->n_section = 0;
}
