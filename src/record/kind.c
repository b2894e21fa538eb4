/* kind.c -- see kind.h.
 *
 * SOURCES   first bytes: record/section.h, trace/record.h, System V ABI (ELF), RFC 1952 (gzip).
 */
#include "record/kind.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/section.h"

#define LOOK_BYTES 512

static bool is_text(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] < 0x80 && !isprint(bytes[i]) && !isspace(bytes[i]))
			return false;
	return true;
}

static bool has(const uint8_t *bytes, size_t n, const char *text)
{
	return memmem(bytes, n < LOOK_BYTES ? n : LOOK_BYTES, text, strlen(text)) != NULL;
}

static bool begins(const uint8_t *bytes, size_t n, const char *with, size_t n_with)
{
	return n >= n_with && !memcmp(bytes, with, n_with);
}

const char *rec_kind(const uint8_t *bytes, size_t n)
{
	static const char trace[] = "\x5c\x2a\x4d\x18"; /* and 4 bytes of length, and the tag */

	if (!n)
		return ": it is empty";
	if (begins(bytes, n, REC_MAGIC, 7))
		return ": it is a record, which softpmu report reads";
	if (n >= 12 && begins(bytes, n, trace, 4) && !memcmp(bytes + 8, "SPMU", 4))
		return ": it is a trace, which softpmu replay reads";
	if (begins(bytes, n, "PERFILE2", 8))
		return ": it is a file of perf record, which perf report -i reads";
	if (begins(bytes, n,
		   "\x7f"
		   "ELF",
		   4))
		return ": it is a program or library (ELF)";
	if (begins(bytes, n, "\x1f\x8b", 2))
		return ": it is pressed by gzip";
	if (*bytes == '{' && has(bytes, n, "\"schema\"") && has(bytes, n, "\"program\": ["))
		return ": it is a report of softpmu stat --json, which softpmu diff reads";
	if ((*bytes == '{' || *bytes == '[') && is_text(bytes, n < LOOK_BYTES ? n : LOOK_BYTES))
		return ": it is JSON";
	return is_text(bytes, n < LOOK_BYTES ? n : LOOK_BYTES) ? ": it is text" : "";
}

const char *rec_kind_of_file(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	uint8_t bytes[LOOK_BYTES];
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return "";
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		n = read(fd, bytes, sizeof(bytes));
	close(fd);
	if (n < 0)
		return S_ISDIR(st.st_mode) ? ": it is a directory" : "";
	return rec_kind(bytes, (size_t)n);
}
