/* One end per argument: what the parent sees must be the same. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "check.h"

static volatile int zero;

int main(int argc, char **argv)
{
	struct rlimit none = {0, 0};
	sigset_t all;
	int n = argc > 1 ? atoi(argv[1]) : 0;

	setrlimit(RLIMIT_CORE, &none);
	printf("end %d\n", n);
	fflush(stdout);
	switch (n) {
	case 1: return 7;
	case 2: _exit(255);
	case 3: syscall(SYS_exit, 300); break;
	case 4: abort();
	case 5: *(volatile int *)8 = 1; break;
	case 6: printf("%d\n", 1 / zero); break;
	case 7: __asm__ volatile("ud2"); break;
	case 8: kill(getpid(), SIGKILL); break;
	case 9: raise(SIGTERM); break;
	case 10: raise(SIGPIPE); break;
	case 11: raise(SIGRTMIN + 3); break;
	case 12: __asm__ volatile("int3"); break;
	case 13: /* a fault while its signal is blocked */
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		*(volatile int *)8 = 1;
		break;
	case 14: /* a fault while its signal is ignored */
		signal(SIGSEGV, SIG_IGN);
		*(volatile int *)8 = 1;
		break;
	case 15:
		alarm(1);
		for (;;)
			;
	case 16:
		signal(SIGPIPE, SIG_IGN);
		raise(SIGPIPE);
		raise(SIGCHLD);
		raise(SIGURG);
		return 3;
	case 18: /* a filter that kills, though there is a handler */
	case 19: {
		struct sock_filter kill_it[] = {
		    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		    BPF_STMT(BPF_RET | BPF_K,
			     n == 18 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_KILL_THREAD),
		    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		};
		struct sock_fprog p = {4, kill_it};

		signal(SIGSYS, SIG_IGN);
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) == 0)
			getppid();
		break;
	}
	case 20:
	case 21: /* strict mode: write and exit are all that is left */
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		if (write(1, "strict\n", 7) != 7 || n == 20)
			getppid();
		syscall(SYS_exit, 5);
		break;
#ifdef __i386__
	case 17: __asm__ volatile("mov $0, %esp; push %eax"); break;
#else
	case 17: __asm__ volatile("mov $0, %rsp; push %rax"); break;
#endif
	}
	return 0;
}
