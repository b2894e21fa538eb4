/* Thread descriptors and segment registers of a 32-bit program. */
#define _GNU_SOURCE
#include <asm/ldt.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "../programs/check.h"

static uint32_t area[1024], other[1024];
static volatile int faults, error;

static void skip(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	faults++;
	error = (int)uc->uc_mcontext.gregs[REG_ERR];
	uc->uc_mcontext.gregs[REG_EIP] += 2;
}

static struct user_desc descriptor(int number, void *base)
{
	return (struct user_desc){.entry_number = (unsigned)number,
				  .base_addr = (unsigned)(uintptr_t)base,
				  .limit = 0xfffff,
				  .seg_32bit = 1,
				  .limit_in_pages = 1,
				  .useable = 1};
}

static long set(struct user_desc *d)
{
	return syscall(SYS_set_thread_area, d);
}

static uint32_t fs_word(uint32_t at)
{
	uint32_t v;

	__asm__ volatile("movl %%fs:(%1), %0" : "=r"(v) : "r"(at));
	return v;
}

static void load_fs(int number)
{
	__asm__ volatile("movl %0, %%fs" : : "r"(number ? number << 3 | 3 : 0));
}

static void test_descriptors(void)
{
	struct user_desc d = descriptor(-1, area), got = {.entry_number = 12}, bad;
	int first, second;
	uint32_t selector;

	for (unsigned i = 0; i < 1024; i++) {
		area[i] = i;
		other[i] = 100000 + i;
	}
	CHECK(set(&d) == 0 && d.entry_number == 13); /* 12 is the C library's */
	first = (int)d.entry_number;
	d = descriptor(-1, other);
	CHECK(set(&d) == 0 && d.entry_number == 14);
	second = (int)d.entry_number;
	d = descriptor(-1, other);
	CHECK(set(&d) == -1 && errno == ESRCH);
	load_fs(first);
	CHECK(fs_word(0) == 0 && fs_word(400) == 100 && fs_word((uint32_t)-4 + 8) == 1);
	CHECK(fs_word((uint32_t)((uintptr_t)other - (uintptr_t)area) + 40) ==
	      100010); /* may wrap */
	load_fs(second);
	CHECK(fs_word(400) == 100100);
	__asm__ volatile("movl %%fs, %0" : "=r"(selector));
	CHECK(selector == (uint32_t)(second << 3 | 3));
	__asm__ volatile("movl $7777, %%fs:20\n\tincl %%fs:20\n\taddl %%eax, %%fs:(%%ecx, %%edx, 4)"
			 :
			 : "a"(5), "c"(12), "d"(2)
			 : "memory");
	CHECK(other[5] == 7783);
	d = descriptor(second, area + 1); /* a register that names it sees the new base */
	CHECK(set(&d) == 0 && fs_word(400) == 101);
	got.entry_number = (unsigned)second;
	CHECK(syscall(SYS_get_thread_area, &got) == 0 && got.base_addr == (uintptr_t)(area + 1) &&
	      got.limit == 0xfffff && got.seg_32bit && got.limit_in_pages && got.useable &&
	      !got.seg_not_present && !got.contents);
	got.entry_number = 11;
	CHECK(syscall(SYS_get_thread_area, &got) == -1 && errno == EINVAL);
	bad = descriptor(first, area);
	bad.seg_32bit = 0;
	CHECK(set(&bad) == -1 && errno == EINVAL);
	bad = descriptor(first, area);
	bad.contents = MODIFY_LDT_CONTENTS_CODE;
	CHECK(set(&bad) == -1 && errno == EINVAL);
	bad = descriptor(15, area);
	CHECK(set(&bad) == -1 && errno == EINVAL);
	load_fs(0);
	bad = (struct user_desc){
	    .entry_number = (unsigned)second, .read_exec_only = 1, .seg_not_present = 1};
	CHECK(set(&bad) == 0);
	faults = 0;
	load_fs(second); /* empty now */
	CHECK(faults == 1 && error == second << 3);
	got.entry_number = (unsigned)second;
	CHECK(syscall(SYS_get_thread_area, &got) == 0 && got.read_exec_only &&
	      got.seg_not_present && !got.base_addr);
	load_fs(first);
}

static void test_loads(void)
{
	struct {
		uint32_t offset;
		uint16_t selector;
	} __attribute__((packed)) far = {0x12345678, 0x2b};
	uint32_t offset, sp, ds = 0;
	uint16_t word = 0, half;

	__asm__ volatile("ldsl %1, %0\n\tmovw %%ds, %2" : "=r"(offset), "+m"(far), "=r"(half));
	CHECK(offset == 0x12345678 && half == 0x2b);
	offset = 0xaaaaaaaa;
	__asm__ volatile("lesw %1, %w0" : "+r"(offset) : "m"(*(uint32_t *)((char *)&far + 2)));
	CHECK(offset == 0xaaaa1234);
	far.selector = 13 << 3 | 3;
	__asm__ volatile("lfsl %1, %0" : "=r"(offset) : "m"(far));
	CHECK(offset == 0x12345678 && fs_word(8) == 2);
	__asm__ volatile(
	    "movl %%esp, %0\n\tpushl %%ds\n\tpushl %%es\n\tpushl %%fs\n\tpushl %%gs\n\t"
	    "popl %%gs\n\tpopl %%fs\n\tpopl %%es\n\tpopl %%ds\n\tsubl %%esp, %0"
	    : "=&r"(sp)
	    :
	    : "memory");
	CHECK(sp == 0);
	__asm__ volatile("pushw %%fs\n\tmovw (%%esp), %0\n\tpopw %%fs\n\tmovl %%ds, %1"
			 : "=&r"(word), "=r"(ds)
			 :
			 : "memory");
	CHECK(word == (13 << 3 | 3) && ds == 0x2b && fs_word(12) == 3);
	__asm__ volatile(
	    "movw %%ss, %0\n\tmovw %0, %%ss\n\tmovl %1, %%es\n\tmovl $0x2b, %1\n\tmovl %1, %%es"
	    : "=&r"(word), "=&r"(ds)
	    : "1"(0x23)
	    : "memory");
	CHECK(word == 0x2b);
	for (unsigned rpl = 0; rpl < 4; rpl++) {
		uint32_t want = 0x28 | rpl, got;

		__asm__ volatile("movl %1, %%es\n\tmovl %%es, %0\n\tmovl %2, %%es"
				 : "=&r"(got)
				 : "r"(want), "r"(0x2b));
		CHECK(got == want);
	}
	offset = 0x10;
	__asm__ volatile("arpl %w2, %w0\n\tsetz %b1" : "+r"(offset), "=q"(ds) : "r"(3), "1"(0));
	CHECK((uint16_t)offset == 0x13 && (uint8_t)ds == 1);
}

int main(void)
{
	struct sigaction a = {.sa_sigaction = skip, .sa_flags = SA_SIGINFO};

	sigaction(SIGSEGV, &a, NULL);
	test_descriptors();
	test_loads();
	return check_end();
}
