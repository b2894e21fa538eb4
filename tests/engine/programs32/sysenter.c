/* The ways into the kernel beside int 80h: through AT_SYSINFO, and SYSENTER as the C libraries of
 * its time wrote it (with the argument "direct": not every processor executes it natively). */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "../programs/check.h"

#ifndef AT_SYSINFO
#define AT_SYSINFO 32
#endif

static volatile int ticks;
static int ends[2];

static void tick(int sig)
{
	if (++ticks == 5 && write(ends[1], "y", 1) != 1)
		CHECK(!"write");
}

static long by_page(long nr, long a, long b, long c)
{
	long ret;

	__asm__ volatile("call *%1"
			 : "=a"(ret)
			 : "m"(*(long[1]){(long)getauxval(AT_SYSINFO)}), "0"(nr), "b"(a), "c"(b),
			   "d"(c)
			 : "memory");
	return ret;
}

/* What the kernel's page did: save ecx, edx, ebp, and give the stack pointer in ebp. */
static long by_sysenter(long nr, const long *a)
{
	long ret;

	__asm__ volatile(
	    "pushl %%ebp\n\tmovl 20(%%edi), %%ebp\n\tmovl 0(%%edi), %%ebx\n\tmovl 4(%%edi), "
	    "%%ecx\n\t"
	    "movl 8(%%edi), %%edx\n\tmovl 12(%%edi), %%esi\n\tmovl 16(%%edi), %%edi\n\tcall 1f\n\t"
	    "popl %%ebp\n\tjmp 2f\n"
	    "1:\tpushl %%ecx\n\tpushl %%edx\n\tpushl %%ebp\n\tmovl %%esp, %%ebp\n\tsysenter\n2:"
	    : "=a"(ret)
	    : "0"(nr), "D"(a)
	    : "ebx", "ecx", "edx", "esi", "memory", "cc");
	return ret;
}

int main(int argc, char **argv)
{
	long map[6] = {0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0};
	struct sigaction a = {.sa_handler = tick, .sa_flags = SA_RESTART};
	struct itimerval t = {{0, 3000}, {0, 3000}};
	char *p, c = 0;

	CHECK(by_page(SYS_getpid, 0, 0, 0) == getpid());
	CHECK(by_page(SYS_close, 1000, 0, 0) == -EBADF);
	if (argc > 1 && strcmp(argv[1], "direct") == 0) {
		p = (char *)by_sysenter(SYS_mmap2, map);
		CHECK((unsigned long)p < -4095ul);
		p[4095] = 1;
		/* a call that starts again until the fifth signal gives it something to read */
		CHECK(pipe(ends) == 0);
		sigaction(SIGALRM, &a, NULL);
		setitimer(ITIMER_REAL, &t, NULL);
		map[0] = ends[0], map[1] = (long)&c, map[2] = 1;
		CHECK(by_sysenter(SYS_read, map) == 1 && c == 'y' && ticks >= 5);
		for (int i = 0; i < 50; i++)
			CHECK(by_sysenter(SYS_getpid, map) == getpid());
	}
	return check_end();
}
