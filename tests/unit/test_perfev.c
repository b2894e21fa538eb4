/* perf_event_open: attributes, what they count, counters, read formats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "perfev/local.h"
#include "perfev/read.h"

static struct perf_event_attr attr_of(uint32_t type, uint64_t config)
{
	struct perf_event_attr a = {
	    .type = type, .size = PEV_ATTR_BYTES, .config = config, .exclude_kernel = 1};

	return a;
}

static void every_size_of_the_struct_is_read(void **state)
{
	static const uint32_t size[] = {64, 72, 80, 96, 104, 112, 120, 128, 136, 4096};
	uint8_t bytes[4097] = {0};
	struct perf_event_attr a;

	memcpy(bytes, &(uint64_t){0xc0}, 8);
	for (unsigned i = 0; i < sizeof(size) / sizeof(size[0]); i++)
		assert_int_equal(pev_attr_read(bytes, size[i], &a), 0);
	assert_int_equal(pev_attr_read(bytes, 0, &a), 0);
	assert_int_equal(a.size, 64);
	assert_int_equal(a.type, 0xc0);
	assert_int_equal(pev_attr_read(bytes, 63, &a), -E2BIG);
	assert_int_equal(pev_attr_read(bytes, 4097, &a), -E2BIG);
	bytes[70] = 7; /* config2, which a struct of 64 bytes does not have */
	assert_int_equal(pev_attr_read(bytes, 64, &a), 0);
	assert_int_equal(a.config2, 0);
	bytes[135] = 1;
	assert_int_equal(pev_attr_read(bytes, 128, &a), 0);
	assert_int_equal(pev_attr_read(bytes, 136, &a), -E2BIG);
}

static void what_no_kernel_takes_is_refused(void **state)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_HARDWARE, 0);

	assert_int_equal(pev_attr_check(&a, 0), 0);
	a.exclude_kernel = 0;
	assert_int_equal(pev_attr_check(&a, 0), -EACCES);
	assert_int_equal(pev_attr_check(&a, 1), 0);
	a.__reserved_1 = 1;
	assert_int_equal(pev_attr_check(&a, 1), -EINVAL);
	a = attr_of(PERF_TYPE_HARDWARE, 0);
	a.sample_type = PERF_SAMPLE_MAX;
	assert_int_equal(pev_attr_check(&a, 1), -EINVAL);
	a.sample_type = PERF_SAMPLE_STACK_USER;
	a.sample_stack_user = 12;
	assert_int_equal(pev_attr_check(&a, 1), -EINVAL);
	a.sample_stack_user = 16;
	assert_int_equal(pev_attr_check(&a, 1), 0);
	a = attr_of(PERF_TYPE_HARDWARE, 0);
	a.freq = 1;
	a.sample_freq = PEV_MOST_RATE + 1;
	assert_int_equal(pev_attr_check(&a, 1), -EINVAL);
	a = attr_of(PERF_TYPE_HARDWARE, 0);
	a.sample_period = 1ull << 63;
	assert_int_equal(pev_attr_check(&a, 1), -EINVAL);
	a = attr_of(PERF_TYPE_HARDWARE, 0);
	a.sigtrap = 1;
	assert_int_equal(pev_attr_check(&a, 1), -EINVAL);
	a.remove_on_exec = 1;
	assert_int_equal(pev_attr_check(&a, 1), 0);
}

struct expected {
	uint32_t type;
	uint64_t config;
	int error;
	unsigned code, umask;
};

static void generic_events_are_those_of_the_driver(void **state)
{
	static const struct expected list[] = {
	    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0x79, 0},
	    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 0xc0, 0},
	    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 0, 0x2e, 0x0f},
	    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 0, 0x2e, 0x01},
	    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0, 0xc4, 0},
	    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0, 0xc5, 0},
	    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, 0, 0x62, 0},
	    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0, 0xa2, 0},
	    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, -EINVAL, 0, 0},
	    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, -EINVAL, 0, 0},
	    {PERF_TYPE_HW_CACHE, 0x00000, 0, 0x43, 0},
	    {PERF_TYPE_HW_CACHE, 0x10000, 0, 0x45, 0},
	    {PERF_TYPE_HW_CACHE, 0x00100, -ENOENT, 0, 0},
	    {PERF_TYPE_HW_CACHE, 0x10100, 0, 0x29, 0x0f},
	    {PERF_TYPE_HW_CACHE, 0x00001, 0, 0x80, 0},
	    {PERF_TYPE_HW_CACHE, 0x10001, 0, 0x28, 0x0f},
	    {PERF_TYPE_HW_CACHE, 0x10102, 0, 0x25, 0},
	    {PERF_TYPE_HW_CACHE, 0x00003, 0, 0x43, 0},
	    {PERF_TYPE_HW_CACHE, 0x10003, -ENOENT, 0, 0},
	    {PERF_TYPE_HW_CACHE, 0x10004, 0, 0x85, 0},
	    {PERF_TYPE_HW_CACHE, 0x00005, 0, 0xc4, 0},
	    {PERF_TYPE_HW_CACHE, 0x10005, 0, 0xc5, 0},
	    {PERF_TYPE_HW_CACHE, 0x00104, -EINVAL, 0, 0},
	    {PERF_TYPE_HW_CACHE, 0x00006, -EINVAL, 0, 0},
	    {PERF_TYPE_RAW, 0x5300c0, 0, 0xc0, 0},
	    {PERF_TYPE_RAW, 0x00, -ENOENT, 0, 0},
	    {PERF_TYPE_TRACEPOINT, 1, -ENOENT, 0, 0},
	};
	const struct cat_cpu *cpu = cat_find_cpu("pentium3");

	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		const struct perf_event_attr a = attr_of(list[i].type, list[i].config);
		struct pev_what w = {0};

		assert_int_equal(pev_what(cpu, &a, &w), list[i].error);
		if (list[i].error)
			continue;
		assert_int_equal(w.event.code, list[i].code);
		assert_int_equal(w.event.umask, list[i].umask);
	}
}

static void bits_of_a_raw_code_are_those_of_the_register(void **state)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_RAW, 0x2ad7ff2e);
	struct pev_what w;

	assert_int_equal(pev_what(cat_find_cpu("pentium3"), &a, &w), 0);
	assert_int_equal(w.event.umask, 0xff);
	assert_int_equal(w.event.cmask, 0x2a);
	assert_true(w.event.inv && w.event.edge);
	a = attr_of(PERF_TYPE_RAW, 0x2b | 0x200);
	assert_int_equal(pev_what(cat_find_cpu("pentium-mmx"), &a, &w), 0);
	assert_int_equal(w.counters, 2);
	a.precise_ip = 2;
	assert_int_equal(pev_what(cat_find_cpu("pentium-mmx"), &a, &w), -EOPNOTSUPP);
}

static uint32_t add_event(struct pev_board *b, uint64_t code)
{
	const uint32_t i = pev_board_add(b);
	const struct perf_event_attr a = attr_of(PERF_TYPE_RAW, code);

	b->event[i].attr = a;
	assert_int_equal(pev_what(cat_find_cpu("pentium3"), &a, &b->event[i].what), 0);
	return i;
}

static void each_event_gets_a_counter_that_counts_it(void **state)
{
	struct pev_local l = {.board = pev_board_open(), .n_counters = 2};
	uint32_t e[3];
	int8_t counter[3];

	assert_non_null(l.board);
	e[0] = add_event(l.board, 0xc0);
	e[1] = add_event(l.board, 0xc1);
	assert_true(pev_fits(&l, e, 2, counter));
	assert_int_equal(counter[0], 1); /* it makes room for the one that only counter 0 counts */
	assert_int_equal(counter[1], 0);
	e[0] = add_event(l.board, 0x10);
	assert_false(pev_fits(&l, e, 2, counter));
	e[0] = add_event(l.board, 0x12);
	assert_true(pev_fits(&l, e, 2, counter));
	e[2] = add_event(l.board, 0xc0);
	assert_false(pev_fits(&l, e, 3, counter));
	l.n_counters = 0;
	assert_true(pev_fits(&l, e, 3, counter));
	l.n_counters = 1;
	assert_true(pev_fits(&l, &e[1], 1, counter));
	assert_false(pev_fits(&l, &e[0], 1, counter)); /* counter 1 is not there */
	pev_board_close(l.board);
}

static void values_lie_where_the_format_says(void **state)
{
	struct pev_board *b = pev_board_open();
	uint32_t one = add_event(b, 0xc0), two = add_event(b, 0xc4);
	uint64_t v[16];

	b->event[two].leader = one;
	b->event[one].count = 11;
	b->event[two].count = 22;
	b->event[one].enabled_ns = 100;
	b->event[one].running_ns = 50;
	assert_int_equal(pev_read(b, one, 7, v), -ENOSPC);
	assert_int_equal(pev_read(b, one, 8, v), 8);
	assert_int_equal(v[0], 11);
	b->event[one].attr.read_format =
	    PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID | PERF_FORMAT_LOST;
	assert_int_equal(pev_read(b, one, 128, v), 32);
	assert_int_equal(v[1], 50);
	assert_int_equal(v[2], b->event[one].id);
	b->event[two].attr.read_format =
	    PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED;
	assert_int_equal(pev_read(b, two, 128, v), 48);
	assert_int_equal(v[0], 2);
	assert_int_equal(v[1], 100);
	assert_int_equal(v[2], 11);
	assert_int_equal(v[4], 22);
	assert_int_equal(v[5], b->event[two].id);
	b->event[one].run = PEV_ERROR;
	assert_int_equal(pev_read(b, two, 128, v), 0);
	pev_board_remove(b, one);
	assert_int_equal(b->event[two].leader, two);
	assert_int_equal(b->n_live, 1);
	pev_board_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_size_of_the_struct_is_read),
	    cmocka_unit_test(what_no_kernel_takes_is_refused),
	    cmocka_unit_test(generic_events_are_those_of_the_driver),
	    cmocka_unit_test(bits_of_a_raw_code_are_those_of_the_register),
	    cmocka_unit_test(each_event_gets_a_counter_that_counts_it),
	    cmocka_unit_test(values_lie_where_the_format_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
