/* 32-bit programs in the runtime: the numbers of their calls, and siginfo_t made narrow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <asm/unistd_32.h>

#include "guest/later_calls.h"
#include "guest/signals/siginfo32.c"

/* Numbers and names of syscalls32.def are those of the kernel. */
#define SAME32(number, name, like) _Static_assert(__NR_##name == (number), #name);
#define CALL32(number, name, how, scalars, descriptors, digest)                                    \
	_Static_assert(__NR_##name == (number), #name);
#include "guest/calls/syscalls32.def"
#undef SAME32
#undef CALL32

static uint32_t word(const uint8_t *info, unsigned n)
{
	uint32_t w;

	memcpy(&w, info + 4 * n, 4);
	return w;
}

/* A 64-bit siginfo_t with `members` from byte 16 on, and words 3 to 7 of what becomes of it. */
static void becomes(int sig, int code, const uint32_t members[8], const uint32_t want[5])
{
	struct gst_siginfo wide = {.sig = sig, .err = 7, .code = code};
	uint8_t narrow[GST_SIGINFO32_BYTES];

	memcpy((char *)&wide + 16, members, 32);
	gst_siginfo_narrow(narrow, &wide);
	assert_int_equal(word(narrow, 0), (uint32_t)sig);
	assert_int_equal(word(narrow, 1), 7);
	assert_int_equal(word(narrow, 2), (uint32_t)code);
	for (unsigned i = 0; i < 5; i++)
		if (word(narrow, 3 + i) != want[i])
			fail_msg("signal %d code %d, word %u: %x, not %x", sig, code, 3 + i,
				 word(narrow, 3 + i), want[i]);
}

#define M(...) ((const uint32_t[8]){__VA_ARGS__})
#define W(...) ((const uint32_t[5]){__VA_ARGS__})

static void siginfo_keeps_the_members_of_its_kind(void **state)
{
	/* kill: pid, uid */
	becomes(10, 0, M(100, 1000, 9, 9), W(100, 1000, 0));
	/* sigqueue: pid, uid, value */
	becomes(34, -1, M(100, 1000, 4711, 0), W(100, 1000, 4711, 0));
	/* a timer: number, overrun, value */
	becomes(35, -2, M(3, 2, 99, 0), W(3, 2, 99, 0));
	/* a fault: address */
	becomes(11, 1, M(0xdeadb000, 0, 0, 0), W(0xdeadb000, 0));
	/* the kernel says SIGSEGV without an address */
	becomes(11, 0x80, M(0, 0, 5, 5), W(0, 0, 0));
	/* a child: pid, uid, status, times at byte 32 */
	becomes(17, 1, M(200, 1000, 256, 0, 11, 0, 22, 0), W(200, 1000, 256, 11, 22));
	/* a descriptor: band, number */
	becomes(29, 1, M(0x41, 0, 5, 0), W(0x41, 5, 0));
	becomes(29, -5, M(0x41, 0, 5, 0), W(0x41, 5, 0));
	/* seccomp: address, call, architecture */
	becomes(31, 1, M(0x8048000, 0, 20, 0x40000003), W(0x8048000, 20, 0x40000003, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(siginfo_keeps_the_members_of_its_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
