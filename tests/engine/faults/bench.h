/* bench.h -- rows of the table of faults: code that is run alone, and what its handler is shown.
 *
 * Each row is a few bytes of code on a page of its own. It runs with registers that the row
 * chooses, on a stack of its own, three times: with nothing in front, behind two instructions, and
 * behind two that use R15, there on a shared page, of which translations check their source. What
 * the signal's frame shows is a line of output.
 *
 * RULES
 *   before a row   a load from WARM faults, so that what a frame shows of the last page fault (CR2)
 *                  is known.
 *   addresses      all of them are the same natively and under softpmu; those of the row's page are
 *                  printed as code+N.
 *   literals       a row where processors differ has the line of Intel's manual as a text. Natively
 *                  that text is printed and nothing is run; with the argument "model" the row runs.
 *   counts         with "model", the instructions that retired between two readings of counter 0
 *                  are compared with the row's own figure. A difference is printed. Natively
 *                  nothing is compared.
 */
#ifndef BENCH_H
#define BENCH_H

#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE 4096u
/* Above the heap, which the kernel puts up to 1 GiB behind a program that is not
 * position-independent. */
#define RW   0x50000000ul /* two pages that may be read and written; nothing behind them */
#define RO   0x50010000ul
#define NONE 0x50020000ul /* mapped, without any right */
/* one page of a private mapping of a file, the next lies behind its end */
#define EOF_AT	  0x50030000ul
#define EOF_SH	  0x50034000ul /* the same, shared */
#define ABSENT	  0x50050000ul
#define STACK	  0x50061000ul /* two pages; nothing in front of them */
#define STACK_TOP (STACK + 0x1800)
#define CODE	  0x52000000ul
#define STRIDE	  0x4000ul
#define WARM	  (ABSENT + 0x123)

#ifdef __x86_64__
#define N_REGS 16
enum { AX, CX, DX, BX, SP, BP, SI, DI, R8, R9, R10, R11, R12, R13, R14, R15 };
static const int context_reg[N_REGS] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
					REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
					REG_R12, REG_R13, REG_R14, REG_R15};
static const char *const reg_name[N_REGS] = {"ax", "cx", "dx",	"bx",  "sp",  "bp",  "si",  "di",
					     "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};
#define IP_REG	   REG_RIP
#define CR2_OF(uc) ((uintptr_t)(uc)->uc_mcontext.gregs[REG_CR2])
#else
#define N_REGS	   8
enum { AX, CX, DX, BX, SP, BP, SI, DI };
static const int context_reg[N_REGS] = {REG_EAX, REG_ECX, REG_EDX, REG_EBX,
					REG_ESP, REG_EBP, REG_ESI, REG_EDI};
static const char *const reg_name[N_REGS] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
#define IP_REG	   REG_EIP
#define CR2_OF(uc) ((uintptr_t)(uc)->uc_mcontext.cr2)
#endif

/* What lies behind the row's page. */
enum next { NEXT_CODE, NEXT_ABSENT, NEXT_NONE, NEXT_NX, NEXT_EOF };

struct row {
	const char *name;
	const char *code;
	unsigned bytes;
	unsigned at;	  /* offset of the instruction that faults */
	unsigned retired; /* instructions of the row that retire */
	unsigned end; /* not 0: so many bytes of the row lie on its page, the others on the next */
	enum next next;
	uintptr_t ax, cx, dx, bx, bp, si, di; /* 0 = as always; ZERO = 0 */
	uintptr_t sp;			      /* 0 = STACK_TOP */
	uintptr_t push[5];		      /* laid at the stack pointer */
	uintptr_t word[3];		      /* laid at RW + 0x100, where BX points */
	const char *intel;     /* the line that Intel's manual asks for, where processors differ */
	int no_flags, no_regs; /* 1: do not show RF, or registers that changed */
};
#define ZERO (~(uintptr_t)0x5a5a)

/* Not static: the code below names them. */
extern struct row_state {
	uintptr_t reg[N_REGS];
	uintptr_t go;
} row_state;
struct row_state row_state;

static struct {
	uintptr_t reg[N_REGS], ip, cr2, flags, trapno, err;
	int sig, code;
	uintptr_t addr;
} seen;

static int is_model, is_shared_run;
extern unsigned char is_counting;
unsigned char is_counting;
extern uint32_t count_before, count_after;
uint32_t count_before, count_after;
extern uintptr_t saved_sp;
uintptr_t saved_sp;
static unsigned n_rows;

void bench_enter(void);
void bench_back(void);
void bench_handler(int, siginfo_t *, void *);
void bench_note(int, siginfo_t *, void *) __attribute__((used));

/* Between the two readings lie, besides the row: the first RDPMC itself, what loads the registers,
 * and what the handler begins with. */
#ifdef __x86_64__
#define COUNT_OVERHEAD 26
__asm__(".text\n"
	"bench_enter: push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
	"	mov %rsp, saved_sp\n"
	"	cmpb $0, is_counting\n"
	"	je 1f\n"
	"	xor %eax, %eax\n cpuid\n xor %ecx, %ecx\n rdpmc\n mov %eax, count_before\n"
	"1:	mov row_state, %rax\n mov row_state+8, %rcx\n mov row_state+16, %rdx\n mov "
	"row_state+24, %rbx\n"
	"	mov row_state+32, %rsp\n mov row_state+40, %rbp\n mov row_state+48, %rsi\n mov "
	"row_state+56, %rdi\n"
	"	mov row_state+64, %r8\n mov row_state+72, %r9\n mov row_state+80, %r10\n mov "
	"row_state+88, %r11\n"
	"	mov row_state+96, %r12\n mov row_state+104, %r13\n mov row_state+112, %r14\n mov "
	"row_state+120, %r15\n"
	"	jmp *row_state+128\n"
	"bench_back: mov saved_sp, %rsp\n"
	"	pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret\n"
	"bench_handler: cmpb $0, is_counting\n"
	"	je bench_note\n"
	"	mov %rdx, %r8\n mov %rbx, %r9\n xor %eax, %eax\n cpuid\n xor %ecx, %ecx\n rdpmc\n"
	"	mov %eax, count_after\n mov %r9, %rbx\n mov %r8, %rdx\n"
	"	jmp bench_note\n");
#else
#define COUNT_OVERHEAD 17
__asm__(
    ".text\n"
    "bench_enter: push %ebx\n push %ebp\n push %esi\n push %edi\n"
    "	mov %esp, saved_sp\n"
    "	cmpb $0, is_counting\n"
    "	je 1f\n"
    "	xor %eax, %eax\n cpuid\n xor %ecx, %ecx\n rdpmc\n mov %eax, count_before\n"
    "1:	mov row_state, %eax\n mov row_state+4, %ecx\n mov row_state+8, %edx\n mov row_state+12, "
    "%ebx\n"
    "	mov row_state+16, %esp\n mov row_state+20, %ebp\n mov row_state+24, %esi\n mov "
    "row_state+28, %edi\n"
    "	jmp *row_state+32\n"
    "bench_back: mov saved_sp, %esp\n"
    "	pop %edi\n pop %esi\n pop %ebp\n pop %ebx\n ret\n"
    "bench_handler: cmpb $0, is_counting\n"
    "	je bench_note\n"
    "	pushal\n xor %eax, %eax\n cpuid\n xor %ecx, %ecx\n rdpmc\n mov %eax, count_after\n popal\n"
    "	jmp bench_note\n");
#endif

void bench_note(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *r = uc->uc_mcontext.gregs;

	seen.sig = sig;
	seen.code = info->si_code;
	seen.addr = (uintptr_t)info->si_addr;
	seen.ip = (uintptr_t)r[IP_REG];
	seen.trapno = (uintptr_t)r[REG_TRAPNO];
	seen.err = (uintptr_t)r[REG_ERR];
	seen.flags = (uintptr_t)r[REG_EFL];
	seen.cr2 = CR2_OF(uc);
	for (int i = 0; i < N_REGS; i++)
		seen.reg[i] = (uintptr_t)r[context_reg[i]];
	r[IP_REG] = (greg_t)(uintptr_t)bench_back;
	r[REG_EFL] &= ~0x40500l; /* AC, TF, DF */
}

static void must(int is_good, const char *what)
{
	if (is_good)
		return;
	perror(what);
	exit(3);
}

static void *map(uintptr_t at, size_t bytes, int prot, int flags, int fd)
{
	void *p =
	    mmap((void *)at, bytes, prot, flags | MAP_FIXED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

	must(p == (void *)at, "mmap");
	return p;
}

static int file_of(size_t bytes)
{
	int fd = (int)syscall(SYS_memfd_create, "row", 0);

	must(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0, "memfd_create");
	return fd;
}

static void bench_start(int is_model_run)
{
	static const int sigs[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
	static char alt[65536];
	stack_t st = {.ss_sp = alt, .ss_size = sizeof(alt)};
	struct sigaction a = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	int fd = file_of(PAGE);

	is_model = is_model_run;
	a.sa_sigaction = bench_handler;
	sigaltstack(&st, NULL);
	for (unsigned i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		sigaction(sigs[i], &a, NULL);
	map(RW, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, -1);
	map(RO, PAGE, PROT_READ, MAP_PRIVATE, -1);
	map(NONE, PAGE, PROT_NONE, MAP_PRIVATE, -1);
	map(EOF_AT, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE, fd);
	map(EOF_SH, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd);
	map(STACK, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, -1);
	close(fd);
}

/* Lay the row's pages at `base` and its code there. Returns where it begins. */
static uintptr_t lay(const struct row *w, uintptr_t base, const char *lead, unsigned lead_bytes)
{
	const int fd = is_shared_run || w->next == NEXT_EOF ? file_of(2 * PAGE) : -1;
	const uintptr_t at = w->end ? base + PAGE - w->end : base + 0x200;

	map(base, 2 * PAGE, PROT_READ | PROT_WRITE, is_shared_run ? MAP_SHARED : MAP_PRIVATE, fd);
	memset((void *)base, 0xcc, 2 * PAGE);
	if (fd >= 0 && !is_shared_run) { /* what the file holds, not the private copy */
		must(pwrite(fd, (void *)base, PAGE, 0) == PAGE, "pwrite");
		must(pwrite(fd, lead, lead_bytes, (off_t)(at - base - lead_bytes)) ==
			 (ssize_t)lead_bytes,
		     "pwrite");
		must(pwrite(fd, w->code, w->bytes, (off_t)(at - base)) == (ssize_t)w->bytes,
		     "pwrite");
		map(base, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd);
	} else {
		memcpy((void *)(at - lead_bytes), lead, lead_bytes);
		memcpy((void *)at, w->code, w->bytes);
		mprotect((void *)base, 2 * PAGE, PROT_READ | PROT_EXEC);
	}
	switch (w->next) {
	case NEXT_CODE: break;
	case NEXT_ABSENT: munmap((void *)(base + PAGE), PAGE); break;
	case NEXT_NONE: mprotect((void *)(base + PAGE), PAGE, PROT_NONE); break;
	case NEXT_NX: mprotect((void *)(base + PAGE), PAGE, PROT_READ | PROT_WRITE); break;
	case NEXT_EOF: must(ftruncate(fd, PAGE) == 0, "ftruncate"); break;
	}
	if (fd >= 0)
		close(fd);
	return at - lead_bytes;
}

static uintptr_t chosen(uintptr_t value, uintptr_t usual)
{
	return value == ZERO ? 0 : value ? value : usual;
}

static void set_registers(const struct row *w)
{
	uintptr_t *r = row_state.reg, *stack, *words = (uintptr_t *)(RW + 0x100);

	for (unsigned i = 0; i < N_REGS; i++)
		r[i] = 0x1000 + i;
	memset((void *)RW, 0, 2 * PAGE);
	memset((void *)STACK, 0, 2 * PAGE);
	r[AX] = chosen(w->ax, 0x11), r[CX] = chosen(w->cx, 0x22), r[DX] = chosen(w->dx, 0x33);
	r[BX] = chosen(w->bx, RW + 0x100), r[SP] = chosen(w->sp, STACK_TOP),
	r[BP] = chosen(w->bp, STACK_TOP + 0x80);
	r[SI] = chosen(w->si, RW + 0x200), r[DI] = chosen(w->di, RW + 0x300);
	*(uintptr_t *)(RW + 0x800) = 0x1000 + N_REGS - 1;
	*(uintptr_t *)(RW + 0x808) = r[DI];
	memcpy(words, w->word, sizeof(w->word));
	stack = (uintptr_t *)r[SP];
	if (r[SP] >= STACK && r[SP] < STACK + 2 * PAGE - sizeof(w->push))
		memcpy(stack, w->push, sizeof(w->push));
}

/* An address as a text: one of the row's pages by its distance from the row. */
static const char *address(uintptr_t a, uintptr_t at, char *text)
{
	const long from = (long)(a - at);

	if (a - (at & ~(STRIDE - 1)) < STRIDE)
		sprintf(text, "code%+ld", from);
	else
		sprintf(text, "%lx", (unsigned long)a);
	return text;
}

static void describe(const struct row *w, uintptr_t at, char *line)
{
	char text[3][32];

	line += sprintf(line, "signal %d vector %lu error %lx code %d address %s cr2 %s at %s",
			seen.sig, (unsigned long)seen.trapno, (unsigned long)seen.err, seen.code,
			address(seen.addr, at, text[0]), address(seen.cr2, at, text[1]),
			address(seen.ip, at + w->at, text[2]));
	line += sprintf(line, " sp%+ld%s", (long)(seen.reg[SP] - row_state.reg[SP]),
			w->no_flags	       ? ""
			: seen.flags & 0x10000 ? " RF"
					       : " -");
	for (unsigned i = 0; i < N_REGS - (N_REGS == 16) && !w->no_regs; i++)
		if (i != SP && seen.reg[i] != row_state.reg[i])
			line += sprintf(line, " %s=%lx", reg_name[i], (unsigned long)seen.reg[i]);
}

static void run_row(const struct row *w, unsigned variant, char *line)
{
	static const struct {
		const char *code;
		unsigned bytes;
	} lead[] = {
	    {"", 0},
#ifdef __x86_64__
	    {"\x90\x4d\x89\xc0", 4}, /* nop; mov r8, r8 */
	    {"\x4c\x8b\x3c\x25\x00\x08\x00\x50\x4d\x89\xff",
	     11}, /* mov r15, [RW + 0x800]; mov r15, r15 */
#else
	    {"\x90\x89\xc0", 3},
	    {"\x8b\x3d\x08\x08\x00\x50\x89\xc0", 8}, /* mov edi, [RW + 0x808] */
#endif
	};
	const uintptr_t base = CODE + (n_rows * 4 + variant) * STRIDE;
	uintptr_t at;

	at = lay(w, base, lead[variant].code, lead[variant].bytes);
	set_registers(w);
	is_counting = 0;
	row_state.go = WARM;
	bench_enter();
	memset(&seen, 0, sizeof(seen));
	row_state.go = at;
	is_counting = (unsigned char)is_model;
	bench_enter();
	is_counting = 0;
	if (seen.sig)
		describe(w, at + lead[variant].bytes, line);
	else
		strcpy(line, "no signal");
	if (is_model && seen.sig &&
	    count_after - count_before != COUNT_OVERHEAD + w->retired + (variant ? 2 : 0))
		sprintf(line + strlen(line), " RETIRED %d",
			(int)(count_after - count_before - COUNT_OVERHEAD - (variant ? 2 : 0)));
	munmap((void *)base, 2 * PAGE);
}

static void bench_row(const struct row *w)
{
	static const char *const how[] = {"", "behind two", "shared, behind R15"};
	char first[512] = "", line[512];

	n_rows++;
	if (w->intel && !is_model) {
		printf("%s: %s\n", w->name, w->intel);
		return;
	}
	for (unsigned v = 0; v < 3; v++) {
		is_shared_run = v == 2;
		run_row(w, v, line);
		if (!v) {
			strcpy(first, line);
			printf("%s: %s\n", w->name, line);
		} else if (strcmp(first, line)) {
			printf("%s, %s: %s\n", w->name, how[v], line);
		}
	}
}

#define ROW(name_, code_, ...)                                                                     \
	do {                                                                                       \
		const struct row row_ = {                                                          \
		    .name = name_, .code = code_, .bytes = sizeof(code_) - 1, __VA_ARGS__};        \
		bench_row(&row_);                                                                  \
	} while (0)

#endif
