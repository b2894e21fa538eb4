/* A 64-bit program that makes 32-bit system calls: numbers and registers of i386, arguments of 32
 * bits. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "check.h"

static volatile int alarms;

static void count(int sig)
{
	alarms++;
}

static long call(long number, uint64_t b, uint64_t c, uint64_t d)
{
	long ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(number), "b"(b), "c"(c), "d"(d)
			 : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

static long call6(long number, uint64_t b, uint64_t c, uint64_t d, uint64_t si, uint64_t di,
		  uint64_t bp)
{
	long ret;

	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpush %%rbp\n\tmov %7, %%rbp\n\tint "
			 "$0x80\n\tpop %%rbp\n\tlea 128(%%rsp), %%rsp"
			 : "=a"(ret)
			 : "a"(number), "b"(b), "c"(c), "d"(d), "S"(si), "D"(di), "r"(bp)
			 : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

/* Calls that x86-64 has not, or with other structures. */
static void own_forms(char *low, int fd)
{
	uint32_t *word = (uint32_t *)(low + 1024);
	int file = open("/proc/self/exe", O_RDONLY);
	struct stat st;

	CHECK(call(199, 0, 0, 0) == getuid()); /* getuid32 */
	CHECK(fstat(file, &st) == 0 &&
	      call(197, (uint64_t)file, (uintptr_t)word, 0) == 0 && /* fstat64 */
	      *(uint64_t *)(low + 1024 + 44) == (uint64_t)st.st_size && word[13] == 4096);
	CHECK(call(221, (uint64_t)fd, F_GETFD, 0) == 0);	    /* fcntl64 */
	CHECK(call(13, (uintptr_t)word, 0, 0) == (int32_t)word[0]); /* time */
	word[2] = 77;
	CHECK(call(78, (uintptr_t)word, 0, 0) == 0 && word[1] < 1000000 &&
	      word[2] == 77);					     /* gettimeofday */
	CHECK(call(116, (uintptr_t)word, 0, 0) == 0 && word[4] > 0); /* sysinfo */
	CHECK(call(222, 0, 0, 0) == -ENOSYS && call(5000, 0, 0, 0) == -ENOSYS);
	close(file);
}

/* Memory, processes and waiting. */
static void processes(char *low)
{
	uint32_t *word = (uint32_t *)(low + 512);
	char **argv = (char **)(low + 640);
	int st;
	long at, pid;

	at = call6(192, 0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0); /* mmap2 */
	CHECK(at > 0 && at < 0x100000000 && ((char *)at)[4096] == 0);
	memcpy(word, (uint32_t[]){0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, ~0u, 0}, 24);
	at = call(90, (uintptr_t)word, 0, 0); /* mmap */
	CHECK(at > 0 && at < 0x100000000 && *(char *)at == 0 &&
	      call(91, (uint64_t)at, 4096, 0) == 0);
	word[0] = 5;
	CHECK(call6(240, (uintptr_t)word, 1, 1, 0, 0, 0) == 0);	      /* futex: wake */
	CHECK(call6(240, (uintptr_t)word, 0, 4, 0, 0, 0) == -EAGAIN); /* wait */
	strcpy(low + 700, "/bin/sh"), strcpy(low + 720, "-c"), strcpy(low + 740, "exit 7");
	memcpy(argv,
	       (uint32_t[]){(uint32_t)(uintptr_t)low + 700, (uint32_t)(uintptr_t)low + 720,
			    (uint32_t)(uintptr_t)low + 740, 0},
	       16);
	fflush(stdout);
	pid = call(120, SIGCHLD, 0, 0); /* clone */
	if (pid == 0) {
		call(11, (uintptr_t)low + 700, (uintptr_t)argv, 0); /* execve */
		_exit(1);
	}
	CHECK(pid > 0 && waitpid((pid_t)pid, &st, 0) == pid && st == 7 << 8);
}

int main(void)
{
	char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	int *fd = (int *)(low + 64);
	struct sigaction sa = {.sa_handler = count};

	memcpy(low, "by int 80h\n", 11);
	CHECK(call(20, 0, 0, 0) == getpid());
	CHECK(call(4, 1, (uintptr_t)low, 11) == 11);
	CHECK(call(6, 0xffffffff00000000u | 77, 0, 0) ==
	      -EBADF); /* the upper half is no argument */
	CHECK(call(42, (uintptr_t)fd, 0, 0) == 0 && fd[0] > 2 && fd[1] > fd[0]);
	CHECK(call(4, (uint64_t)fd[1], (uintptr_t)low, 5) == 5);
	CHECK(call(3, (uint64_t)fd[0], (uintptr_t)low + 128, 100) == 5 &&
	      !memcmp(low + 128, "by in", 5));
	CHECK(call(37, (uint64_t)getpid(), 0, 0) == 0);
	sigaction(SIGALRM, &sa, NULL);
	call(27, 1, 0, 0);
	CHECK(call(3, (uint64_t)fd[0], (uintptr_t)low + 128, 100) == -EINTR && alarms == 1);
	own_forms(low, fd[0]);
	processes(low);
	return check_end();
}
