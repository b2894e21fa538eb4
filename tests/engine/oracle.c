/* oracle.c -- counts what a program executes by stepping it, one instruction at a time.
 *
 * oracle [-o FILE] PROGRAM [ARGS...]: runs PROGRAM, of 64 or 32 bits, natively under
 * PTRACE_SINGLESTEP, its input, output and status untouched, and writes to FILE (default stderr):
 *     instructions N      branches N      conditional N      taken N      hash X
 *
 * COUNTING RULES   a repeated string instruction is one instruction however many iterations trap.
 *                  The SYSCALL that ends the program counts. branches: JMP, Jcc, LOOPx, JRCXZ,
 *                  CALL, RET, direct and indirect, and SYSCALL or INT 80h (a far transfer); taken:
 *                  those that did not fall through. hash: FNV-1a over the sequence of instruction
 *                  addresses.
 * LIMITS           one thread; no signals (they are passed on, but handler entry is not counted
 *                  apart). The instruction behind POP SS or MOV SS from a register does not trap by
 *                  itself and is counted with it; MOV SS from memory is not known here. Code is
 *                  read once per page. 3 us per instruction on a real machine, 20 us on a virtual
 *                  one.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE		4096u
#define CODE_SEGMENT_32 0x23
#define N_PAGES		4096u

struct page {
	uint64_t number;
	uint8_t *bytes;
};

struct oracle {
	pid_t pid;
	struct page page[N_PAGES]; /* direct mapped by page number */
	uint64_t n_insn, n_branch, n_cond, n_taken, hash;
};

/* One byte of the program's code; 0 when it cannot be read. */
static uint8_t code_byte(struct oracle *o, uint64_t addr)
{
	struct page *p = &o->page[addr / PAGE % N_PAGES];

	if (!p->bytes || p->number != addr / PAGE) {
		struct iovec here, there;

		if (!p->bytes)
			p->bytes = malloc(PAGE);
		p->number = addr / PAGE;
		here.iov_base = p->bytes;
		there.iov_base = (void *)(addr & ~(uint64_t)(PAGE - 1));
		here.iov_len = there.iov_len = PAGE;
		if (process_vm_readv(o->pid, &here, 1, &there, 1, 0) != (ssize_t)PAGE)
			memset(p->bytes, 0, PAGE);
	}
	return p->bytes[addr % PAGE];
}

enum kind { PLAIN, REP_STRING, COND, BRANCH, LOAD_SS };

/* Kind of the instruction at pc in 32-bit or 64-bit code; *len receives its length for branches of
 * fixed form and loads of SS, else 0. */
static enum kind classify(struct oracle *o, uint64_t pc, bool is_32, unsigned *len)
{
	unsigned n = 0;
	bool has_rep = false;
	uint8_t op;

	*len = 0;
	for (;; n++) {
		op = code_byte(o, pc + n);
		if (op == 0xf2 || op == 0xf3)
			has_rep = true;
		else if (op != 0x66 && op != 0x67 && op != 0xf0 && (op & 0xe7) != 0x26 &&
			 (op & 0xfe) != 0x64)
			break;
		if (n > 14)
			return PLAIN;
	}
	if (is_32 && op == 0xcd && code_byte(o, pc + n + 1) == 0x80)
		return BRANCH; /* INT 80h */
	if ((is_32 && op == 0x17) || (op == 0x8e && (code_byte(o, pc + n + 1) >> 3 & 7) == 2 &&
				      code_byte(o, pc + n + 1) >= 0xc0)) {
		*len = n + (op == 0x17 ? 1 : 2);
		return LOAD_SS;
	}
	if (!is_32 && (op & 0xf0) == 0x40)
		op = code_byte(o, pc + ++n);
	if ((op >= 0xa4 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf))
		return has_rep ? REP_STRING : PLAIN;
	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3)) {
		*len = n + 2;
		return COND;
	}
	if (op == 0x0f && (code_byte(o, pc + n + 1) & 0xf0) == 0x80) {
		*len = n + 6;
		return COND;
	}
	if (op == 0x0f && code_byte(o, pc + n + 1) == 0x05)
		return BRANCH; /* SYSCALL */
	if (op == 0xe8 || op == 0xe9 || op == 0xeb || op == 0xc2 || op == 0xc3)
		return BRANCH;
	if (op == 0xff) {
		unsigned reg = code_byte(o, pc + n + 1) >> 3 & 7;

		if (reg == 2 || reg == 4)
			return BRANCH;
	}
	return PLAIN;
}

/* Step the program to its end. Returns its wait status. */
static int step_all(struct oracle *o)
{
	struct user_regs_struct regs;
	uint64_t last_rep = 0;
	int status, sig = 0;

	for (;;) {
		unsigned len;
		enum kind kind;
		uint64_t pc;

		if (ptrace(PTRACE_GETREGS, o->pid, 0, &regs)) {
			perror("oracle: PTRACE_GETREGS");
			exit(2);
		}
		pc = regs.rip;
		kind = classify(o, pc, regs.cs == CODE_SEGMENT_32, &len);
		while (kind == LOAD_SS) { /* no trap before the next instruction is done */
			o->n_insn++;
			o->hash = (o->hash ^ pc) * 0x100000001b3ull;
			pc += len;
			kind = classify(o, pc, regs.cs == CODE_SEGMENT_32, &len);
		}
		if (kind != REP_STRING || last_rep != pc) {
			o->n_insn++;
			o->hash = (o->hash ^ pc) * 0x100000001b3ull;
		}
		last_rep = kind == REP_STRING ? pc : 0;
		ptrace(PTRACE_SINGLESTEP, o->pid, 0, sig);
		if (waitpid(o->pid, &status, 0) != o->pid) {
			perror("oracle: waitpid");
			exit(2);
		}
		if (!WIFSTOPPED(status)) {
			o->n_branch += kind == BRANCH; /* SYSCALL exit */
			o->n_taken += kind == BRANCH;
			return status;
		}
		sig = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		if (kind == PLAIN || kind == REP_STRING)
			continue;
		o->n_branch++;
		if (kind == COND)
			o->n_cond++;
		ptrace(PTRACE_GETREGS, o->pid, 0, &regs);
		if (kind == BRANCH || regs.rip != pc + len)
			o->n_taken++;
	}
}

/* Stay on one processor: handing a step over to another one costs twice as much. */
static void pin(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	CPU_ZERO(&set);
	CPU_SET(cpu < 0 ? 0 : (unsigned)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	static struct oracle o = {.hash = 0xcbf29ce484222325ull};
	FILE *out = stderr;
	int status, first = 1;

	if (argc > 3 && !strcmp(argv[1], "-o")) {
		out = fopen(argv[2], "we");
		first = 3;
	}
	if (first >= argc || !out) {
		fprintf(stderr, "usage: oracle [-o FILE] PROGRAM [ARGS...]\n");
		return 2;
	}
	pin();
	o.pid = fork();
	if (o.pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[first], argv + first);
		perror(argv[first]);
		_exit(127);
	}
	if (o.pid < 0 || waitpid(o.pid, &status, 0) != o.pid || !WIFSTOPPED(status)) {
		fprintf(stderr, "oracle: %s did not start\n", argv[first]);
		return 2;
	}
	status = step_all(&o);
	fprintf(out,
		"instructions %llu\nbranches %llu\nconditional %llu\ntaken %llu\nhash %016llx\n",
		(unsigned long long)o.n_insn, (unsigned long long)o.n_branch,
		(unsigned long long)o.n_cond, (unsigned long long)o.n_taken,
		(unsigned long long)o.hash);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return 128 + WTERMSIG(status);
}
