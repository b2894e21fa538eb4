/* inputs.c -- the list of files that a run has read, in memory that all its servers share. Rules:
 * inputs.h.
 *
 * A server takes a row by adding to `n`, fills it in, and sets is_ready last. So several servers
 * add files without a lock, and no reader sees half a row.
 */
#include "session/inputs/inputs.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "trace/record.h"

struct row {
	uint32_t is_ready; /* written last, read first */
	uint64_t name;	   /* hash of the whole name and the kind */
	struct ses_input is;
};

struct ses_inputs {
	uint32_t n; /* rows taken so far, including rows that are not ready yet */
	uint32_t has_more;
	/* where softpmu was started, with a slash; "" when that is not known */
	char directory[PATH_MAX];
	struct row row[SES_MOST_INPUTS];
};

int ses_inputs_open(struct ses_inputs **out, struct spmu_error *err)
{
	struct ses_inputs *l =
	    mmap(NULL, sizeof(*l), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (l == MAP_FAILED)
		return spmu_fail(err, SPMU_ESYS, "cannot map memory: %s", strerror(errno));
	if (!getcwd(l->directory, sizeof(l->directory) - 1))
		l->directory[0] = 0;
	else if (strcmp(l->directory, "/"))
		strcat(l->directory, "/");
	*out = l;
	return 0;
}

void ses_inputs_close(struct ses_inputs *list)
{
	if (list)
		munmap(list, sizeof(*list));
}

static uint64_t hash_name(const char *name, size_t n, uint32_t kind)
{
	uint64_t hash = 0xcbf29ce484222325ull ^ kind;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3ull;
	return hash;
}

static bool is_there(const struct ses_inputs *l, uint64_t name)
{
	const uint32_t n = __atomic_load_n(&l->n, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n && i < SES_MOST_INPUTS; i++)
		if (__atomic_load_n(&l->row[i].is_ready, __ATOMIC_ACQUIRE) &&
		    l->row[i].name == name)
			return true;
	return false;
}

static void put_name(char out[SES_INPUT_NAME], const char *name, size_t n)
{
	size_t at = 0;

	if (n >= SES_INPUT_NAME) {
		name += n - (SES_INPUT_NAME - 3);
		n = SES_INPUT_NAME - 3;
		memcpy(out, "..", 2);
		at = 2;
	}
	for (size_t i = 0; i < n; i++)
		out[at++] = name[i] < ' ' && name[i] >= 0 ? '?' : name[i] == 0x7f ? '?' : name[i];
	out[at] = 0;
}

/* A file of kind `kind`, with n bytes of a name. */
static void add_file(struct ses_inputs *l, const struct trc_input *in, enum ses_input_kind kind,
		     const char *name, size_t n)
{
	const size_t start = strlen(l->directory);
	struct row *r;
	uint64_t hash;
	uint32_t at;

	if (n > start && start > 1 && !memcmp(name, l->directory, start)) {
		name += start;
		n -= start;
	}
	hash = hash_name(name, n, kind);
	if (is_there(l, hash))
		return;
	at = __atomic_load_n(&l->n, __ATOMIC_ACQUIRE);
	do {
		if (at >= SES_MOST_INPUTS) {
			l->has_more = 1;
			return;
		}
	} while (!__atomic_compare_exchange_n(&l->n, &at, at + 1, 0, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	r = &l->row[at];
	r->name = hash;
	r->is.kind = kind;
	r->is.bytes = in->bytes;
	r->is.digest = in->digest;
	put_name(r->is.name, name, n);
	__atomic_store_n(&r->is_ready, 1, __ATOMIC_RELEASE);
}

static void take_record(struct ses_inputs *l, const uint8_t *payload, uint32_t bytes)
{
	struct trc_input in;
	size_t n;

	if (bytes < sizeof(in))
		return;
	memcpy(&in, payload, sizeof(in));
	n = strnlen((const char *)payload + sizeof(in), bytes - sizeof(in));
	if (in.kind == TRC_INPUT_MORE)
		l->has_more = 1;
	else if (in.kind == TRC_INPUT_STANDARD)
		add_file(l, &in, SES_INPUT_STANDARD, "", 0);
	else if (n && (in.kind == TRC_INPUT_FILE || in.kind == TRC_INPUT_PROGRAM))
		add_file(l, &in, in.kind == TRC_INPUT_FILE ? SES_INPUT_FILE : SES_INPUT_PROGRAM,
			 (const char *)payload + sizeof(in), n);
}

void ses_inputs_feed(struct ses_inputs *list, const uint8_t *bytes, size_t n)
{
	uint64_t size;

	while ((size = trc_record_bytes(bytes, n)) != 0) {
		uint32_t head;

		memcpy(&head, bytes, sizeof(head));
		if (head == TRC_SPECIAL + TRC_INPUT)
			take_record(list, bytes + 8, (uint32_t)(size - 8));
		bytes += size;
		n -= size;
	}
}

const char *ses_stream_kind(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return "nothing";
	if (isatty(fd))
		return "terminal";
	switch (st.st_mode & S_IFMT) {
	case S_IFREG: return "file";
	case S_IFIFO: return "pipe";
	case S_IFSOCK: return "socket";
	case S_IFDIR: return "directory";
	default: return st.st_rdev == makedev(1, 3) ? "/dev/null" : "device";
	}
}

int ses_inputs_take(const struct ses_inputs *list, struct ses_result *out)
{
	out->input = calloc(SES_MOST_INPUTS, sizeof(*out->input));
	out->n_input = 0;
	out->has_more_inputs = list->has_more;
	if (!out->input)
		return -SPMU_ENOMEM;
	for (uint32_t i = 0; i < list->n && i < SES_MOST_INPUTS; i++)
		if (__atomic_load_n(&list->row[i].is_ready, __ATOMIC_ACQUIRE))
			out->input[out->n_input++] = list->row[i].is;
	return 0;
}
