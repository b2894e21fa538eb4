/* own.c -- looks in /proc for the memory file of the guest in another process. Rules: own.h. */
#include "session/serve/own.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

bool ses_is_own(const struct ses_areas *a, uint32_t tid)
{
	unsigned long low, inode;
	unsigned major_id, minor_id;
	char path[40], line[512];
	bool is_own = false;
	struct stat st;
	FILE *f;

	if (tid <= 1 || tid > INT32_MAX || fstat(a->fd, &st) != 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%u/maps", tid);
	f = fopen(path, "re");
	while (f && !is_own && fgets(line, sizeof(line), f))
		is_own = sscanf(line, "%lx-%*x %*s %*x %x:%x %lu", &low, &major_id, &minor_id,
				&inode) == 4 &&
			 low == SHR_CTL_BASE && inode == st.st_ino &&
			 makedev(major_id, minor_id) == st.st_dev;
	if (f)
		fclose(f);
	return is_own;
}
