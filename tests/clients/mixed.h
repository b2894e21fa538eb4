/* mixed.h -- a piece of code of which the blocks cost a clock or some hundreds: a loop of
 * additions, page walks and misses, divisions, CPUID, locked and repeated instructions, wrong
 * guesses, a block that is longer than one. code(pages, turns) needs PAGES_EACH pages per turn.
 */
#ifndef MIXED_H
#define MIXED_H

#define CODE_BYTES 1024
#define PAGES_EACH 8u

#if __SIZEOF_POINTER__ == 8
#define ENTER	  "push %rbx\n\tpush %rbp\n\tmov %rdi, %r8\n\tmov %esi, %ebp\n\t"
#define LEAVE	  "pop %rbp\n\tpop %rbx\n\tret\n"
#define P	  "%r8"
#define D	  "%rdx"
#define TO_DI	  "lea 2048(%r8), %rdi\n\t"
#define TO_SI	  "lea 1024(%r8), %rsi\n\t"
#define NEXT_PAGE "add $4096, %r8\n\t"
#else
#define ENTER                                                                                      \
	"push %ebx\n\tpush %ebp\n\tpush %esi\n\tpush %edi\n\tmov 20(%esp), %esi\n\tmov 24(%esp), " \
	"%ebp\n\t"
#define LEAVE	  "pop %edi\n\tpop %esi\n\tpop %ebp\n\tpop %ebx\n\tret\n"
#define P	  "%esi"
#define D	  "%edx"
#define TO_DI	  "lea 2048(%esi), %edi\n\t"
#define TO_SI	  "push %esi\n\tlea 1024(%esi), %esi\n\t"
#define NEXT_PAGE "add $4096, %esi\n\t"
#endif
#if __SIZEOF_POINTER__ == 8
#define BACK_SI ""
#else
#define BACK_SI "pop %esi\n\t"
#endif

void code(const char *pages, unsigned turns);
extern const char code_first[], code_last[], code_sub[];
__asm__(".text\n.globl code, code_first, code_last, code_sub\n"
	"code:\n\t" ENTER "mov $12345, %edx\n\tfld1\n\tfldpi\n"
	"code_first:\n\tmov $40, %ecx\n"
	"1:\tadd $1, %eax\n\tadd $2, %ebx\n\tdec %ecx\n\tjnz 1b\n\t" /* cheap */
	"mov (" P "), %eax\n\tmov 4092(" P "), %ebx\n\tadd %eax, 4094(" P
	")\n\t" /* walks, misses, two pages at once */
	NEXT_PAGE "mov 64(" P "), %eax\n\tadd %eax, 128(" P ")\n\t" NEXT_PAGE
	"imul $1103515245, %edx, %edx\n\tadd $12345, %edx\n\tmov %edx, %eax\n\tshr $16, "
	"%eax\n\ttest $1, %al\n\t"
	"jz 2f\n\tadd $1, %ebx\n\tnop\n"
	"2:\tfdivr %st(1), %st\n\tfadd %st(1), %st\n\tpush " D
	"\n\tmov $77777, %eax\n\txor %edx, %edx\n\tmov $7, %ecx\n\tdiv %ecx\n\t"
	"xor %eax, %eax\n\tcpuid\n\tpop " D "\n\t"
	"lock; incl 256(" P ")\n\t"
	"cld\n\t" TO_DI "mov $100, %ecx\n\txor %eax, %eax\n\trep stosl\n\t" TO_DI TO_SI
	"mov $70, %ecx\n\trep movsb\n\t" BACK_SI TO_DI
	"mov $-1, %ecx\n\tmov $1, %al\n\trepne scasb\n\t"
	".rept 90\n\tadd $1, %ebx\n\t.endr\n\t" /* longer than a block */
	"call 3f\n\t" NEXT_PAGE "dec %ebp\n\tjnz code_first\n"
	"code_last:\n\tfstp %st(0)\n\tfstp %st(0)\n\t" LEAVE "code_sub:\n3:\tmov (" P
	"), %eax\n\tret\n");

#endif
