/* fchmodat2: by descriptor and by path, and what it refuses. A kernel before 6.6 has no such call:
 * there ENOSYS is all that is seen. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "check.h"

#define NUMBER 452

static long change(int dir, const char *path, unsigned mode, unsigned flags)
{
	return syscall(NUMBER, dir, path, mode, flags) ? -errno : 0;
}

static unsigned mode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_mode & 07777;
}

int main(void)
{
	char path[] = "/tmp/fchmodat2-XXXXXX";
	const int fd = mkstemp(path);

	CHECK(fd >= 0);
	if (change(fd, "", 0640, AT_EMPTY_PATH) == -ENOSYS) {
		unlink(path);
		puts("no such call");
		return 0;
	}
	CHECK(mode_of(fd) == 0640);
	CHECK(change(AT_FDCWD, path, 0604, AT_SYMLINK_NOFOLLOW) == 0 && mode_of(fd) == 0604);
	CHECK(change(AT_FDCWD, path, 0604, 0x4000) == -EINVAL);
	CHECK(change(AT_FDCWD, (const char *)8, 0600, 0) == -EFAULT);
	CHECK(change(999, "", 0600, AT_EMPTY_PATH) == -EBADF);
	for (int other = 0; other < 1024; other++) /* no descriptor of a runtime's is there */
		if (fcntl(other, F_GETFD) < 0)
			CHECK(change(other, "", 0600, AT_EMPTY_PATH) == -EBADF);
	unlink(path);
	CHECK(check_done > 900);
	return check_end();
}
