/* Null selectors, and string instructions relative to FS and GS or with 16-bit addresses. Prints
 * what happens; a native run says what that must be. */
#define _GNU_SOURCE
#include <asm/ldt.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf back;
static uint32_t ds_in_handler;

/* The kernel gives a handler flat segments, and the frame's come back with it: siglongjmp leaves
 * the flat ones. */
static void caught(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	const greg_t *r = uc->uc_mcontext.gregs;

	__asm__ volatile("movl %%ds, %0" : "=r"(ds_in_handler));
	printf("  signal %d code %d addr %lx trap %d err %d ds %x es %x fs %x cx %x si %x di %x, "
	       "handler's ds %x\n",
	       sig, info->si_code, (unsigned long)info->si_addr, (int)r[REG_TRAPNO],
	       (int)r[REG_ERR], (unsigned)r[REG_DS] & 0xffff, (unsigned)r[REG_ES] & 0xffff,
	       (unsigned)r[REG_FS] & 0xffff, (unsigned)r[REG_ECX], (unsigned)r[REG_ESI],
	       (unsigned)r[REG_EDI], ds_in_handler);
	siglongjmp(back, 1);
}

#define TRY(name, code)                                                                            \
	do {                                                                                       \
		printf("%s\n", name);                                                              \
		if (sigsetjmp(back, 1) == 0) {                                                     \
			code;                                                                      \
			printf("  done\n");                                                        \
		}                                                                                  \
	} while (0)

static uint8_t *area;

static void test_null(void)
{
	uint32_t v = 7;

	TRY("fs null, load", __asm__ volatile("movl %%fs:(%1), %0" : "=r"(v) : "r"(area)));
	TRY("fs null, store", __asm__ volatile("movl %0, %%fs:4" : : "r"(v)));
	TRY("fs null, one byte of ah", __asm__ volatile("movb %%ah, %%fs:(%0)" : : "r"(area)));
	TRY("fs null, read and write", __asm__ volatile("incl %%fs:(%0, %1, 4)"
							:
							: "r"(area), "r"(1)));
	TRY("fs null, x87", __asm__ volatile("flds %%fs:(%0)" : : "r"(area)));
	TRY("fs null, push", __asm__ volatile("pushl %%fs:(%0)" : : "r"(area)));
	TRY("fs null, call", __asm__ volatile("call *%%fs:(%0)" : : "r"(area)));
	TRY("fs null, 16-bit address", __asm__ volatile("addr16 movb %%fs:(%%bx), %%al"
							:
							: "b"(area)
							: "eax"));
	TRY("fs null, nothing touched",
	    __asm__ volatile(
		".byte 0x64, 0x8d, 0x00\n\t.byte 0x64, 0x0f, 0x1f, 0x00\n\tprefetchnta %%fs:(%0)"
		:
		: "a"(area)));
	TRY("fs null, lods", __asm__ volatile("fs lodsb" : : "S"(area) : "eax"));
	TRY("fs null, rep movs of none", __asm__ volatile("rep movsb %%fs:(%%esi), (%%edi)"
							  :
							  : "S"(area), "D"(area), "c"(0)));
	TRY("es null, stos", __asm__ volatile("movl %0, %%es\n\tstosb"
					      :
					      : "r"(0), "D"(area), "a"(1)));
	TRY("es null, rep stos of none",
	    __asm__ volatile("movl %0, %%es\n\trep stosb\n\tmovl %3, %%es"
			     :
			     : "r"(0), "D"(area), "c"(0), "r"(0x2b)));
	TRY("es null, load by ds",
	    __asm__ volatile("movl %2, %%es\n\tmovl (%1), %0\n\tmovl %3, %%es"
			     : "=&r"(v)
			     : "r"(area), "r"(3), "r"(0x2b)));
	TRY("es null, movs", __asm__ volatile("movl %2, %%es\n\tmovsl"
					      :
					      : "S"(area), "D"(area + 64), "r"(1)));
	TRY("ds null, load", __asm__ volatile("movl %2, %%ds\n\tmovl (%1), %0"
					      : "=r"(v)
					      : "r"(area), "r"(0)));
	TRY("ds null, store of 0 to 3",
	    for (unsigned i = 0; i < 4;
		 i++) if (sigsetjmp(back, 1) == 0) __asm__ volatile("movl %1, %%ds\n\tmovb $1, (%0)"
								    :
								    : "r"(area), "r"(i)));
	TRY("ds null, stack and es",
	    __asm__ volatile("movl %0, %%ds\n\tpushl $5\n\tpopl %%eax\n\tmovl %%es:(%1), "
			     "%%eax\n\tmovl %%cs:(%1), %%eax\n\t"
			     "movl (%%esp), %%eax\n\tmovl %2, %%ds"
			     :
			     : "r"(0), "r"(area), "r"(0x2b)
			     : "eax", "memory"));
	TRY("ds null, rep lods of none",
	    __asm__ volatile("movl %0, %%ds\n\trep lodsb\n\tmovl %2, %%ds"
			     :
			     : "r"(0), "c"(0), "r"(0x2b), "S"(area)
			     : "eax"));
	TRY("ds null, xlat", __asm__ volatile("movl %%ecx, %%ds\n\txlat"
					      :
					      : "b"(area), "a"(1), "c"(0)));
	TRY("ds null, jump", __asm__ volatile("movl %0, %%ds\n\tjmp *(%1)" : : "r"(0), "r"(area)));
	TRY("ds null, repe cmps", __asm__ volatile("movl %%eax, %%ds\n\trepe cmpsb"
						   :
						   : "S"(area), "D"(area), "c"(5), "a"(0)));
}

static void use_fs(void *base)
{
	struct user_desc d = {.entry_number = (unsigned)-1,
			      .base_addr = (unsigned)(uintptr_t)base,
			      .limit = 0xfffff,
			      .seg_32bit = 1,
			      .limit_in_pages = 1,
			      .useable = 1};

	if (syscall(SYS_set_thread_area, &d))
		printf("no descriptor\n");
	__asm__ volatile("movl %0, %%fs" : : "r"(d.entry_number << 3 | 3));
}

/* What a string instruction left: registers as distances. */
static void show(const char *name, uint32_t si, uint32_t di, uint32_t cx, uint32_t ax,
		 uint32_t flags)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 8192; i++)
		sum = sum * 31 + area[i];
	printf("%s: si %x di %x cx %x ax %x flags %x sum %x\n", name, si, di, cx, ax, flags & 0x8d5,
	       sum);
}

#define STRING(name, code, s, d, c, a)                                                             \
	do {                                                                                       \
		uint32_t si = (uint32_t)(s), di = (uint32_t)(d), cx = (uint32_t)(c),               \
			 ax = (uint32_t)(a), fl;                                                   \
		__asm__ volatile("cmpl %%eax, %%eax\n\t" code "\n\tpushfl\n\tpopl %4\n\tcld"       \
				 : "+S"(si), "+D"(di), "+c"(cx), "+a"(ax), "=b"(fl)                \
				 :                                                                 \
				 : "memory", "cc");                                                \
		show(name, si, di, cx, ax, fl);                                                    \
	} while (0)

static void test_strings(void)
{
	for (unsigned i = 0; i < 8192; i++)
		area[i] = (uint8_t)(i * 7 + i / 256);
	use_fs(area);
	STRING("lodsb", "fs lodsb", 5, 0, 3, 0x11223344);
	STRING("lodsw", "fs lodsw", 5, 0, 3, 0x11223344);
	STRING("lodsl", "fs lodsl", 5, 0, 3, 0x11223344);
	STRING("movsb", "movsb %%fs:(%%esi), %%es:(%%edi)", 100, area + 4000, 3, 1);
	STRING("rep movsb", "rep movsb %%fs:(%%esi), %%es:(%%edi)", 100, area + 4000, 333, 1);
	STRING("rep movsw down", "std\n\trep movsw %%fs:(%%esi), %%es:(%%edi)", 1000, area + 5000,
	       33, 1);
	STRING("rep movsl", "rep movsl %%fs:(%%esi), %%es:(%%edi)", -8 + 16, area + 6000, 40, 1);
	STRING("repe cmpsb", "repe cmpsb %%es:(%%edi), %%fs:(%%esi)", 100, area + 4000, 400, 1);
	STRING("repne cmpsl", "repne cmpsl %%es:(%%edi), %%fs:(%%esi)", 101, area + 4000, 400, 1);
	STRING("cmpsw", "cmpsw %%es:(%%edi), %%fs:(%%esi)", 3, area + 1, 400, 1);
	STRING("rep lodsl", "rep lodsl %%fs:(%%esi), %%eax", 3, 0, 9, 1);
	STRING("lodsb 16", "addr16 fs lodsb", 0x12340005, 0, 3, 0x11223344);
	STRING("rep lodsw 16", "addr16 rep lodsw %%fs:(%%si), %%ax", 0x1234fffc - 0xf000, 0,
	       0x120002, 0x11223344);
	STRING("rep movsb 16 of none", "addr16 rep movsb %%fs:(%%si), %%es:(%%di)", 1, 1, 0x10000,
	       1);
	TRY("movsb 16", __asm__ volatile("addr16 movsb %%fs:(%%si), %%es:(%%di)"
					 :
					 : "S"(5), "D"(0x56780010), "c"(3)));
	TRY("rep stosl 16", __asm__ volatile("addr16 rep stosl"
					     :
					     : "D"(0x56780010), "c"(0x990003), "S"(0), "a"(1)));
	TRY("scasb 16", __asm__ volatile("addr16 repne scasb"
					 :
					 : "D"(0x56780ffe), "c"(0x990003), "S"(0), "a"(1)));
	mprotect(area + 4096, 4096, PROT_READ);
	TRY("rep movsb into a page that is not writable",
	    __asm__ volatile("rep movsb %%fs:(%%esi), %%es:(%%edi)"
			     :
			     : "S"(0), "D"(area + 4000), "c"(200)));
	TRY("movsl across", __asm__ volatile("movsl %%fs:(%%esi), %%es:(%%edi)"
					     :
					     : "S"(0), "D"(area + 4094), "c"(1)));
	mprotect(area + 4096, 4096, PROT_NONE);
	TRY("rep lodsb to the end", __asm__ volatile("rep lodsb %%fs:(%%esi), %%al"
						     :
						     : "S"(4090), "D"(0), "c"(50)
						     : "eax"));
	TRY("lodsl across", __asm__ volatile("lodsl %%fs:(%%esi), %%eax"
					     :
					     : "S"(4094), "D"(0), "c"(50)
					     : "eax"));
	mprotect(area + 4096, 4096, PROT_READ | PROT_WRITE);
	TRY("maskmovq", __asm__ volatile("movq (%1), %%mm1\n\tmovq 9(%1), %%mm2\n\t.byte "
					 "0x64\n\tmaskmovq %%mm2, %%mm1\n\temms"
					 :
					 : "D"(300), "r"(area)
					 : "memory"));
	show("maskmovq", 0, 0, 0, 0, 0);
}

int main(void)
{
	struct sigaction a = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO};

	sigaction(SIGSEGV, &a, NULL);
	sigaction(SIGBUS, &a, NULL);
	area = mmap((void *)0x20000000, 8192, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	test_null();
	test_strings();
	return 0;
}
