/* Vector and mask registers on every way into a handler and out of it. The program is told how wide
 * the registers of this machine are and never asks CPUID: it is what a build for one processor
 * does.
 *
 *   vectors LEVEL JUMPS   LEVEL: 1 XMM, 3 YMM, 4 ZMM and masks; JUMPS: handlers that are left by
 *                         siglongjmp
 *   vectors LEVEL size    prints how many bytes the vector state has in a frame, with and without
 *                         such values
 *   vectors LEVEL small   one handler on an alternate stack of 2048 bytes
 *
 * Built with -mgeneral-regs-only, so that nothing but the assembly below changes these registers.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "programs/check.h"

#define MAGIC1	  0x46505853u
#define MAGIC2	  0x46505845u
#define AREA_MOST 16384
#ifdef __x86_64__
#define WORD	    "r"
#define REG_PC	    REG_RIP
#define FX_OFF	    0 /* of the FXSAVE area in what the frame points to */
#define UC_OFF	    8 /* of the ucontext in the frame */
#define FRAME_BYTES 440
#define N_NARROW    16 /* registers without AVX-512 */
#define N_WIDE	    32
#else
#define WORD	    "e"
#define REG_PC	    REG_EIP
#define FX_OFF	    112
#define UC_OFF	    144
#define FRAME_BYTES 268
#define N_NARROW    8
#define N_WIDE	    8
#endif

struct state {
	uint8_t v[32][64];
	uint64_t k[8];
};

/* load_N: registers from [ax]; store_N: to [dx]. */
__asm__(".text\n"
	".macro each insn:req, at:req, step:req, reg:req, last:req, store:req\n"
	"	.altmacro\n"
	"	one_each %\\last, \\insn, \\at, \\step, \\reg, \\store\n"
	"	.noaltmacro\n"
	".endm\n"
	".macro one_each n:req, insn:req, at:req, step:req, reg:req, store:req\n"
	"	.if \\store\n"
	"	\\insn %\\reg\\n, \\at+\\step*\\n(%" WORD "dx)\n"
	"	.else\n"
	"	\\insn \\at+\\step*\\n(%" WORD "ax), %\\reg\\n\n"
	"	.endif\n"
	"	.if \\n\n"
	"	one_each %(\\n-1), \\insn, \\at, \\step, \\reg, \\store\n"
	"	.endif\n"
	".endm\n"
#ifdef __x86_64__
	".set narrow, 15\n.set wide, 31\n"
#else
	".set narrow, 7\n.set wide, 7\n"
#endif
	"load_1: each movups, 0, 64, xmm, narrow, 0\n ret\n"
	"store_1: each movups, 0, 64, xmm, narrow, 1\n ret\n"
	"load_3: each vmovups, 0, 64, ymm, narrow, 0\n ret\n"
	"store_3: each vmovups, 0, 64, ymm, narrow, 1\n ret\n"
	"load_4: each vmovups, 0, 64, zmm, wide, 0\n each kmovq, 2048, 8, k, 7, 0\n ret\n"
	"store_4: each vmovups, 0, 64, zmm, wide, 1\n each kmovq, 2048, 8, k, 7, 1\n ret\n");
void load_1(void), store_1(void), load_3(void), store_3(void), load_4(void), store_4(void);

static void (*load_all)(void), (*store_all)(void);
static int level;
static volatile int ticks, depth, faults, is_dirty = 1;
static sigjmp_buf back;

static void load(const struct state *s)
{
	__asm__ volatile("call *%1" : : "a"(s), "r"(load_all) : "memory", "cc");
}

static void store(struct state *s)
{
	__asm__ volatile("call *%1" : : "d"(s), "r"(store_all) : "memory", "cc");
}

static void fill(struct state *s, unsigned seed)
{
	uint8_t *p = (uint8_t *)s;

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < sizeof(*s); i++)
		p[i] = (uint8_t)((seed = seed * 1103515245u + 12345u) >> 16);
}

/* The parts of what is stored that two states differ in: bit 0 XMM, 1 the upper half of YMM, 2 that
 * of ZMM, 3 registers from 16 on, 4 masks. */
static int difference(const struct state *a, const struct state *b)
{
	int d = 0;

	for (int i = 0; i < (level == 4 ? N_WIDE : N_NARROW); i++) {
		if (i >= 16) {
			d |= memcmp(a->v[i], b->v[i], 64) ? 8 : 0;
			continue;
		}
		d |= memcmp(a->v[i], b->v[i], 16) ? 1 : 0;
		if (level >= 3)
			d |= memcmp(a->v[i] + 16, b->v[i] + 16, 16) ? 2 : 0;
		if (level == 4)
			d |= memcmp(a->v[i] + 32, b->v[i] + 32, 32) ? 4 : 0;
	}
	if (level == 4)
		d |= memcmp(a->k, b->k, sizeof(a->k)) ? 16 : 0;
	return d;
}

static const struct state initial;

/* Registers of `before`, UD2, registers -> after. */
static void fault(const struct state *before, struct state *after)
{
	__asm__ volatile("call *%2\n\tud2\n\tcall *%3"
			 :
			 : "a"(before), "d"(after), "r"(load_all), "r"(store_all)
			 : "memory", "cc");
}

static void skip_ud2(int sig, void *context)
{
	if (sig == SIGILL)
		((ucontext_t *)context)->uc_mcontext.gregs[REG_PC] += 2;
}

/* Every register but those of the handler's frame becomes another one. */
static void dirty(unsigned seed)
{
	struct state s;

	fill(&s, seed);
	load(&s);
}

static void check_fault(unsigned seed)
{
	struct state before, after;

	fill(&before, seed);
	memset(&after, 0, sizeof(after));
	fault(&before, &after);
	CHECK(difference(&before, &after) == 0);
}

/* ---- faults, timers, nesting, stacks --------------------------------------------------------- */

static void on_fault(int sig, siginfo_t *info, void *context)
{
	struct state entry;

	store(&entry);
	CHECK(difference(&entry, &initial) == 0);
	faults++;
	dirty(99u + (unsigned)sig);
	skip_ud2(sig, context);
}

static void on_nested(int sig, siginfo_t *info, void *context)
{
	if (++depth < 4) {
		check_fault(1000u + (unsigned)depth);
		raise(SIGUSR1);
	}
	depth--;
	dirty(7u + (unsigned)depth);
	skip_ud2(sig, context);
}

static void on_tick(int sig, siginfo_t *info, void *context)
{
	dirty((unsigned)ticks);
	ticks++;
}

static void handle(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

	sigemptyset(&a.sa_mask);
	sigaction(sig, &a, NULL);
}

static void check_ticks(unsigned seed, int times)
{
	struct state before, after;

	for (int i = 0; i < times; i++) {
		fill(&before, seed + (unsigned)i);
		__asm__ volatile(
		    "mov (%4), %%ecx\n\tcall *%2\n1:\tcmp (%4), %%ecx\n\tje 1b\n\tcall *%3"
		    :
		    : "a"(&before), "d"(&after), "S"(load_all), "D"(store_all), "b"(&ticks)
		    : "ecx", "memory", "cc");
		CHECK(difference(&before, &after) == 0);
	}
}

static void start_ticks(long us)
{
	struct itimerval t = {{0, us}, {0, us}};

	handle(SIGALRM, on_tick, 0);
	setitimer(ITIMER_REAL, &t, NULL);
}

/* Without SA_SIGINFO: i386 has another frame for it. */
static void on_plain_tick(int sig)
{
	on_tick(sig, NULL, NULL);
}

static void *thread(void *seed)
{
	check_ticks((unsigned)(uintptr_t)seed, 10);
	return NULL;
}

static void test_plain(void)
{
	static char stack[65536] __attribute__((aligned(64)));
	stack_t alt = {.ss_sp = stack, .ss_size = sizeof(stack)};
	pthread_t t[2];

	handle(SIGILL, on_fault, 0);
	for (unsigned i = 0; i < 5; i++)
		check_fault(i);
	CHECK(faults == 5);
	handle(SIGILL, on_nested, SA_NODEFER);
	handle(SIGUSR1, on_nested, SA_NODEFER);
	check_fault(20);
	CHECK(sigaltstack(&alt, NULL) == 0);
	handle(SIGILL, on_nested, SA_NODEFER | SA_ONSTACK);
	check_fault(30);
	alt.ss_flags = SS_DISABLE;
	sigaltstack(&alt, NULL);
	start_ticks(1000);
	check_ticks(40, 10);
	signal(SIGALRM, on_plain_tick);
	check_ticks(60, 5);
	for (uintptr_t i = 0; i < 2; i++)
		CHECK(pthread_create(&t[i], NULL, thread, (void *)(i * 100)) == 0);
	for (int i = 0; i < 2; i++)
		CHECK(pthread_join(t[i], NULL) == 0);
	start_ticks(0);
}

/* ---- ways out other than the end of the handler ---------------------------------------------- */

static ucontext_t inside, other;
static char coroutine_stack[65536];

static void coroutine(void)
{
	for (;;) {
		dirty(4711);
		swapcontext(&other, &inside);
	}
}

static void on_swap(int sig, siginfo_t *info, void *context)
{
	if (other.uc_stack.ss_sp == NULL) {
		getcontext(&other);
		other.uc_stack.ss_sp = coroutine_stack;
		other.uc_stack.ss_size = sizeof(coroutine_stack);
		makecontext(&other, coroutine, 0);
	}
	swapcontext(&inside, &other);
	skip_ud2(sig, context);
}

/* Two contexts that a timer interrupts in turns: each goes on where its own handler was left. */
static ucontext_t turn[2];
static volatile int whose;

static void on_turn(int sig, siginfo_t *info, void *context)
{
	int before = whose;

	on_tick(sig, info, context);
	whose = !before;
	swapcontext(&turn[before], &turn[!before]);
	dirty(99);
}

static void other_turn(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	for (unsigned i = 0;; i++)
		check_ticks(500 + i, 1);
}

static void test_turns(void)
{
	static char stack[131072];

	getcontext(&turn[1]);
	turn[1].uc_stack.ss_sp = stack;
	turn[1].uc_stack.ss_size = sizeof(stack);
	sigaddset(&turn[1].uc_sigmask, SIGALRM); /* no tick before it is on its own stack */
	makecontext(&turn[1], other_turn, 0);
	start_ticks(1000);
	handle(SIGALRM, on_turn, 0);
	check_ticks(600, 10);
	start_ticks(0);
}

/* In a memory that both share, as posix_spawn has it. */
static void on_vfork(int sig, siginfo_t *info, void *context)
{
	int status = 0;
	pid_t child = vfork();

	if (child == 0) {
		dirty(3);
		_exit(7);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
	skip_ud2(sig, context);
}

static void on_fork(int sig, siginfo_t *info, void *context)
{
	int status = 0;
	pid_t child = fork();

	dirty(child ? 1u : 2u);
	if (child == 0)
		depth = 1;
	else
		CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	skip_ud2(sig, context);
}

static void on_jump(int sig)
{
	dirty(5);
	siglongjmp(back, 1);
}

/* Kilobytes of this process in memory. */
static long resident(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * 4;
}

static void test_other_ways(long jumps)
{
	struct sigaction a = {.sa_handler = on_jump, .sa_flags = SA_NODEFER};
	struct state s;
	volatile long left = jumps;
	volatile long before;

	handle(SIGILL, on_swap, 0);
	check_fault(50);
	check_fault(51);
	test_turns();
	handle(SIGILL, on_vfork, 0);
	check_fault(59);
	handle(SIGILL, on_fork, 0);
	check_fault(60);
	if (depth == 1)
		_exit(check_failed ? 1 : 0);
	sigaction(SIGILL, &a, NULL);
	fill(&s, 70);
	before = resident();
	while (left > 0) {
		left--;
		if (sigsetjmp(back, 0) == 0)
			fault(&s, &s);
	}
	CHECK(left == 0 && resident() < before + 1024);
	handle(SIGILL, on_fault, 0);
	check_fault(71);
}

/* ---- frames that the handler changes, copies and moves --------------------------------------- */

enum edit {
	COPY,
	COPY_LEGACY,
	NONE,
	EDIT_XMM,
	EDIT_YMM,
	EMPTY_HEADER,
	FEWER,
	MOVE,
	BAD_HEADER,
	BAD_MXCSR
};

static enum edit edit;
static uint8_t *heap; /* zeroed */
static int had_words; /* the frame had the kernel's size words */

__attribute__((noreturn)) static void return_from(void *frame)
{
#ifdef __x86_64__
	__asm__ volatile("lea 8(%0), %%rsp\n\tmov $15, %%eax\n\tsyscall" : : "r"(frame) : "memory");
#else
	__asm__ volatile("lea 4(%0), %%esp\n\tmov $173, %%eax\n\tint $0x80"
			 :
			 : "r"(frame)
			 : "memory");
#endif
	__builtin_unreachable();
}

static void on_edit(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uint8_t *fp = (uint8_t *)uc->uc_mcontext.fpregs, *fx = fp + FX_OFF, *moved = heap + 4096;
	uint32_t words[6], bytes;

	dirty(1234);
	skip_ud2(sig, context);
	memcpy(words, fx + 464, sizeof(words));
	had_words = words[0] == MAGIC1;
	bytes = had_words ? words[1] : FX_OFF + 512; /* with what i386 has in front */
	if (had_words) {
		uint32_t end;

		memcpy(&end, fx + words[4], sizeof(end));
		CHECK(end == MAGIC2 && words[1] == FX_OFF + words[4] + 4);
		if (level >= 3)
			CHECK((words[2] & 4) && words[4] >= 832);
		if (level == 4)
			CHECK((words[2] & 0xe7) == 0xe7);
	} else {
		CHECK(level == 1);
	}
	memset(heap, 0, AREA_MOST);
	switch (edit) {
	case COPY:
	case MOVE:
		memcpy(heap + 64 - FX_OFF % 64, fp, bytes);
		memset(fp, 0xcc, bytes);
		uc->uc_mcontext.fpregs = (void *)(heap + 64 - FX_OFF % 64);
		if (edit == COPY)
			break;
		memcpy(moved, (uint8_t *)uc - UC_OFF, FRAME_BYTES);
		return_from(moved);
	case COPY_LEGACY:
		memcpy(heap + 64 - FX_OFF % 64, fp, FX_OFF + 512);
		uc->uc_mcontext.fpregs = (void *)(heap + 64 - FX_OFF % 64);
		break;
	case NONE: uc->uc_mcontext.fpregs = NULL; break;
	case EDIT_XMM: memset(fx + 160 + 16 * 3, 0x5a, 16); break;
	case EDIT_YMM:
		if (level >= 3)
			memset(fx + 576 + 16 * 3, 0x5a, 16);
		break;
	case EMPTY_HEADER:
		if (had_words)
			memset(fx + 512, 0, 8);
		break;
	case FEWER:
		words[2] = 3;
		memcpy(fx + 464, words, sizeof(words));
		break;
	case BAD_HEADER: fx[520] = 1; break;
	case BAD_MXCSR: fx[27] = 0x80; break;
	}
}

static void on_bad_frame(int sig)
{
	siglongjmp(back, 2);
}

/* What is as before of the registers when the handler makes this edit: difference() of before and
 * after. */
static int edited(enum edit what, struct state *after)
{
	struct state before;

	edit = what;
	fill(&before, 80u + what);
	memset(after, 0, sizeof(*after));
	fault(&before, after);
	return difference(&before, after);
}

static void test_edits(void)
{
	struct state s, copy;
	const int upper = level == 4 ? N_WIDE > 16 ? 30 : 22 : level == 3 ? 2 : 0, all = upper | 1;

	heap = mmap(NULL, AREA_MOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	handle(SIGILL, on_edit, 0);
	CHECK(edited(COPY, &s) == 0);
	CHECK(edited(MOVE, &s) == 0);
	CHECK(edited(COPY_LEGACY, &s) == upper);
	CHECK(edited(NONE, &s) == all && difference(&s, &initial) == 0);
	CHECK(edited(EDIT_XMM, &s) == 1);
	fill(&copy, 80 + EDIT_XMM);
	memset(copy.v[3], 0x5a, 16);
	CHECK(difference(&s, &copy) == 0);
	if (level >= 3) {
		CHECK(edited(EDIT_YMM, &s) == 2);
		fill(&copy, 80 + EDIT_YMM);
		memset(copy.v[3] + 16, 0x5a, 16);
		CHECK(difference(&s, &copy) == 0);
		CHECK(edited(EMPTY_HEADER, &s) == all && difference(&s, &initial) == 0);
		CHECK(edited(FEWER, &s) == upper);
	}
	signal(SIGSEGV, on_bad_frame);
	for (enum edit bad = level >= 3 ? BAD_HEADER : BAD_MXCSR; bad <= BAD_MXCSR; bad++) {
		int how = sigsetjmp(back, 1);

		if (how == 0) {
			edited(bad, &s);
			CHECK(!"returned");
		}
	}
	handle(SIGILL, on_fault, 0);
	check_fault(99);
}

/* ---- how large a frame is -------------------------------------------------------------------- */

static void on_size(int sig, siginfo_t *info, void *context)
{
	const uint8_t *fx = (uint8_t *)((ucontext_t *)context)->uc_mcontext.fpregs + FX_OFF;
	uint32_t words[2];

	memcpy(words, fx + 464, sizeof(words));
	printf("%u ", words[0] == MAGIC1 ? words[1] - FX_OFF : 512);
	skip_ud2(sig, context);
}

static int show_sizes(void)
{
	struct state after;

	handle(SIGILL, on_size, 0);
	check_fault(1);
	fault(&initial, &after);
	check_fault(2);
	puts(check_failed ? "wrong" : "right");
	return check_failed != 0;
}

static int use_small_stack(void)
{
	static char stack[2048] __attribute__((aligned(64)));
	stack_t alt = {.ss_sp = stack, .ss_size = sizeof(stack)};

	CHECK(sigaltstack(&alt, NULL) == 0);
	handle(SIGILL, on_fault, SA_ONSTACK);
	check_fault(3);
	puts(check_failed ? "wrong" : "fits");
	return check_failed != 0;
}

int main(int argc, char **argv)
{
	level = argc > 1 ? atoi(argv[1]) : 1;
	load_all = level == 4 ? load_4 : level == 3 ? load_3 : load_1;
	store_all = level == 4 ? store_4 : level == 3 ? store_3 : store_1;
	if (argc > 2 && !strcmp(argv[2], "size"))
		return show_sizes();
	if (argc > 2 && !strcmp(argv[2], "small"))
		return use_small_stack();
	test_plain();
	test_edits();
	test_other_ways(argc > 2 ? atol(argv[2]) : 1000);
	if (check_failed == 0)
		puts("vectors right");
	return check_failed != 0;
}
