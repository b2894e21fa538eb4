/* Stack instructions at the edge of what is mapped: where they fault, and that a fault leaves every
 * register as it was. Prints what the handler sees; natively and under softpmu it is the same. (Not
 * tried: flags at the fault of an instruction that overwrites them all, which translated code may
 * have used.) */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PAGE 0x30000000u /* mapped; the one before and the one behind are not */

enum { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI, FLAGS, N_REG };

/* Shared with the code below. */
uint32_t want[N_REG], have[N_REG], run_esp, run_target;
static volatile uint32_t fault_eip, fault_cr2;
static volatile int fault_signal;

void run(void);
void finished(void);
void unwind(void);
__asm__(
    ".text\n"
    "run:\tpushal\n\tmovl %esp, run_esp\n\tpushl want+32\n\tpopfl\n"
    "\tmovl want, %eax\n\tmovl want+4, %ecx\n\tmovl want+8, %edx\n\tmovl want+12, %ebx\n"
    "\tmovl want+20, %ebp\n\tmovl want+24, %esi\n\tmovl want+28, %edi\n\tmovl want+16, %esp\n"
    "\tjmp *run_target\n"
    "finished:\tmovl %eax, have\n\tmovl %ecx, have+4\n\tmovl %edx, have+8\n\tmovl %ebx, have+12\n"
    "\tmovl %esp, have+16\n\tmovl %ebp, have+20\n\tmovl %esi, have+24\n\tmovl %edi, have+28\n"
    "\tmovl run_esp, %esp\n\tpushfl\n\tpopl have+32\n"
    "unwind:\tpopal\n\tcld\n\tret\n");

/* name, instructions; ends by itself or by a jump to `finished` */
/* clang-format off */
#define CASES(X) \
	X(push_reg, "pushl %ebx") X(push_imm, "pushl $0x12345678") \
	X(push_mem, "pushl (%esi)") X(push_seg, "pushl %ds") X(push_word, "pushw %bx") \
	X(push_esp, "pushl %esp") X(push_flags, "pushfl") X(pop_reg, "popl %ebx") \
	X(pop_mem, "popl (%esi)") X(pop_at_esp, "popl 4(%esp)") X(pop_word, "popw %bx") \
	X(pop_esp, "popl %esp") X(pop_seg, "popl %es") X(push_all, "pushal") \
	X(push_all_words, "pushaw") X(pop_all, "popal") X(pop_all_words, "popaw") \
	X(pop_flags, "popfl") X(enter, "enter $8, $0") X(enter_levels, "enter $8, $4") \
	X(leave, "leave") X(leave_word, "leavew") X(call, "call 1f\n1:") \
	X(call_reg, "movl $1f, %edi\n\tcall *%edi\n1:") X(call_mem, "call *(%esi)") \
	X(jump_mem, "jmp *(%esi)") X(ret, "ret") X(ret_more, "ret $12") \
	X(ret_word, "retw") X(far, "lesl (%esi), %ebx") X(bits, "btl %ecx, (%esi)") \
	X(exchange, "xchgl %ebx, (%esi)") X(move_abs, "movl %eax, 0x30000ffe") \
	X(xlat, "movl %esi, %ebx\n\txlat") \
	X(strings, "movl $3, %ecx\n\tmovl %esp, %edi\n\trep stosl")
/* clang-format on */

#define CODE(name, text)                                                                           \
	void case_##name(void);                                                                    \
	__asm__("case_" #name ":\t" text "\n\tjmp finished\n");
CASES(CODE)

#define ENTRY(name, text) {#name, case_##name},
static const struct {
	const char *name;
	void (*code)(void);
} cases[] = {CASES(ENTRY)};

static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *r = uc->uc_mcontext.gregs;

	fault_signal = sig;
	fault_eip = (uint32_t)r[REG_EIP];
	fault_cr2 = info->si_code > 0 && info->si_code < SI_KERNEL ? (uint32_t)info->si_addr : 0;
	have[EAX] = (uint32_t)r[REG_EAX], have[ECX] = (uint32_t)r[REG_ECX],
	have[EDX] = (uint32_t)r[REG_EDX];
	have[EBX] = (uint32_t)r[REG_EBX], have[ESP] = (uint32_t)r[REG_ESP],
	have[EBP] = (uint32_t)r[REG_EBP];
	have[ESI] = (uint32_t)r[REG_ESI], have[EDI] = (uint32_t)r[REG_EDI],
	have[FLAGS] = (uint32_t)r[REG_EFL];
	r[REG_EIP] = (greg_t)(uintptr_t)unwind;
	r[REG_ESP] = (greg_t)run_esp;
}

/* Registers that point at code are told apart from numbers. */
static void print_case(const char *name, uint32_t at, uint32_t start)
{
	printf("%s %x:", name, at);
	if (fault_signal)
		printf(" signal %d at +%x, address %x;", fault_signal,
		       fault_eip - start < 64 ? fault_eip - start : fault_eip, fault_cr2);
	for (int i = 0; i < N_REG; i++) {
		uint32_t v = i == FLAGS ? have[i] & 0xcd5 : have[i];

		printf(v - start < 64 ? " +%x" : " %x", v - start < 64 ? v - start : v);
	}
	printf("\n");
}

static void one(unsigned k, uint32_t at)
{
	uint32_t *words = (uint32_t *)PAGE;

	/* What is popped is an address to go to, or flags without TF and AC. */
	for (unsigned i = 0; i < 1024; i++)
		words[i] =
		    cases[k].code == case_pop_flags ? 0x9a9a9a9a : (uint32_t)(uintptr_t)finished;
	for (int i = 0; i < 8; i++)
		want[i] = 0x01010101u * (unsigned)(i + 1);
	want[ESP] = want[ESI] = at;
	want[EBP] = at + (k & 1 ? 16 : 0);
	want[FLAGS] = 0x8d7;
	run_target = (uint32_t)(uintptr_t)cases[k].code;
	fault_signal = 0;
	memset(have, 0, sizeof(have));
	run();
	print_case(cases[k].name, at, run_target);
}

int main(void)
{
	static const int edge[] = {0, 2, 3, 4, 8, 12, 14, 16, 20, 24, 28, 32, 33, 36, 48};
	static char stack[65536];
	stack_t alt = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	mmap((void *)PAGE, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
	     -1, 0);
	sigaltstack(&alt, NULL);
	sigaction(SIGSEGV, &a, NULL);
	sigaction(SIGBUS, &a, NULL);
	for (unsigned k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
		for (unsigned i = 0; i < sizeof(edge) / sizeof(edge[0]); i++) {
			one(k, PAGE + (uint32_t)edge[i]);
			one(k, PAGE + 4096 - (uint32_t)edge[i]);
		}
	return 0;
}
