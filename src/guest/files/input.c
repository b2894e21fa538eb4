/* input.c -- computes the digest of each file that the program reads, and records it.
 * Rules: input.h.
 *
 * SOURCES   Fowler, Noll, Vo: FNV-1a, 64 bits; here a word at a time, and its upper half folded
 *           into the lower one.
 */
#include "guest/files/input.h"

#include <linux/fcntl.h>

#include "guest/gst.h"
#include "guest/memory/copy.h"

#define PATH_BYTES   512u
#define PIECE	     0x10000u /* read at once */
#define SAMPLES	     128u     /* pages between beginning and end of a large file */
#define FNV_BASIS    0xcbf29ce484222325ull
#define FNV_PRIME    0x100000001b3ull
#define TMPFS	     0x01021994ull
#define MODE_TYPE    0170000u
#define MODE_REGULAR 0100000u

static uint64_t hash_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * FNV_PRIME;
	return hash ^ hash >> 32;
}

static uint64_t hash_name(const char *path)
{
	uint64_t hash = FNV_BASIS;

	for (; *path; path++)
		hash = hash_word(hash, (uint8_t)*path);
	return hash ? hash : 1;
}

/* Returns 1 if the name is new, and notes it if there is room. */
static int take_name(struct shr_known *k, uint64_t name)
{
	uint64_t at = name % SHR_KNOWN_PLACES;

	for (; k->name[at]; at = (at + 1) % SHR_KNOWN_PLACES)
		if (k->name[at] == name)
			return 0;
	if (k->n < SHR_MOST_KNOWN) {
		k->name[at] = name;
		k->n++;
	}
	return 1;
}

/* Returns 1 if the file's content is stored, and not made as it is read (as in /proc). */
static int is_stored(int fd)
{
	uint64_t fs[16]; /* struct statfs: f_type, f_bsize, f_blocks */

	return !SYS2(fstatfs, fd, fs) && (fs[2] || fs[0] == TMPFS);
}

/* Add `bytes` from offset `from` on. Returns 0 where the file ends earlier, or cannot be read. */
static int add_bytes(int fd, uint64_t from, uint64_t bytes, uint64_t *hash)
{
	uint64_t *word = (uint64_t *)GST_SCRATCH;

	while (bytes) {
		const uint64_t want = bytes < PIECE ? bytes : PIECE;
		const long n = SYS4(pread64, fd, word, want, from);

		if (n <= 0)
			return 0;
		memset((char *)word + n, 0, 8);
		for (long i = 0; i < (n + 7) / 8; i++)
			*hash = hash_word(*hash, word[i]);
		if ((uint64_t)n < want)
			return 0;
		from += want;
		bytes -= want;
	}
	return 1;
}

static uint64_t digest(int fd, uint64_t bytes)
{
	const uint64_t end = GST_INPUT_WHOLE / 4, last = GST_PAGE_DOWN(bytes - end);
	uint64_t hash = hash_word(FNV_BASIS, bytes);

	if (bytes <= GST_INPUT_WHOLE) {
		add_bytes(fd, 0, bytes, &hash);
		return hash;
	}
	add_bytes(fd, 0, end, &hash);
	for (uint64_t i = 0; i < SAMPLES; i++)
		add_bytes(fd, GST_PAGE_DOWN(end + (last - end) / SAMPLES * i), GST_PAGE, &hash);
	add_bytes(fd, last, bytes - last, &hash);
	return hash;
}

void gst_input_file(struct gst *g, long fd, const char *path, uint32_t kind)
{
	struct {
		struct trc_input is;
		char path[PATH_BYTES];
	} e = {0};
	struct shr_known *known = &g->ctl->known;
	const int is_full = known->n >= SHR_MOST_KNOWN;
	uint64_t st[18];
	size_t n = gst_length(path);

	if (!g->ctl->start.has_inputs || fd < 0 || n >= PATH_BYTES ||
	    !take_name(known, hash_name(path)))
		return;
	if (is_full) {
		if (known->has_more)
			return;
		known->has_more = 1;
		kind = TRC_INPUT_MORE;
		n = 0;
	} else if (SYS2(fstat, fd, st) || (st[3] & MODE_TYPE) != MODE_REGULAR ||
		   !is_stored((int)fd)) {
		return;
	} else {
		e.is.bytes = st[6];
		e.is.digest = digest((int)fd, st[6]);
	}
	e.is.kind = kind;
	memcpy(e.path, path, n);
	gst_ring_event(g, TRC_INPUT, &e, (uint32_t)(sizeof(e.is) + ((n + 3) & ~3ull)));
}

/* The path of directory fd and a slash at the end of t; nothing if /proc cannot be read. */
static void add_directory(struct gst_text *t, int fd)
{
	char link[40], path[PATH_BYTES];
	struct gst_text l;
	long n;

	gst_text_start(&l, link, sizeof(link));
	gst_text_add(&l, "/proc/self/fd/");
	gst_text_dec(&l, fd);
	n = SYS3(readlink, link, path, sizeof(path) - 1);
	if (n <= 0 || path[0] != '/')
		return;
	path[n] = 0;
	gst_text_add(t, path);
	gst_text_add(t, "/");
}

void gst_input_opened(struct gst *g, long fd, int directory, uint64_t path_at, uint64_t flags)
{
	char path[PATH_BYTES], full[2 * PATH_BYTES];
	struct gst_text t;

	if (!g->ctl->start.has_inputs || fd < 0 || (flags & O_ACCMODE) == O_WRONLY ||
	    (flags & (O_PATH | O_DIRECTORY | O_TRUNC)) ||
	    gst_copy_text(path, path_at, sizeof(path)) <= 0 ||
	    (g->files[0] && gst_begins(path, g->files)))
		return;
	gst_text_start(&t, full, sizeof(full));
	if (path[0] != '/' && directory >= 0)
		add_directory(&t, directory);
	gst_text_add(&t, path);
	gst_input_file(g, fd, full, TRC_INPUT_FILE);
}
