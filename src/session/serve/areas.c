/* areas.c -- makes, maps, copies and empties the memory file that softpmu shares with one guest.
 * Rules: areas.h, trace/share.h. */
#include "session/serve/areas.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

static const struct {
	uint64_t off, bytes;
} area[SES_N_AREAS] = {
    [SES_AREA_CODE] = {SHR_CODE_OFF, SHR_CODE_BYTES},
    [SES_AREA_COUNTER] = {SHR_COUNT_OFF, SHR_COUNT_BYTES},
    [SES_AREA_TABLES] = {SHR_TAB_OFF, SHR_TAB_BYTES},
    [SES_AREA_CONTROL] = {SHR_CTL_OFF, SHR_CTL_BYTES},
    [SES_AREA_RING] = {SHR_RING_OFF, SHR_RING_BYTES},
};

/* A memory file that need not be executable itself; hosts with vm.memfd_noexec=2 insist on the
 * flag, old kernels do not know it. Mapping it executable is allowed either way. */
static int memory_file(void)
{
	int fd = memfd_create("softpmu", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("softpmu", MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, (off_t)SHR_MEM_BYTES) != 0) {
		int why = errno;

		close(fd);
		errno = why;
		return -1;
	}
	return fd;
}

int ses_areas_open(struct ses_areas *a, struct spmu_error *err)
{
	int rc;

	memset(a, 0, sizeof(*a));
	a->fd = memory_file();
	if (a->fd < 0)
		return spmu_fail(err, SPMU_ESYS,
				 "cannot create shared memory of %llu MiB: %s; try 'softpmu "
				 "doctor'",
				 (unsigned long long)SHR_MEM_BYTES >> 20, strerror(errno));
	for (int i = 0; i < SES_N_AREAS; i++) {
		a->map[i] = mmap(NULL, area[i].bytes, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_NORESERVE, a->fd, (off_t)area[i].off);
		if (a->map[i] != MAP_FAILED)
			continue;
		a->map[i] = NULL;
		rc = spmu_fail(err, errno == ENOMEM ? SPMU_ENOMEM : SPMU_ESYS,
			       "cannot map shared memory of %llu MiB: %s",
			       (unsigned long long)area[i].bytes >> 20, strerror(errno));
		ses_areas_close(a);
		return rc;
	}
	return 0;
}

int ses_areas_empty(const struct ses_areas *a)
{
	static const enum ses_area emptied[] = {SES_AREA_CODE, SES_AREA_COUNTER, SES_AREA_TABLES};

	for (size_t i = 0; i < sizeof(emptied) / sizeof(emptied[0]); i++)
		if (madvise(a->map[emptied[i]], area[emptied[i]].bytes, MADV_REMOVE) != 0)
			return -SPMU_ESYS;
	return 0;
}

void ses_areas_close(struct ses_areas *a)
{
	for (int i = 0; i < SES_N_AREAS; i++) {
		if (a->map[i])
			munmap(a->map[i], area[i].bytes);
		a->map[i] = NULL;
	}
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
}

/* Write all of [from, from + n) at offset off. */
static int write_at(int fd, const char *from, uint64_t n, uint64_t off)
{
	while (n > 0) {
		ssize_t did = pwrite(fd, from, n, (off_t)off);

		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return -SPMU_ESYS;
		from += did;
		off += (uint64_t)did;
		n -= (uint64_t)did;
	}
	return 0;
}

/* Copy the used parts of area i to file `to`. Returns 0 or -SPMU_ESYS. */
static int copy_used(const struct ses_areas *a, int to, enum ses_area i)
{
	off_t at = (off_t)area[i].off, end = (off_t)(area[i].off + area[i].bytes);

	while (at < end) {
		off_t data = lseek(a->fd, at, SEEK_DATA), hole;

		if (data < 0 || data >= end)
			return data < 0 && errno != ENXIO ? -SPMU_ESYS : 0;
		hole = lseek(a->fd, data, SEEK_HOLE);
		if (hole < 0)
			return -SPMU_ESYS;
		if (hole > end)
			hole = end;
		if (write_at(to, (const char *)a->map[i] + (data - (off_t)area[i].off),
			     (uint64_t)(hole - data), (uint64_t)data))
			return -SPMU_ESYS;
		at = hole;
	}
	return 0;
}

/* Copy the start data: arguments, environment and settings, and the names of recorded files. The
 * guest may have damaged them, so lengths are checked. */
static int copy_start(const struct ses_areas *a, int to)
{
	const struct shr_ctl *c = ses_areas_ctl(a);
	uint32_t text =
	    c->start.text_bytes < SHR_START_BYTES ? c->start.text_bytes : SHR_START_BYTES;
	struct {
		uint64_t magic;
		uint32_t version, guest_pid;
	} head = {SHR_MAGIC, SHR_VERSION, 0};

	_Static_assert(sizeof(head) == offsetof(struct shr_ctl, start), "head of the control area");
	if (write_at(to, (const char *)&head, sizeof(head), SHR_CTL_OFF) ||
	    write_at(to, (const char *)&c->start, sizeof(c->start), SHR_CTL_OFF + sizeof(head)))
		return -SPMU_ESYS;
	if (c->start.has_inputs && write_at(to, (const char *)&c->known, sizeof(c->known),
					    SHR_CTL_OFF + offsetof(struct shr_ctl, known)))
		return -SPMU_ESYS;
	return write_at(to, (const char *)c + SHR_START_OFF, text, SHR_CTL_OFF + SHR_START_OFF);
}

int ses_areas_fork(const struct ses_areas *a, bool has_code)
{
	int fd = memory_file();

	if (fd < 0)
		return -SPMU_ESYS;
	if (copy_start(a, fd) ||
	    (has_code && (copy_used(a, fd, SES_AREA_CODE) || copy_used(a, fd, SES_AREA_TABLES)))) {
		close(fd);
		return -SPMU_ESYS;
	}
	return fd;
}

int ses_areas_switch(struct ses_areas *a, int fd)
{
	int rc = 0;

	for (int i = 0; i < SES_N_AREAS; i++)
		if (mmap(a->map[i], area[i].bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd,
			 (off_t)area[i].off) == MAP_FAILED)
			rc = -SPMU_ESYS;
	close(a->fd);
	a->fd = fd;
	return rc;
}
