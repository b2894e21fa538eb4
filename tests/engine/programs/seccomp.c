/* System-call filters: what they allow, refuse, trap and how several of them agree; what the kernel
 * would not take; strict mode. Processes that a filter kills are in ends.c. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/audit.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "check.h"

#define NR     ((uint32_t)offsetof(struct seccomp_data, nr))
#define ARG(n) ((uint32_t)offsetof(struct seccomp_data, args[n]))
#define N(a)   (sizeof(a) / sizeof((a)[0]))

static long install(struct sock_filter *f, size_t n)
{
	struct sock_fprog p = {.len = (unsigned short)n, .filter = f};

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &p);
}

static int is_refused(struct sock_filter *f, size_t n)
{
	return install(f, n) == -1 && errno == EINVAL;
}

static void test_bad_filters(void)
{
	struct sock_filter no_return[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NR)};
	struct sock_filter unaligned[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2),
					  BPF_STMT(BPF_RET | BPF_A, 0)};
	struct sock_filter outside[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64),
					BPF_STMT(BPF_RET | BPF_A, 0)};
	struct sock_filter bytes[] = {BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0),
				      BPF_STMT(BPF_RET | BPF_A, 0)};
	struct sock_filter jump_away[] = {BPF_STMT(BPF_JMP | BPF_JA, 1),
					  BPF_STMT(BPF_RET | BPF_K, 0)};
	struct sock_filter by_zero[] = {BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0),
					BPF_STMT(BPF_RET | BPF_A, 0)};
	struct sock_filter far_shift[] = {BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 32),
					  BPF_STMT(BPF_RET | BPF_A, 0)};
	struct sock_filter cell[] = {BPF_STMT(BPF_ST, 16), BPF_STMT(BPF_RET | BPF_K, 0)};
	struct sock_filter unwritten[] = {BPF_STMT(BPF_LD | BPF_MEM, 3),
					  BPF_STMT(BPF_RET | BPF_A, 0)};
	struct sock_filter one_way[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NR),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1),
	    BPF_STMT(BPF_ST, 2),
	    BPF_STMT(BPF_LD | BPF_MEM, 2),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	CHECK(is_refused(no_return, N(no_return)));
	CHECK(is_refused(unaligned, N(unaligned)));
	CHECK(is_refused(outside, N(outside)));
	CHECK(is_refused(bytes, N(bytes)));
	CHECK(is_refused(jump_away, N(jump_away)));
	CHECK(is_refused(by_zero, N(by_zero)));
	CHECK(is_refused(far_shift, N(far_shift)));
	CHECK(is_refused(cell, N(cell)));
	CHECK(is_refused(unwritten, N(unwritten)));
	CHECK(is_refused(one_way, N(one_way)));
	CHECK(is_refused(one_way, 0));
	CHECK(install((struct sock_filter *)8, 1) == -1 && errno == EFAULT);
	CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1u << 20, NULL) == -1 &&
	      errno == EINVAL);
	for (unsigned flag = 1; flag <= 16; flag <<= 1)
		CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flag, NULL) == -1 &&
		      errno == EFAULT);
	CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 32, NULL) == -1 &&
	      errno == EINVAL); /* waits for a listener */
	CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1 | 8, NULL) == -1 && errno == EINVAL);
	CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1 | 8 | 16, NULL) == -1 &&
	      errno == EFAULT);
	CHECK(prctl(PR_GET_SECCOMP) == 0);
}

/* getppid answers what its argument says, computed in roundabout ways. */
static void test_errno(void)
{
	struct sock_filter f[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NR),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 14),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARG(0)),
	    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 100, 11, 0),
	    BPF_STMT(BPF_MISC | BPF_TAX, 0),
	    BPF_STMT(BPF_STX, 7),
	    BPF_STMT(BPF_LD | BPF_IMM, 40),
	    BPF_STMT(BPF_ALU | BPF_MUL | BPF_X, 0), /* 40 n */
	    BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 8), /* 5 n */
	    BPF_STMT(BPF_LDX | BPF_MEM, 7),
	    BPF_STMT(BPF_ALU | BPF_SUB | BPF_X, 0), /* 4 n */
	    BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 1), /* 2 n */
	    BPF_STMT(BPF_ALU | BPF_XOR | BPF_K, SECCOMP_RET_ERRNO),
	    BPF_STMT(BPF_RET | BPF_A, 0),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE | 9),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 5000),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	int bad = 0;

	f[3].jt = 11;
	CHECK(install(f, N(f)) == 0);
	for (long n = 1; n <= 60; n++)
		bad += syscall(SYS_getppid, n) != -1 || errno != 2 * n;
	CHECK(bad == 0);
	CHECK(syscall(SYS_getppid, 0) == 0); /* errno 0: the call seems to have been made */
	CHECK(syscall(SYS_getppid, 200) == -1 && errno == 4095);
	CHECK(prctl(PR_GET_SECCOMP) == 2);
	CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL) == -1 && errno == EINVAL);
}

static volatile int n_traps, last_data, last_nr, last_code;
static volatile unsigned last_arch;

static void on_sys(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	n_traps++;
	last_data = info->si_errno;
	last_nr = info->si_syscall;
	last_code = info->si_code;
	last_arch = info->si_arch;
	uc->uc_mcontext.gregs[REG_RAX] += 1000; /* the number of the call */
}

static void test_trap(void)
{
	struct sock_filter f[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NR),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgrp, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP | 77),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sigaction act = {.sa_flags = SA_SIGINFO};

	act.sa_sigaction = on_sys;
	sigaction(SIGSYS, &act, NULL);
	CHECK(install(f, N(f)) == 0);
	CHECK(syscall(SYS_getpgrp) == SYS_getpgrp + 1000);
	CHECK(n_traps == 1 && last_data == 77 && last_nr == SYS_getpgrp && last_code == 1 &&
	      last_arch == AUDIT_ARCH_X86_64);
}

/* The severer one wins, whichever came first. */
static void test_several(void)
{
	struct sock_filter milder[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NR),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgrp, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 3),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 4),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getsid, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_LOG),
	    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0, 1, 0),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};

	CHECK(install(milder, N(milder)) == 0);
	CHECK(syscall(SYS_getpgrp) == SYS_getpgrp + 1000 && n_traps == 2);
	CHECK(syscall(SYS_getppid, 1) == -1 &&
	      errno == 4); /* of two equals the newer one's number */
	CHECK(syscall(SYS_getsid, 0) > 0);
	CHECK(syscall(SYS_getpid) == getpid());
}

/* Answers getppid(n) by an error of this thread's own. */
static long own_answer(int n)
{
	struct sock_filter f[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NR),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)n),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = {.len = N(f), .filter = f};

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		       n == 50 ? SECCOMP_FILTER_FLAG_TSYNC : 0, &p);
}

static long answer(void)
{
	return syscall(SYS_getppid, 9) == -1 ? errno : 0;
}

static volatile int step, seen[4];

static void await(int n)
{
	while (step < n)
		sched_yield();
}

/* Without a filter, until somebody gives it one. */
static void *follow(void *p)
{
	await(1);
	seen[0] = (int)answer();
	step = 2;
	await(3);
	seen[1] = (int)answer();
	return p;
}

/* With a filter that the others do not have. */
static void *differ(void *p)
{
	own_answer(60);
	seen[2] = (int)answer();
	step = 4;
	await(5);
	return p;
}

/* A filter that ends the thread alone. */
static void *end_by_filter(void *p)
{
	struct sock_filter f[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NR),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getsid, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	install(f, N(f));
	syscall(SYS_getsid, 0);
	seen[3] = 1;
	return p;
}

static void test_threads(void)
{
	pthread_t t;
	long other;

	CHECK(pthread_create(&t, NULL, follow, NULL) == 0);
	CHECK(own_answer(40) == 0 && answer() == 40);
	step = 1;
	await(2);
	CHECK(seen[0] == 4); /* that of test_several: the new filter is not its own */
	CHECK(own_answer(50) == 0 && answer() == 50);
	step = 3;
	pthread_join(t, NULL);
	CHECK(seen[1] == 50);
	CHECK(pthread_create(&t, NULL, differ, NULL) == 0);
	await(4);
	CHECK(seen[2] == 60 && answer() == 50);
	other = own_answer(50); /* the thread that cannot have it */
	CHECK(other > 0 && other != getpid() && answer() == 50);
	step = 5;
	pthread_join(t, NULL);
	CHECK(pthread_create(&t, NULL, end_by_filter, NULL) == 0);
	pthread_join(t, NULL);
	CHECK(seen[3] == 0 && answer() == 50);
}

/* Filters stay over exec; a child by vfork gets its own. */
static void test_exec(char *name)
{
	char *again[] = {name, "after", NULL};
	pid_t child = vfork();
	int status;

	if (child == 0) {
		own_answer(70);
		execv(name, again);
		_exit(1);
	}
	CHECK(answer() == 50);
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	      WEXITSTATUS(status) == 70);
}

static int after(void)
{
	long n = answer();

	if (n == 70) { /* and again */
		char *again[] = {"/proc/self/exe", "after", NULL};

		own_answer(71);
		if (answer() == 71)
			execv(again[0], again);
	}
	return prctl(PR_GET_SECCOMP) == 2 && syscall(SYS_getsid, 0) > 0 && n == 71 ? 70 : 2;
}

/* What seccomp says that it can do, it does: an answer by another process, its listener, and the
 * sizes for that. */
static void test_offers(void)
{
	struct sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog p = {.len = N(allow), .filter = allow};
	uint32_t action = SECCOMP_RET_USER_NOTIF;
	uint16_t sizes[3];
	const int offers = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
	const int has_sizes = syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, sizes) == 0;
	long fd;

	CHECK(offers || errno == EOPNOTSUPP || errno == EINVAL);
	CHECK(offers == has_sizes);
	if (fork() == 0) {
		fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			     &p);
		_exit((fd >= 0) == offers ? 0 : 1);
	}
	int status = -1;
	CHECK(wait(&status) > 0 && status == 0);
	action = SECCOMP_RET_TRAP;
	CHECK(syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0);
	action = 0x12340000;
	CHECK(syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == -1 &&
	      errno == EOPNOTSUPP);
	CHECK(syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 1, &action) == -1 && errno == EINVAL);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "after") == 0)
		return after();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return 0;
	test_bad_filters();
	test_offers();
	test_errno();
	test_trap();
	test_several();
	test_threads();
	test_exec(argv[0]);
	return check_end();
}
