/* Messages of programs about their processor: which level they ask for; and those that are about
 * something else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "session/totals/last_words.h"

static void asks(int want, unsigned shown, const char *text)
{
	const int is = ses_words_isa(text, strlen(text), shown);

	if (is != want)
		fail_msg("shown %u: %d, not %d: %s", shown, is, want, text);
}

static void messages_name_a_level(void **state)
{
	/* Go, ld.so, numpy, GNAT, QEMU's users, and what applications write. */
	asks(3, 2,
	     "This program can only be run on AMD64 processors with v3 microarchitecture "
	     "support.\n");
	asks(4, 2,
	     "This program can only be run on AMD64 processors with v4 microarchitecture "
	     "support.\n");
	asks(2, 1,
	     "RuntimeError: NumPy was built with baseline optimizations: \n(SSE SSE2 SSE3) but "
	     "your machine doesn't "
	     "support:\n(SSE3).\n");
	asks(3, 2,
	     "RuntimeError: NumPy was built with baseline optimizations: \n(X86_V2) but your "
	     "machine doesn't support:\n"
	     "(X86_V3 AVX2).");
	asks(3, 2, "fatal: this build requires a CPU with AVX2.\n");
	asks(3, 2, "Your CPU does not support the FMA instruction\n");
	asks(4, 3, "error: AVX-512F is not available\n");
	asks(4, 2, "need avx512bw\nbye\n");
	asks(2, 1, "requires SSE4.2\n");
	asks(4, 2, "This binary needs x86-64-v4, sorry\n");
	asks(5, 2, "AES-NI is required\n");
	asks(5, 4, "Your processor does not support GFNI.\n");
	asks(5, 3, "the cpu must have AES\n");
	asks(1, SHR_ISA_CPU, "This program requires SSE2.\n");
	asks(1, SHR_ISA_CPU, "This kernel requires an i686 CPU, but only detected an i586 CPU.\n");
}

static void messages_that_name_none_ask_for_the_next(void **state)
{
	asks(3, 2, "AVX/AVX2 is required\n");
	asks(3, 2,
	     "p: error while loading shared libraries: /lib/libx.so: CPU ISA level is lower than "
	     "required\n");
	asks(3, 2, "/lib/libx.so: CPU ISA level is lower than required\n");
	asks(4, 3, "unsupported processor\n");
	asks(5, 4, "Fatal Error: This CPU is not supported\n");
	asks(3, 1, "your processor is too old\n");
	asks(3, 2, "some text\n\nFATAL KERNEL ERROR: This application requires a newer CPU");
}

static void other_messages_ask_for_nothing(void **state)
{
	asks(0, 2, "");
	asks(0, 2, "ls: cannot access '/cpu': No such file or directory\n");
	asks(0, 2, "warning: the CPU is hot\nfile missing\n"); /* not in one line */
	asks(0, 2, "requires SSE4.2\n");		       /* that was shown */
	asks(0, 2, "fatal: bad object sha\nmissing blob\n");
	asks(0, 2, "usage: [-a needs b]\n");
	asks(0, 2, "0.5 CPUs utilized\n <not supported> cycles\n");
	/* names of files */
	asks(0, SHR_ISA_CPU,
	     "/home/i686/p: error while loading shared libraries: libf.so: cannot open shared "
	     "object file\n");
	asks(0, SHR_ISA_CPU,
	     "i686/p: error while loading shared libraries: libf.so: cannot open shared object "
	     "file\n");
	asks(0, SHR_ISA_CPU,
	     "p: error while loading shared libraries: libsse2.so.1: cannot open shared object "
	     "file\n");
	asks(0, SHR_ISA_CPU,
	     "error while loading shared libraries: sse2: cannot open shared object file\n");
	asks(0, SHR_ISA_CPU,
	     "./p: version `GLIBC_2.38' not found (required by /opt/sse2/libf.so)\n");
	asks(0, 2, "cp: cannot stat '/usr/lib/avx2/a': No such file or directory\n");
	asks(0, 2, "build/avx2/p: input is missing\n");
	asks(0, 2, "~/avx512/p: need a name\n");
	asks(0, 0, "this CPU does not support AVX2\n"); /* the host is shown: there is no more */
	asks(0, 2, "AVX2 AVX512 BMI2\n");		/* a list, no lack */
}

static void the_ring_of_words_is_read_in_order(void **state)
{
	static struct shr_ctl c;
	const char text[] = "this program requires AVX2\n";

	memset(&c, 0, sizeof(c));
	c.start.isa_level = 2;
	c.start.has_asked_cpuid = 1;
	c.end_status = 1 << 8;
	for (size_t i = 0; i < 5000; i++)
		c.last_words.text[c.last_words.n++ % SHR_WORDS_BYTES] = 'x';
	c.last_words.text[c.last_words.n++ % SHR_WORDS_BYTES] = '\n';
	for (size_t i = 0; text[i]; i++)
		c.last_words.text[c.last_words.n++ % SHR_WORDS_BYTES] = text[i];
	assert_int_equal(ses_last_words_isa(&c), 3);
	c.last_words.n += 1000; /* across the end of the ring: old and new bytes, all inside */
	ses_last_words_isa(&c);
	c.last_words.n -= 1000;
	c.end_status = 0;
	assert_int_equal(ses_last_words_isa(&c), 0);
	c.end_status = 6;
	c.start.has_asked_cpuid = 0;
	assert_int_equal(ses_last_words_isa(&c), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(messages_name_a_level),
	    cmocka_unit_test(messages_that_name_none_ask_for_the_next),
	    cmocka_unit_test(other_messages_ask_for_nothing),
	    cmocka_unit_test(the_ring_of_words_is_read_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
