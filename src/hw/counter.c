/* counter.c -- perf_event_open, mmap and read of one event; errno becomes a reason. Rules are in
 * counter.h.
 */
#include "hw/counter.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static enum hw_refusal refusal_of(int error, int group_fd)
{
	switch (error) {
	case EACCES:
	case EPERM: return HW_NOT_ALLOWED;
	case EMFILE:
	case ENFILE:
	case ENOMEM:
	case ESRCH: return HW_TROUBLE;
	case EINVAL: return group_fd >= 0 ? HW_NO_ROOM : HW_NOT_HERE;
	default: /* ENOENT, ENODEV, EOPNOTSUPP, ENOSYS */ return HW_NOT_HERE;
	}
}

int hw_counter_open(const struct hw_event *e, pid_t pid, int group_fd, unsigned flags,
		    enum hw_refusal *why)
{
	struct perf_event_attr attr = {.type = e->type,
				       .size = sizeof(attr),
				       .config = e->config,
				       .config1 = e->config1,
				       .config2 = e->config2,
				       .disabled = !!(flags & HW_DISABLED),
				       .enable_on_exec = !!(flags & HW_ON_EXEC),
				       .inherit = !!(flags & HW_INHERIT),
				       .pinned = !!(flags & HW_PINNED),
				       .exclude_user = !e->user,
				       .exclude_kernel =
					   !e->kernel && e->type != PERF_TYPE_SOFTWARE,
				       .exclude_hv = !e->hypervisor};
	int fd;

	attr.read_format = flags & HW_GROUP
			       ? PERF_FORMAT_GROUP
			       : PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, group_fd, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && (errno == EACCES || errno == EPERM) && e->type == PERF_TYPE_SOFTWARE &&
	    !e->kernel) {
		attr.exclude_kernel = 1;
		fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, group_fd,
				  PERF_FLAG_FD_CLOEXEC);
	}
	if (fd < 0)
		*why = refusal_of(errno, group_fd);
	return fd;
}

size_t hw_page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

struct perf_event_mmap_page *hw_counter_map(int fd)
{
	void *page = mmap(NULL, hw_page_bytes(), PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

int hw_counter_read(int fd, uint64_t *value, uint64_t *enabled_ns, uint64_t *running_ns)
{
	uint64_t got[3];

	if (read(fd, got, sizeof(got)) != sizeof(got))
		return -1;
	*value = got[0];
	*enabled_ns = got[1];
	*running_ns = got[2];
	return 0;
}
