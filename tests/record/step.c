/* step.c -- count by single-stepping: how often each instruction address of a program is executed.
 * Prints "address count" in hexadecimal and decimal.
 *
 * A REP instruction traps once for each iteration; it is counted once, as softpmu does.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST (1u << 16)

struct count {
	uint64_t pc, n;
};

int main(int argc, char **argv)
{
	static struct count count[MOST];
	struct user_regs_struct regs;
	uint64_t last = 0;
	pid_t pid = fork();
	int status;

	if (argc < 2 || pid < 0)
		return 2;
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		uint32_t at;

		ptrace(PTRACE_GETREGS, pid, 0, &regs);
		at = (uint32_t)(regs.rip * 0x9e3779b1u) % MOST;
		while (count[at].n && count[at].pc != regs.rip)
			at = (at + 1) % MOST;
		count[at].pc = regs.rip;
		count[at].n += regs.rip != last;
		last = regs.rip;
		ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
	}
	for (uint32_t i = 0; i < MOST; i++)
		if (count[i].n)
			printf("%llx %llu\n", (unsigned long long)count[i].pc,
			       (unsigned long long)count[i].n);
	return 0;
}
