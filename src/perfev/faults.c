#include "perfev/faults.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfev/what.h"

#define FIELD_MINOR 10 /* of /proc/PID/stat, see proc(5); the first is 1 */
#define FIELD_MAJOR 12

uint64_t pev_faults(pid_t pid, unsigned which)
{
	char path[48], text[512];
	uint64_t sum = 0;
	const char *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	p = strrchr(text, ')'); /* the end of field 2, which may hold anything */
	for (int field = 2; p && field <= FIELD_MAJOR; field++, p = strchr(p + 1, ' ')) {
		if ((field == FIELD_MINOR && which & PEV_FAULTS_MINOR) || (field == FIELD_MAJOR && which & PEV_FAULTS_MAJOR))
			sum += strtoull(p, NULL, 10);
	}
	return sum;
}
