/* The processor that programs see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "session/machine/cpuid.h"

static const struct shr_cpuid *leaf(const struct shr_start *s, uint32_t leaf, uint32_t subleaf)
{
	for (uint32_t i = 0; i < s->n_cpuid; i++)
		if (s->cpuid[i].leaf == leaf &&
		    (!s->cpuid[i].has_subleaf || s->cpuid[i].subleaf == subleaf))
			return &s->cpuid[i];
	return NULL;
}

static void level_1_is_a_pentium_3_with_sse2(void **state)
{
	static struct shr_start s;

	ses_fill_cpuid(cat_find_cpu("pentium3"), 1, &s);
	assert_int_equal(s.max_leaf, 2);
	assert_int_equal(leaf(&s, 0, 0)->ebx, 0x756e6547);
	assert_int_equal(leaf(&s, 1, 0)->eax >> 8, 6);
	assert_int_equal(leaf(&s, 1, 0)->eax >> 4 & 15, 7);
	assert_int_equal(leaf(&s, 1, 0)->ecx, 0);
	assert_true(leaf(&s, 1, 0)->edx & 1u << 26);
	assert_int_equal(leaf(&s, 2, 0)->edx, 0x0c040843); /* L1D 16K, L1I 16K, L2 512K */
	assert_true(leaf(&s, 0x80000001, 0)->edx & 1u << 29);
	assert_int_equal(s.xcr0, 0);
	assert_null(leaf(&s, 7, 0));
	assert_memory_equal(&leaf(&s, 0x80000002, 0)->eax, "Pent", 4);
}

static void levels_add_features(void **state)
{
	static struct shr_start s;
	const struct cat_cpu *cpu = cat_find_cpu("pentium3");

	ses_fill_cpuid(cpu, 2, &s);
	assert_true(leaf(&s, 1, 0)->ecx & 1u << 20); /* SSE4.2 */
	assert_false(leaf(&s, 1, 0)->ecx & 1u << 28);
	ses_fill_cpuid(cpu, 3, &s);
	assert_true(leaf(&s, 1, 0)->ecx & 1u << 28); /* AVX */
	assert_true(leaf(&s, 7, 0)->ebx & 1u << 5);  /* AVX2 */
	assert_int_equal(s.xcr0, 7);
	assert_int_equal(leaf(&s, 0xd, 0)->eax, 7);
	assert_null(leaf(&s, 4, 0));
	ses_fill_cpuid(cpu, 4, &s);
	assert_true(leaf(&s, 7, 0)->ebx & 1u << 16); /* AVX512F */
	assert_int_equal(s.xcr0, 0xe7);
}

static void no_level_shows_a_hypervisor_or_fsgsbase(void **state)
{
	static struct shr_start s;

	for (int level = 0; level <= 4; level++) {
		ses_fill_cpuid(cat_find_cpu("pentium2"), level, &s);
		assert_true(s.n_cpuid <= 64);
		assert_false(leaf(&s, 1, 0)->ecx & 1u << 31);
		assert_true(s.hwcap == leaf(&s, 1, 0)->edx);
		if (leaf(&s, 7, 0))
			assert_false(leaf(&s, 7, 0)->ebx & 1);
	}
}

/* Signatures of machines that perfctr was measured on; feature words as Intel's AP-485 and CPUID
 * dumps have them, APIC and serial number left out. */
static void own_table_is_that_of_the_processor(void **state)
{
	static const struct {
		const char *cpu;
		uint32_t signature, edx, max_leaf, caches;
	} want[] = {
	    {"pentium", 0x52c, 0x000001bf, 1, 0},
	    {"pentium-mmx", 0x543, 0x008001bf, 1, 0},
	    {"pentiumpro", 0x619, 0x0000f1ff, 2, 0x06040a42},
	    {"pentium2-klamath", 0x634, 0x0080f9ff, 2, 0x0c040843},
	    {"pentium2-deschutes", 0x652, 0x0183f9ff, 2, 0x0c040843},
	    {"pentium3-katmai", 0x673, 0x0383f9ff, 2, 0x0c040843},
	};
	static struct shr_start s;

	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		ses_fill_cpuid(cat_find_cpu(want[i].cpu), SHR_ISA_CPU, &s);
		assert_int_equal(leaf(&s, 1, 0)->eax, want[i].signature);
		assert_int_equal(leaf(&s, 1, 0)->edx, want[i].edx);
		if (want[i].caches) {
			assert_int_equal(leaf(&s, 2, 0)->eax, 0x03020101);
			assert_int_equal(leaf(&s, 2, 0)->edx, want[i].caches);
		} else {
			assert_null(leaf(&s, 2, 0));
		}
		assert_int_equal(leaf(&s, 1, 0)->ecx, 0);
		assert_int_equal(leaf(&s, 0, 0)->eax, want[i].max_leaf);
		assert_int_equal(s.max_ext_leaf, 0);
		assert_int_equal(s.hwcap, want[i].edx);
		assert_null(leaf(&s, 0x80000001, 0));
	}
}

static void levels_above_the_host_are_refused(void **state)
{
	struct spmu_error err;

	for (int host = 1; host <= 4; host++) {
		for (int level = 0; level <= host; level++)
			assert_int_equal(ses_check_isa(level, 0, host, &err), 0);
		for (int level = host + 1; level <= 4; level++) {
			assert_int_equal(ses_check_isa(level, 0, host, &err), -SPMU_ENOTSUP);
			assert_non_null(strstr(err.text, "newer machine"));
		}
	}
}

static void the_default_is_v2_or_what_the_program_asks_for(void **state)
{
	struct spmu_error err;

	assert_int_equal(ses_default_isa(1), 2);
	assert_int_equal(ses_default_isa(2), 2);
	assert_int_equal(ses_default_isa(3), 3);
	assert_int_equal(ses_default_isa(4), 4);
	/* A host without v2 (kvm64): a program that asks for nothing runs when v1 is asked for, and
	 * is told so. */
	assert_int_equal(ses_check_isa(2, 1, 1, &err), -SPMU_ENOTSUP);
	assert_non_null(strstr(err.text, "no SSE4.2"));
	assert_non_null(strstr(err.text, "run this one with --isa v1"));
	assert_int_equal(ses_check_isa(1, 0, 1, &err), 0);
	/* One that asks for v2 itself does not run there. */
	assert_int_equal(ses_check_isa(2, 2, 1, &err), -SPMU_ENOTSUP);
	assert_non_null(strstr(err.text, "newer machine"));
}

static void every_processor_has_a_table(void **state)
{
	static struct shr_start s;
	size_t n;
	const struct cat_cpu *cpu = cat_cpus(&n);

	for (size_t i = 0; i < n; i++) {
		ses_fill_cpuid(&cpu[i], 1, &s);
		assert_int_equal(leaf(&s, 1, 0)->eax >> 8 & 15, cpu[i].cpu_family);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(level_1_is_a_pentium_3_with_sse2),
	    cmocka_unit_test(levels_add_features),
	    cmocka_unit_test(no_level_shows_a_hypervisor_or_fsgsbase),
	    cmocka_unit_test(own_table_is_that_of_the_processor),
	    cmocka_unit_test(levels_above_the_host_are_refused),
	    cmocka_unit_test(the_default_is_v2_or_what_the_program_asks_for),
	    cmocka_unit_test(every_processor_has_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
