#include "session/areas.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

extern const char ses_guest_image[], ses_guest_image_end[];

static const struct {
	const char *name;
	uint64_t bytes;
	int prot;
} area[SES_N_AREAS] = {
	[SES_AREA_CODE] = { "softpmu-code", SHR_CODE_BYTES, PROT_READ | PROT_WRITE },
	[SES_AREA_COUNTER] = { "softpmu-counter", SHR_COUNT_BYTES, PROT_READ | PROT_WRITE },
	[SES_AREA_TABLES] = { "softpmu-tables", sizeof(struct shr_tables), PROT_READ | PROT_WRITE },
	[SES_AREA_CONTROL] = { "softpmu-control", SHR_CTL_BYTES, PROT_READ | PROT_WRITE },
	[SES_AREA_RING] = { "softpmu-ring", (uint64_t)SHR_CHUNK_BYTES * SHR_N_CHUNKS, PROT_READ },
};

/* A memory file that need not be executable itself; hosts with vm.memfd_noexec=2 insist on the flag,
 * old kernels do not know it. Mapping it executable is allowed either way. */
static int memory_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, MFD_CLOEXEC);
	return fd;
}

static int open_image(struct ses_areas *a, struct spmu_error *err)
{
	const char *p = ses_guest_image;
	size_t left = (size_t)(ses_guest_image_end - ses_guest_image);

	a->image_fd = memfd_create("softpmu-guest", MFD_CLOEXEC);
	while (a->image_fd >= 0 && left > 0) {
		ssize_t n = write(a->image_fd, p, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		p += n;
		left -= (size_t)n;
	}
	if (left > 0)
		return spmu_fail(err, SPMU_ESYS,
		                 "cannot hold the guest runtime in a memory file: %s; try 'softpmu doctor'",
		                 strerror(errno));
	return 0;
}

int ses_areas_open(struct ses_areas *a, struct spmu_error *err)
{
	int rc;

	memset(a, 0, sizeof(*a));
	a->image_fd = -1;
	for (int i = 0; i < SES_N_AREAS; i++)
		a->fd[i] = -1;
	for (int i = 0; i < SES_N_AREAS; i++) {
		a->fd[i] = memory_file(area[i].name);
		if (a->fd[i] < 0 || ftruncate(a->fd[i], (off_t)area[i].bytes) != 0) {
			rc = spmu_fail(err, SPMU_ESYS,
			               "cannot create shared memory of %llu MiB: %s; try 'softpmu doctor'",
			               (unsigned long long)area[i].bytes >> 20, strerror(errno));
			goto fail;
		}
		a->map[i] = mmap(NULL, area[i].bytes, area[i].prot, MAP_SHARED | MAP_NORESERVE, a->fd[i], 0);
		if (a->map[i] == MAP_FAILED) {
			a->map[i] = NULL;
			rc = spmu_fail(err, SPMU_ESYS,
			               "cannot map shared memory of %llu MiB: %s; is the address space limited (ulimit -v)?",
			               (unsigned long long)area[i].bytes >> 20, strerror(errno));
			goto fail;
		}
	}
	rc = open_image(a, err);
	if (rc == 0)
		return 0;
fail:
	ses_areas_close(a);
	return rc;
}

int ses_areas_empty(const struct ses_areas *a)
{
	static const enum ses_area emptied[] = { SES_AREA_CODE, SES_AREA_COUNTER, SES_AREA_TABLES };

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
		if (a->fd[i] >= 0)
			close(a->fd[i]);
		a->map[i] = NULL;
		a->fd[i] = -1;
	}
	if (a->image_fd >= 0)
		close(a->image_fd);
	a->image_fd = -1;
}
