/* narrow_file.c -- i386 calls about files on a kernel without INT 80h. Rules: narrow.h. */
#include "guest/narrow/narrow.h"

#include "guest/memory/copy.h"

#define F_GETLK_CODE	 5u  /* to 7: struct flock with numbers of 32 bits */
#define F_GETLK64_CODE	 12u /* to 14: with numbers of 64 bits */
#define F_OFD_GETLK_CODE 36u /* to 38 */
#define NAME_BYTES	 65u /* of each text of uname */
#define OLD_NAMES	 5u
#define FS_32_BYTES	 64u
#define FS_64_BYTES	 84u
#define DIRECTORY_BYTES	 2048u
#define ENTRY_BYTES	 280u /* a name has 255 */

/* struct stat of x86-64. */
struct stat_wide {
	uint64_t dev, ino, nlink;
	uint32_t mode, uid, gid, pad;
	uint64_t rdev;
	int64_t size, block_bytes, blocks;
	uint64_t time[6]; /* seconds and nanoseconds: access, change of data, change */
	int64_t unused[3];
};

struct stat32 {
	uint32_t dev, ino;
	uint16_t mode, nlink, uid, gid;
	uint32_t rdev, size, block_bytes, blocks, time[6], unused[2];
};
_Static_assert(sizeof(struct stat32) == 64, "layout of the kernel's compat_stat");

struct stat64 {
	uint64_t dev;
	uint32_t pad, short_ino, mode, nlink, uid, gid;
	uint64_t rdev;
	uint32_t pad2;
	int64_t size;
	uint32_t block_bytes;
	uint64_t blocks;
	uint32_t time[6];
	uint64_t ino;
} __attribute__((packed));
_Static_assert(sizeof(struct stat64) == 96, "layout of i386's struct stat64");

static long put_stat32(uint64_t to, const struct stat_wide *w)
{
	struct stat32 s = {.dev = (uint32_t)w->dev,
			   .ino = (uint32_t)w->ino,
			   .mode = (uint16_t)w->mode,
			   .nlink = (uint16_t)w->nlink,
			   .uid = gst_narrow_id(w->uid),
			   .gid = gst_narrow_id(w->gid),
			   .rdev = (uint32_t)w->rdev,
			   .size = (uint32_t)w->size,
			   .block_bytes = (uint32_t)w->block_bytes,
			   .blocks = (uint32_t)w->blocks};

	if (w->ino >> 32 || w->nlink > 0xffff || (uint64_t)w->size > 0x7fffffff)
		return -EOVERFLOW;
	for (unsigned i = 0; i < 6; i++)
		s.time[i] = (uint32_t)w->time[i];
	return gst_copy_out(to, &s, sizeof(s));
}

static long put_stat64(uint64_t to, const struct stat_wide *w)
{
	struct stat64 s = {.dev = w->dev,
			   .short_ino = (uint32_t)w->ino,
			   .mode = w->mode,
			   .nlink = (uint32_t)w->nlink,
			   .uid = w->uid,
			   .gid = w->gid,
			   .rdev = w->rdev,
			   .size = w->size,
			   .block_bytes = (uint32_t)w->block_bytes,
			   .blocks = (uint64_t)w->blocks,
			   .ino = w->ino};

	for (unsigned i = 0; i < 6; i++)
		s.time[i] = (uint32_t)w->time[i];
	return gst_copy_out(to, &s, sizeof(s));
}

/* number: of the x86-64 call, whose argument `at` is the struct. */
static long stat_by(const struct gst_narrow *n, uint64_t number, unsigned at, int is_64)
{
	struct stat_wide w = {0};
	uint64_t b[4] = {n->a[0], n->a[1], n->a[2], n->a[3]};
	long ret;

	b[at] = (uint64_t)&w;
	ret = gst_narrow_make(n, number, b[0], b[1], b[2], b[3], 0, 0);
	if (ret)
		return ret;
	return is_64 ? put_stat64(n->a[at], &w) : put_stat32(n->a[at], &w);
}

/* struct statfs of x86-64: type, block size, five numbers, name (two words), length of names,
 * fragment size, flags, four spare words. */
static long statfs_by(const struct gst_narrow *n, uint64_t number, uint64_t to, int is_64)
{
	uint64_t w[15] = {0};
	uint32_t s[21] = {0}, *p = s;
	long ret = gst_narrow_make(n, number, n->a[0], (uint64_t)w, 0, 0, 0, 0);

	if (ret)
		return ret;
	*p++ = (uint32_t)w[0];
	*p++ = (uint32_t)w[1];
	for (unsigned i = 2; i < 7; i++) {
		if (!is_64 && w[i] >> 32 && w[i] != ~0ull)
			return -EOVERFLOW;
		*p++ = (uint32_t)w[i];
		if (is_64)
			*p++ = (uint32_t)(w[i] >> 32);
	}
	*p++ = (uint32_t)w[7]; /* both halves of the name */
	*p++ = (uint32_t)(w[7] >> 32);
	for (unsigned i = 8; i < 11; i++)
		*p++ = (uint32_t)w[i];
	return gst_copy_out(to, s, is_64 ? FS_64_BYTES : FS_32_BYTES);
}

static long seek_far(const struct gst_narrow *n)
{
	const uint64_t offset = n->a[1] << 32 | (n->a[2] & 0xffffffff);
	const long ret = gst_narrow_make(n, __NR_lseek, n->a[0], offset, n->a[4], 0, 0, 0);

	if (ret < 0)
		return ret;
	return gst_copy_out(n->a[3], &ret, sizeof(ret)) ? -EFAULT : 0;
}

/* fcntl with a lock: struct flock of two shorts, start, length and process. */
static long lock(const struct gst_narrow *n, int is_64)
{
	struct {
		int16_t type, whence;
		int32_t pad;
		int64_t start, length;
		int32_t pid, pad2;
	} w = {0};
	uint8_t s[24] = {0};
	const size_t number = is_64 ? 8 : 4, bytes = 4 + 2 * number + 4;
	int32_t narrow[2];
	uint64_t command = n->a[1];
	long ret;

	if (command >= F_GETLK64_CODE && command < F_GETLK64_CODE + 3)
		command -= F_GETLK64_CODE - F_GETLK_CODE;
	if (gst_copy_in(s, n->a[2], bytes))
		return -EFAULT;
	memcpy(&w.type, s, 4);
	memcpy(narrow, s + 4, 8);
	w.start = narrow[0];
	w.length = narrow[1];
	if (is_64) {
		memcpy(&w.start, s + 4, 8);
		memcpy(&w.length, s + 12, 8);
	}
	memcpy(&w.pid, s + 4 + 2 * number, 4);
	ret = gst_narrow_make(n, __NR_fcntl, n->a[0], command, (uint64_t)&w, 0, 0, 0);
	if (ret || (command != F_GETLK_CODE && command != F_OFD_GETLK_CODE))
		return ret;
	memcpy(s, &w.type, 4);
	memcpy(s + 4, &w.start, number);
	memcpy(s + 4 + number, &w.length, number);
	memcpy(s + 4 + 2 * number, &w.pid, 4);
	return gst_copy_out(n->a[2], s, bytes);
}

static long control(const struct gst_narrow *n)
{
	const uint64_t command = n->a[1];

	if (command >= F_GETLK_CODE && command < F_GETLK_CODE + 3)
		return lock(n, 0);
	if ((command >= F_GETLK64_CODE && command < F_GETLK64_CODE + 3) ||
	    (command >= F_OFD_GETLK_CODE && command < F_OFD_GETLK_CODE + 3))
		return lock(n, 1);
	return gst_narrow_make(n, __NR_fcntl, n->a[0], command, n->a[2], 0, 0, 0);
}

/* An entry of x86-64 is number, offset, length of the entry, name, and the type in the last byte;
 * i386's has numbers of 4 bytes. Returns the bytes put at `to`, 0 if they have no room, or an
 * error. */
static long put_entry(uint64_t to, uint64_t room, const uint8_t *wide)
{
	uint8_t narrow[ENTRY_BYTES] = {0};
	uint64_t number;
	uint16_t length, name = 0, out;

	memcpy(&number, wide, 8);
	memcpy(&length, wide + 16, 2);
	while (wide[18 + name])
		name++;
	out = (uint16_t)((10 + name + 2 + 3) & ~3);
	if (number >> 32)
		return -EOVERFLOW;
	if (out > room)
		return 0;
	memcpy(narrow, wide, 4);
	memcpy(narrow + 4, wide + 8, 4);
	memcpy(narrow + 8, &out, 2);
	memcpy(narrow + 10, wide + 18, name);
	narrow[out - 1] = wide[length - 1];
	return gst_copy_out(to, narrow, out) ? -EFAULT : out;
}

/* The kernel fills the program's buffer; so must be done here, for the digest has how much came. An
 * entry that was read but has no room is read again by the next call. */
static long directory(const struct gst_narrow *n)
{
	uint8_t wide[DIRECTORY_BYTES] __attribute__((aligned(8)));
	const uint64_t *a = n->a, room = (uint32_t)a[2];
	uint64_t to = 0, back = (uint64_t)SYS3(lseek, a[0], 0, 1);
	long got, out = 1;

	do {
		got =
		    gst_narrow_make(n, __NR_getdents, a[0], (uint64_t)wide, sizeof(wide), 0, 0, 0);
		for (long from = 0; from < got && out > 0;) {
			uint16_t length;

			out = put_entry(a[1] + to, room - to, wide + from);
			if (out <= 0)
				break;
			memcpy(&back, wide + from + 8, 8);
			memcpy(&length, wide + from + 16, 2);
			from += length;
			to += (uint64_t)out;
		}
	} while (got > 0 && out > 0);
	if (got > 0)
		SYS3(lseek, a[0], back, 0); /* whatever signal waits */
	if (to)
		return (long)to;
	return got <= 0 ? got : out ? out : -EINVAL;
}

static long send_file(const struct gst_narrow *n, size_t bytes)
{
	int64_t offset = 0;
	long ret;

	if (!n->a[2])
		return gst_narrow_make(n, __NR_sendfile, n->a[0], n->a[1], 0, n->a[3], 0, 0);
	if (gst_copy_in(&offset, n->a[2], bytes))
		return -EFAULT;
	ret = gst_narrow_make(n, __NR_sendfile, n->a[0], n->a[1], (uint64_t)&offset, n->a[3], 0, 0);
	if (ret >= 0 && gst_copy_out(n->a[2], &offset, bytes))
		return -EFAULT;
	return ret;
}

static long old_name(const struct gst_narrow *n)
{
	char names[6 * NAME_BYTES];
	const long ret = gst_narrow_make(n, __NR_uname, (uint64_t)names, 0, 0, 0, 0, 0);

	return ret ? ret : gst_copy_out(n->a[0], names, OLD_NAMES * NAME_BYTES);
}

static long change_nice(const struct gst_narrow *n)
{
	const int32_t by = (int32_t)n->a[0];
	const long now = 20 - SYS2(getpriority, 0, 0);
	long next = now + (by > 40 ? 40 : by < -40 ? -40 : by);

	next = next > 19 ? 19 : next < -20 ? -20 : next;
	next = gst_narrow_make(n, __NR_setpriority, 0, 0, (uint64_t)next, 0, 0, 0);
	return next == -EACCES ? -EPERM : next;
}

long gst_narrow_file(const struct gst_narrow *n)
{
	const uint64_t *a = n->a;

	switch (n->number) {
	case NR32_stat: return stat_by(n, __NR_stat, 1, 0);
	case NR32_lstat: return stat_by(n, __NR_lstat, 1, 0);
	case NR32_fstat: return stat_by(n, __NR_fstat, 1, 0);
	case NR32_stat64: return stat_by(n, __NR_stat, 1, 1);
	case NR32_lstat64: return stat_by(n, __NR_lstat, 1, 1);
	case NR32_fstat64: return stat_by(n, __NR_fstat, 1, 1);
	case NR32_fstatat64: return stat_by(n, __NR_newfstatat, 2, 1);
	case NR32_statfs: return statfs_by(n, __NR_statfs, a[1], 0);
	case NR32_fstatfs: return statfs_by(n, __NR_fstatfs, a[1], 0);
	case NR32_statfs64:
		return a[1] == FS_64_BYTES ? statfs_by(n, __NR_statfs, a[2], 1) : -EINVAL;
	case NR32_fstatfs64:
		return a[1] == FS_64_BYTES ? statfs_by(n, __NR_fstatfs, a[2], 1) : -EINVAL;
	case NR32_lseek:
		return gst_narrow_make(n, __NR_lseek, a[0], gst_narrow_signed(a[1]), a[2], 0, 0, 0);
	case NR32__llseek: return seek_far(n);
	case NR32_fcntl:
	case NR32_fcntl64: return control(n);
	case NR32_getdents: return directory(n);
	case NR32_sendfile: return send_file(n, 4);
	case NR32_sendfile64: return send_file(n, 8);
	case NR32_olduname: return old_name(n);
	case NR32_nice: return change_nice(n);
	case NR32_truncate:
		return gst_narrow_make(n, __NR_truncate, a[0], gst_narrow_signed(a[1]), 0, 0, 0, 0);
	case NR32_ftruncate:
		return gst_narrow_make(n, __NR_ftruncate, a[0], gst_narrow_signed(a[1]), 0, 0, 0,
				       0);
	case NR32_truncate64:
		return gst_narrow_make(n, __NR_truncate, a[0], gst_narrow_pair(a + 1), 0, 0, 0, 0);
	case NR32_ftruncate64:
		return gst_narrow_make(n, __NR_ftruncate, a[0], gst_narrow_pair(a + 1), 0, 0, 0, 0);
	case NR32_readahead:
		return gst_narrow_make(n, __NR_readahead, a[0], gst_narrow_pair(a + 1), a[3], 0, 0,
				       0);
	case NR32_fadvise64:
		return gst_narrow_make(n, __NR_fadvise64, a[0], gst_narrow_pair(a + 1), a[3], a[4],
				       0, 0);
	case NR32_fadvise64_64:
		return gst_narrow_make(n, __NR_fadvise64, a[0], gst_narrow_pair(a + 1),
				       gst_narrow_pair(a + 3), a[5], 0, 0);
	case NR32_sync_file_range:
		return gst_narrow_make(n, __NR_sync_file_range, a[0], gst_narrow_pair(a + 1),
				       gst_narrow_pair(a + 3), a[5], 0, 0);
	case NR32_fallocate:
		return gst_narrow_make(n, __NR_fallocate, a[0], a[1], gst_narrow_pair(a + 2),
				       gst_narrow_pair(a + 4), 0, 0);
	case NR32_open_by_handle_at:
		return gst_narrow_make(n, __NR_open_by_handle_at, a[0], a[1], a[2], 0, 0, 0);
	default: return -ENOSYS;
	}
}
