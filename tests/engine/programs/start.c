/* What a program finds when it starts: arguments, environment, auxiliary vector, /proc/self. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "check.h"

#ifdef __i386__
#define PLATFORM "i686"
#else
#define PLATFORM "x86_64"
#endif

extern char **environ;

static void test_auxv(const char *self)
{
	const ElfW(Phdr) *phdr = (const void *)getauxval(AT_PHDR);
	int loads = 0;

	CHECK(getauxval(AT_PAGESZ) == 4096 && getauxval(AT_PHENT) == sizeof(ElfW(Phdr)));
	for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++)
		loads += phdr[i].p_type == PT_LOAD;
	CHECK(loads > 0);
	CHECK(getauxval(AT_UID) == getuid() && getauxval(AT_EGID) == getegid());
	CHECK(getauxval(AT_SECURE) == 0 && getauxval(AT_CLKTCK) == 100);
	CHECK(getauxval(AT_RANDOM) != 0 && getauxval(AT_ENTRY) != 0);
	CHECK(strcmp((const char *)getauxval(AT_PLATFORM), PLATFORM) == 0);
	CHECK(strcmp((const char *)getauxval(AT_EXECFN), self) == 0);
	CHECK(getauxval(AT_MINSIGSTKSZ) >= 1776);
}

static void test_proc(const char *self)
{
	char path[4096], buf[4096], *real = realpath(self, NULL);
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	struct stat a, b;
	int fd;

	path[n > 0 ? n : 0] = 0;
	CHECK(strcmp(path, real) == 0);
	snprintf(path, sizeof(path), "/proc/%d/exe", getpid());
	CHECK(readlink(path, buf, 10) == 10 && memcmp(buf, real, 10) == 0);
	fd = open("/proc/self/exe", O_RDONLY);
	CHECK(fstat(fd, &a) == 0 && stat(self, &b) == 0 && a.st_ino == b.st_ino);
	close(fd);
	fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	n = read(fd, buf, sizeof(buf));
	CHECK(n > 0 && strcmp(buf, self) == 0);
	close(fd);
	fd = open("/proc/self/auxv", O_RDONLY);
	CHECK(read(fd, buf, sizeof(buf)) % (2 * (int)sizeof(long)) == 0);
	close(fd);
	free(real);
}

static void test_machine(void)
{
	unsigned char a[16] = {0}, b[16] = {0};
	unsigned cpu = 99, node = 99;
	int fd = open("/dev/urandom", O_RDONLY);

	CHECK(getrandom(a, 16, 0) == 16 && getrandom(b, 16, 0) == 16 && memcmp(a, b, 16) != 0);
	CHECK(read(fd, b, 16) == 16 && memcmp(a, b, 16) != 0);
	close(fd);
	CHECK(getcpu(&cpu, &node) == 0 && cpu < 4096);
	CHECK(sysconf(_SC_NPROCESSORS_ONLN) >= 1);
	CHECK(sysconf(_SC_PHYS_PAGES) > 0);
}

int main(int argc, char **argv)
{
	int n = 0;

	for (int i = 1; i < argc; i++)
		printf("argument %d '%s'\n", i, argv[i]);
	CHECK(argv[argc] == NULL);
	while (environ[n])
		n++;
	CHECK(getenv("PATH") != NULL && n > 0);
	CHECK((uintptr_t)__builtin_frame_address(0) % 16 == 0);
	test_auxv(argv[0]);
	test_proc(argv[0]);
	test_machine();
	return check_end();
}
