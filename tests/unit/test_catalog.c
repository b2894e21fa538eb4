/* test_catalog.c -- look-ups over the generated tables: names, aliases, codes, counters, micro-ops.
 */
#include "catalog/catalog.h"

#include "base/spelling.h"
#include "wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct cat_cpu *cpu(const char *name)
{
	const struct cat_cpu *c = cat_find_cpu(name);

	assert_non_null(c);
	return c;
}

static void processors_are_found_in_any_case(void **state)
{
	assert_string_equal(cpu("Pentium3-Coppermine")->name, "pentium3-coppermine");
	assert_int_equal(cpu("pentium3-coppermine")->l2.size_bytes, 256 << 10);
	assert_int_equal(cpu("pentium3-coppermine")->l2.ways, 8);
	assert_int_equal(cpu("pentiumpro")->l1d.ways, 2);
	assert_int_equal(cpu("celeron-covington")->l2.size_bytes, 0);
	assert_int_equal(cpu("pentium2")->rsb_entries, 16);
	assert_null(cat_find_cpu("pentium9"));
}

static void events_are_found_by_name_alias_and_code(void **state)
{
	const struct cat_cpu *p3 = cpu("pentium3");
	const struct cat_event *e = cat_find_event(p3, "inst_retired", -1);

	assert_non_null(e);
	assert_int_equal(e->code, 0xc0);
	assert_ptr_equal(cat_find_event_code(p3, 0xc0, 1), e);
	assert_ptr_equal(cat_find_event(p3, "ins-retired", -1), e);
	assert_ptr_equal(cat_find_event(p3, "p6-inst-retired", -1), e);
	assert_string_equal(cat_find_event(p3, "INST_DECODER", -1)->name, "INST_DECODED");
	assert_null(cat_find_event(p3, "no_such_event", -1));
	assert_null(cat_find_event_code(p3, 0x99, -1));
}

static void counters_decide_between_twins(void **state)
{
	const struct cat_cpu *mmx = cpu("pentium-mmx");

	assert_string_equal(cat_find_event_code(mmx, 0x2b, 0)->name,
			    "MMX_INSTRUCTIONS_EXECUTED_U-PIPE");
	assert_string_equal(cat_find_event_code(mmx, 0x2b, 1)->name,
			    "MMX_INSTRUCTIONS_EXECUTED_V-PIPE");
	assert_null(cat_find_event_code(cpu("pentium"), 0x2b, 0));
	assert_null(cat_find_event(cpu("pentium3"), "MUL", 0));
	assert_non_null(cat_find_event(cpu("pentium3"), "MUL", 1));
}

static void processors_differ_in_events(void **state)
{
	assert_non_null(cat_find_event(cpu("pentium2"), "MMX_INSTR_EXEC", -1));
	assert_null(cat_find_event(cpu("pentium3"), "MMX_INSTR_EXEC", -1));
	assert_null(cat_find_event(cpu("pentiumpro"), "MMX_UOPS_EXEC", -1));
	assert_null(cat_find_event(cpu("pentium2"), "EMON_SSE_INST_RETIRED", -1));
	assert_null(cat_find_event(cpu("pentium3"), "DATA_READ", -1));
}

static void generic_names_carry_their_mask(void **state)
{
	uint8_t umask = 0xff;

	assert_int_equal(cat_find_generic(cpu("pentium3"), "cache-misses", &umask)->code, 0x2e);
	assert_int_equal(umask, 0x01);
	assert_int_equal(cat_find_generic(cpu("pentiumpro"), "bus-burst-reads-self", &umask)->code,
			 0x65);
	assert_int_equal(umask, 0x00);
	assert_int_equal(cat_find_generic(cpu("pentium"), "cycles", &umask)->code, 0x110);
	assert_int_equal(cat_find_generic(cpu("pentium-mmx"), "cycles", &umask)->code, 0x110);
	assert_int_equal(cat_find_generic(cpu("pentium"), "cycles", &umask)->counters, 0);
	assert_null(cat_find_event(cpu("pentium3"), "bus-burst-reads-self", -1));
}

static void sources_have_titles(void **state)
{
	const char *list = cat_find_event(cpu("pentium3"), "L2_IFETCH", -1)->source;

	assert_string_equal(list, "R,I6-A");
	assert_non_null(strstr(cat_find_source(list, 1), "rabbit"));
	assert_non_null(cat_find_source(list + 2, 4));
	assert_null(cat_find_source("I", 1));
}

static void the_nearest_name_is_near(void **state)
{
	struct spelling_search six = {.word = "inst_retird"}, five = {.word = "data_reed"};

	cat_offer_events(cpu("pentium3"), &six);
	assert_string_equal(six.best, "INST_RETIRED");
	cat_offer_events(cpu("pentium"), &five);
	assert_string_equal(five.best, "DATA_READ");
}

static void every_event_has_its_texts_and_masks(void **state)
{
	size_t n, n_wire;
	const struct cat_event *e = cat_events(&n);
	const struct cat_wire *w = cat_wires(&n_wire);

	assert_true(n_wire < WIRE_N);
	for (size_t i = 0; i < n; i++) {
		assert_true(*e[i].meaning && *e[i].rule && *e[i].source && *e[i].unit);
		assert_true(e[i].counters <= 3 && (e[i].counters == 0) == (e[i].code > 0xff) &&
			    e[i].cpus);
		assert_non_null(cat_event_aliases(&e[i]));
		for (int k = 0; k < e[i].n_wire; k++) {
			assert_true(e[i].wire[k].wire < n_wire);
			assert_int_equal(w[e[i].wire[k].wire].family, e[i].family);
			assert_int_equal(e[i].wire[k].umask_type, e[i].umask_type);
		}
	}
}

static void sums_are_lists_of_wires(void **state)
{
	const struct cat_event *all = cat_find_event(cpu("pentium3"), "L2_RQSTS", -1);
	unsigned n_absent = 0;

	for (int k = 0; k < all->n_wire; k++)
		n_absent += all->wire[k].mask == 1;
	assert_int_equal(all->n_wire, 12);
	assert_int_equal(n_absent, 3);
	assert_int_equal(all->default_umask, 0x0f);
}

/* ---- micro-ops ------------------------------------------------------------------------------- */

static unsigned uops(const char *mnemonic, const char *form, unsigned bits, bool is_locked)
{
	struct cat_uops_form f = {mnemonic, form, form, (uint16_t)bits, is_locked};
	struct cat_uops_count n;
	size_t n_row;

	cat_count_uops(cat_uops_table(&n_row), &f, &n);
	assert_non_null(n.row);
	return n.uops;
}

static void uops_of_p6_forms_are_their_rows(void **state)
{
	assert_int_equal(uops("add", "r,r", 0, false), 1);
	assert_int_equal(uops("add", "r,m", 0, false), 2);
	assert_int_equal(uops("add", "m,r", 0, false), 4);
	assert_int_equal(uops("push", "r", 0, false), 3);
	assert_int_equal(uops("cmovnle", "r,m", 0, false), 3);
	assert_int_equal(uops("jnz", "i", 0, false), 1);
	assert_int_equal(uops("jrcxz", "i", 0, false), 2);
	assert_int_equal(uops("setnbe", "m", 0, false), 3);
	assert_int_equal(uops("fadd", "m", 0, false), 2);
	assert_int_equal(uops("addps", "x,m", 128, false), 4);
	assert_int_equal(uops("paddd", "q,m", 64, false), 2);
	assert_int_equal(uops("movsd", "", 0, false), 6); /* the string instruction */
	assert_int_equal(uops("movsb", "", 0, false), 6);
}

static void lock_adds_one_but_not_to_xchg(void **state)
{
	assert_int_equal(uops("add", "m,r", 0, true), 5);
	assert_int_equal(uops("xchg", "m,r", 0, true), uops("xchg", "m,r", 0, false));
}

static void sizes_go_before_plain_forms(void **state)
{
	size_t n;
	const struct cat_uops *rows = cat_uops_table(&n);
	const struct cat_uops *byte = cat_find_uops(rows, "div", "r8", "r");
	const struct cat_uops *word = cat_find_uops(rows, "div", "r16", "r");

	assert_int_equal(byte->uops, 3);
	assert_int_equal(word->uops, 4);
	assert_int_equal(cat_find_uops(rows, "fld", "m80", "m")->uops, 4);
	assert_int_equal(cat_find_uops(rows, "fld", "m64", "m")->uops, 1);
}

static void repeated_forms_have_a_part_per_element(void **state)
{
	size_t n;
	const struct cat_uops *rows = cat_uops_table(&n);
	const struct cat_uops *fast = cat_find_uops(rows, "rep_movs", "fast", "fast");
	const struct cat_uops *slow = cat_find_uops(rows, "rep_stos", "slow", "slow");

	assert_int_equal(fast->uops, 215);
	assert_int_equal(fast->per_item_x2, 4);
	assert_int_equal(slow->uops, 0);
	assert_int_equal(slow->per_item_x2, 10);
}

static void later_instructions_count_like_their_nearest(void **state)
{
	assert_int_equal(uops("paddd", "x,x", 128, false), 2);
	assert_int_equal(uops("paddd", "x,m", 128, false), 4);
	assert_int_equal(uops("vpaddd", "y,y,m", 256, false), 8);
	assert_int_equal(uops("addpd", "x,x", 128, false), uops("addps", "x,x", 128, false));
	assert_int_equal(uops("vaddpd", "z,z,z", 512, false), 4 * uops("addps", "x,x", 128, false));
	assert_int_equal(uops("mulsd", "x,m", 128, false), uops("mulss", "x,m", 128, false));
	assert_int_equal(uops("tzcnt", "r,r", 0, false), uops("bsf", "r,r", 0, false));
	assert_int_equal(uops("movq", "m,x", 128, false), uops("movss", "m,x", 128, false));
	assert_int_equal(uops("movsd", "x,m", 128, false), uops("movss", "x,m", 128, false));
	assert_int_equal(uops("pinsrw", "x,m,i", 128, false), 2);
	assert_int_equal(uops("vpgatherdd", "y,m,y", 256, false), 4 * 5);
	assert_int_equal(uops("endbr64", "", 0, false), 1);
	assert_int_equal(uops("not_an_instruction", "", 0, false), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(processors_are_found_in_any_case),
	    cmocka_unit_test(events_are_found_by_name_alias_and_code),
	    cmocka_unit_test(counters_decide_between_twins),
	    cmocka_unit_test(processors_differ_in_events),
	    cmocka_unit_test(generic_names_carry_their_mask),
	    cmocka_unit_test(sources_have_titles),
	    cmocka_unit_test(the_nearest_name_is_near),
	    cmocka_unit_test(every_event_has_its_texts_and_masks),
	    cmocka_unit_test(sums_are_lists_of_wires),
	    cmocka_unit_test(uops_of_p6_forms_are_their_rows),
	    cmocka_unit_test(lock_adds_one_but_not_to_xchg),
	    cmocka_unit_test(sizes_go_before_plain_forms),
	    cmocka_unit_test(repeated_forms_have_a_part_per_element),
	    cmocka_unit_test(later_instructions_count_like_their_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
