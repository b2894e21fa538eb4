/* test_bare_convert.c -- the plugin's stream as records: whole runs, faults, devices, REP,
 * interrupts; and words at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bare/convert.h"
#include "base/error.h"
#include "trace/record.h"

#define PC 0x1000u

struct stream {
	uint64_t word[4096];
	size_t n;
};

static struct x86_store *store;

static void open_convert(struct bare_convert *c)
{
	assert_int_equal(x86_store_open(&store), 0);
	assert_int_equal(bare_convert_open(c, store), 0);
}

static void close_convert(struct bare_convert *c)
{
	bare_convert_close(c);
	x86_store_close(store);
}

/* Announce 32-bit code at pc, of a privilege level. size: of its instructions, 0 at the end. */
static void announce_at(struct stream *s, uint8_t ring, uint32_t number, uint32_t pc,
			const char *code, const uint8_t *size)
{
	uint8_t payload[600] = {0};
	struct bare_block b = {.number = number, .pc = pc, .width = BARE_WIDTH_32, .ring = ring};
	uint32_t bytes;

	while (size[b.n_insn])
		b.code_bytes += size[b.n_insn++] & ~BARE_SIZE_COUNTED;
	memcpy(payload, &b, sizeof(b));
	memcpy(payload + sizeof(b), size, b.n_insn);
	memcpy(payload + sizeof(b) + b.n_insn, code, b.code_bytes);
	bytes = (uint32_t)sizeof(b) + b.n_insn + b.code_bytes;
	s->word[s->n++] = BARE_SPECIAL | (uint64_t)BARE_BLOCK << 56 | bytes;
	memcpy(&s->word[s->n], payload, bytes);
	s->n += (bytes + 7) / 8;
}

static void announce(struct stream *s, uint32_t number, uint32_t pc, const char *code,
		     const uint8_t *size)
{
	announce_at(s, 0, number, pc, code, size);
}

static void run(struct stream *s, uint32_t number, unsigned begun, unsigned n_access)
{
	s->word[s->n++] =
	    number | (uint64_t)begun << BARE_BEGUN_SHIFT | (uint64_t)n_access << BARE_COUNT_SHIFT;
}

static void reach(struct stream *s, uint32_t number, unsigned insn, bool is_write, uint32_t address)
{
	s->word[s->n++] = address | (is_write ? BARE_ACCESS_WRITE : 0) |
			  (uint64_t)insn << BARE_INSN_SHIFT | (uint64_t)number << BARE_TAG_SHIFT;
}

static int letter(uint32_t kind)
{
	return kind == TRC_GO	       ? 'G'
	       : kind == TRC_INTERRUPT ? 'I'
	       : kind == TRC_MASK      ? 'M'
	       : kind == TRC_RING      ? 'R'
	       : kind == TRC_PAGE      ? 'T'
	       : kind == TRC_FLUSH     ? 'F'
				       : 'D';
}

/* The records in c->out as text: "B pc(slot,...)", "P pc insns", "G pc", "D df", "I pc" (an
 * interrupt), "E pc" (an exception), "R pc" (another privilege level), "M pc" (IF), "T pc" (a page
 * of the tables), "F pc" (a flush); ids by their block's address. */
static const char *shown(const struct bare_convert *c)
{
	static char text[4096];
	size_t at = 0, n = 0;

	text[0] = 0;
	while (at < c->n_out) {
		const uint8_t *p = c->out + at;
		const size_t size = (size_t)trc_record_bytes(p, c->n_out - at);
		uint32_t head, word[2];
		uint64_t value;

		assert_true(size > 0 && n < sizeof(text) - 200);
		memcpy(&head, p, 4);
		if (head < TRC_SPECIAL) {
			const struct x86_block *b = x86_store_get(store, trc_block_id(head));

			n += (size_t)sprintf(text + n, "B%x(", (unsigned)b->pc);
			for (unsigned i = 0; i < b->n_slot; i++) {
				memcpy(&value, p + 4 + 8 * i, 8);
				n += (size_t)sprintf(text + n, i ? ",%x" : "%x", (unsigned)value);
			}
			n += (size_t)sprintf(text + n, ") ");
		} else if (head == TRC_SPECIAL + TRC_PARTIAL) {
			memcpy(word, p + 8, 8);
			n += (size_t)sprintf(text + n, "P%x+%u ",
					     (unsigned)x86_store_get(store, word[0])->pc, word[1]);
		} else {
			const bool is_exception =
			    head == TRC_SPECIAL + TRC_INTERRUPT && p[16] == TRC_DELIVERY_EXCEPTION;

			memcpy(&value, p + 8, 8);
			n += (size_t)sprintf(text + n, "%c%x ",
					     is_exception ? 'E' : letter(head - TRC_SPECIAL),
					     (unsigned)value);
		}
		at += size;
	}
	return text;
}

/* The whole stream becomes these records. is_told: the plugin tells of interrupts. */
static void converts(const struct stream *s, bool is_told, const char *records)
{
	struct bare_convert c;

	open_convert(&c);
	c.has_deliveries = is_told;
	assert_int_equal(bare_convert(&c, s->word, s->n), 0);
	assert_int_equal(bare_convert_end(&c), 0);
	assert_string_equal(shown(&c), records);
	close_convert(&c);
}

static void becomes(const struct stream *s, const char *records)
{
	converts(s, false, records);
}

/* push eax; pop ebx; dec ecx; jnz PC */
static const char loop[] = "\x50\x5b\x49\x75\xfb";
static const uint8_t loop_size[] = {0x81, 0x81, 1, 2, 0};

static void announce_nop(struct stream *s, uint32_t number, uint32_t pc)
{
	announce(s, number, pc, "\x90", (const uint8_t[]){1, 0});
}

/* Stretch 0 is the loop, stretch 1 the handler of an interrupt or a fault. */
static void announce_loop_and_handler(struct stream *s)
{
	announce(s, 0, PC, loop, loop_size);
	announce_nop(s, 1, 0x9000);
}

/* One whole turn of the loop. */
static void run_turn(struct stream *s)
{
	run(s, 0, 2, 2);
	reach(s, 0, 0, true, 0x7ffc);
	reach(s, 0, 1, false, 0x7ffc);
}

static void a_loop_is_a_record_per_turn(void **state)
{
	struct stream s = {.n = 0};

	(void)state;
	announce(&s, 0, PC, loop, loop_size);
	for (unsigned i = 0; i < 3; i++)
		run_turn(&s);
	becomes(&s, "B1000(7ffc,7ffc) B1000(7ffc,7ffc) B1000(7ffc,7ffc) ");
}

/* The POP faults: PUSH alone was executed, and the handler runs; then POP is begun again, by
 * itself. */
static void a_fault_ends_a_run(void **state)
{
	struct stream s = {.n = 0};
	const uint8_t rest[] = {0x81, 1, 2, 0};

	(void)state;
	announce_loop_and_handler(&s);
	announce(&s, 2, PC + 1, loop + 1, rest);
	run(&s, 0, 2, 1);
	reach(&s, 0, 0, true, 0x7ffc);
	run(&s, 1, 0, 0);
	run(&s, 2, 1, 1);
	reach(&s, 2, 0, false, 0x7ffc);
	becomes(&s, "P1000+1 G9000 B9000() G1001 B1001(7ffc) ");
}

/* An interrupt comes behind a whole run: the branch is taken to go where it went before. */
static void an_interrupt_is_behind_a_run(void **state)
{
	struct stream s = {.n = 0};

	(void)state;
	announce_loop_and_handler(&s);
	for (unsigned i = 0; i < 2; i++)
		run_turn(&s);
	run(&s, 1, 0, 0);
	becomes(&s, "B1000(7ffc,7ffc) B1000(7ffc,7ffc) G1000 G9000 B9000() ");
}

static void number(struct stream *s, enum bare_kind kind, uint32_t number)
{
	s->word[s->n++] = BARE_SPECIAL | (uint64_t)kind << 56 | 4;
	s->word[s->n++] = number;
}

/* QEMU tells of an interrupt and of IF in front of the handler's run; both are said behind what the
 * run before did. What it tells before the first run counts is said with that. */
static void an_interrupt_is_said(void **state)
{
	struct stream s = {.n = 0};

	(void)state;
	announce_loop_and_handler(&s);
	number(&s, BARE_MASK, 1);
	run_turn(&s);
	number(&s, BARE_MASK, 0);
	run_turn(&s);
	number(&s, BARE_INTERRUPT, 0x20);
	number(&s, BARE_MASK, 1);
	run(&s, 1, 0, 0);
	becomes(&s,
		"M1000 B1000(7ffc,7ffc) M1000 B1000(7ffc,7ffc) G1000 G9000 I9000 M9000 B9000() ");
}

static void page(struct stream *s, struct bare_page what)
{
	s->word[s->n++] = BARE_SPECIAL | (uint64_t)BARE_PAGE << 56 | sizeof(what);
	s->word[s->n + 2] = 0;
	memcpy(&s->word[s->n], &what, sizeof(what));
	s->n += 3;
}

static void flush(struct stream *s, uint32_t what, uint32_t vpn)
{
	s->word[s->n++] = BARE_SPECIAL | (uint64_t)BARE_FLUSH << 56 | 8;
	s->word[s->n++] = what | (uint64_t)vpn << 32;
}

/* A page that a run finds is said in front of its record; a flush behind it, with the pages that
 * are found then. */
static void pages_come_before_what_uses_them(void **state)
{
	const struct bare_page small = {7, 9, 0x2000, 0x301c, 0},
			       large = {0x400, 0x800, 0x2004, TRC_NO_ENTRY, TRC_PAGE_LARGE};
	struct stream s = {.n = 0};

	(void)state;
	announce_loop_and_handler(&s);
	page(&s, large);
	run_turn(&s);
	page(&s, small);
	run_turn(&s);
	flush(&s, TRC_FLUSH_LOCAL, 0);
	page(&s, small);
	run(&s, 1, 0, 0);
	becomes(&s, "T0 T1000 B1000(7ffc,7ffc) B1000(7ffc,7ffc) G1000 G9000 F9000 T9000 B9000() ");
}

/* What no processor has is refused: a frame or a page beyond memory, entries that lie across, a
 * table entry of a large page, unknown flags; another flush. */
static void pages_that_cannot_be_are_refused(void **state)
{
	const struct bare_page bad[] = {{1u << 20, 9, 0x2000, 0x301c, 0},
					{7, 1u << 24, 0x2000, 0x301c, 0},
					{7, 9, 0x2001, 0x301c, 0},
					{7, 9, 0x2000, 0x301d, 0},
					{7, 9, 0x2000, TRC_NO_ENTRY, 0},
					{7, 9, TRC_NO_ENTRY, 0x301c, 0},
					{7, 9, 0x2000, 0x301c, TRC_PAGE_LARGE},
					{7, 9, TRC_NO_ENTRY, TRC_NO_ENTRY, TRC_PAGE_LARGE},
					{7, 9, 0x2000, 0x301c, 32}};
	struct bare_convert c;

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]) + 2; i++) {
		struct stream s = {.n = 0};

		if (i < sizeof(bad) / sizeof(bad[0]))
			page(&s, bad[i]);
		else
			flush(&s, i & 1 ? TRC_N_FLUSHES : TRC_FLUSH_PAGE, i & 1 ? 0 : 1u << 20);
		open_convert(&c);
		assert_int_equal(bare_convert(&c, s.word, s.n), -SPMU_EPROTO);
		close_convert(&c);
	}
}

/* Where interrupts are told, a fault without one is an exception: of the POP, and of the code that
 * the RET leads to, which another privilege level shows. */
static void an_exception_is_said(void **state)
{
	struct stream s = {.n = 0};

	(void)state;
	announce_at(&s, 3, 0, PC, loop, loop_size);
	announce_nop(&s, 1, 0x9000);
	announce_at(&s, 3, 2, PC + 1, "\x5b\xc3", (const uint8_t[]){0x81, 0x81, 0});
	run(&s, 0, 2, 1);
	reach(&s, 0, 0, true, 0x7ffc);
	run(&s, 1, 0, 0);
	run(&s, 2, 2, 2);
	reach(&s, 2, 0, false, 0x7ffc);
	reach(&s, 2, 1, false, 0x8000);
	run(&s, 1, 0, 0);
	converts(&s, true,
		 "P1000+1 G9000 E9000 R9000 B9000() G1001 E1001 R1001 B1001(7ffc,8000) G9000 E9000 "
		 "R9000 B9000() ");
}

/* An interrupt that is told is none, and the privilege level changes with it. */
static void an_interrupt_is_no_exception(void **state)
{
	struct stream s = {.n = 0};

	(void)state;
	announce_at(&s, 3, 0, PC, loop, loop_size);
	announce_nop(&s, 1, 0x9000);
	run_turn(&s);
	number(&s, BARE_INTERRUPT, 0x20);
	run(&s, 1, 0, 0);
	converts(&s, true, "B1000(7ffc,7ffc) G1005 G9000 I9000 R9000 B9000() ");
}

/* What QEMU reads and pushes for the interrupt comes under the number of code that ran before: it
 * is nobody's, and the run is whole. */
static void what_an_interrupt_reaches_is_nobodys(void **state)
{
	struct stream s = {.n = 0};

	(void)state;
	announce_loop_and_handler(&s);
	announce(&s, 2, 0x5000, loop, loop_size);
	run(&s, 0, 2, 4);
	reach(&s, 0, 0, true, 0x7ffc);
	reach(&s, 0, 1, false, 0x7ffc);
	reach(&s, 2, 0, false, 0xff400760);
	reach(&s, 2, 0, true, 0xff403ffc);
	run(&s, 1, 0, 0);
	becomes(&s, "B1000(7ffc,7ffc) G1005 G9000 B9000() ");
}

/* mov eax, [ebx]; inc eax, where EBX names a device: the load is translated once more, as stretch
 * 1, and the rest is stretch 2. */
static void a_device_cuts_a_run(void **state)
{
	struct stream s = {.n = 0};
	const uint8_t both[] = {0x82, 1, 0}, load[] = {0x82, 0}, inc[] = {1, 0};

	(void)state;
	announce(&s, 0, PC, "\x8b\x03\x40", both);
	announce(&s, 1, PC, "\x8b\x03", load);
	announce(&s, 2, PC + 2, "\x40", inc);
	for (unsigned i = 0; i < 2; i++) {
		run(&s, 0, 1, 1);
		reach(&s, 1, 0, false, 0xfee00030);
		run(&s, 2, 0, 0);
	}
	/* first as a part of a block; from then on a block ends there */
	becomes(&s, "P1000+1 B1002() G1000 B1000(fee00030) B1002() ");
}

/* Five NOPs, and what QEMU had read of an instruction that leaves the page before it took it back:
 * a MOV of a constant, which cannot stop, an OR with memory, which has begun only where it stands
 * first, and LEA. */
static void an_instruction_that_is_taken_back_is_none(void **state)
{
	static const char *const whole[] = {"\xb8\x01\x02\x03\x04", "\x81\xc8\x01\x02\x03\x04",
					    "\x8d\x03"};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct stream s = {.n = 0};
		const uint8_t bytes = (uint8_t)strlen(whole[i]);
		const uint8_t first[] = {1, 1, 1, 1, 1, i == 1 ? 0x81 : 1, 0},
			      rest[] = {(uint8_t)(i == 1 ? 0x80 | bytes : bytes), 0};
		char code[] = "\x90\x90\x90\x90\x90?";

		code[5] = whole[i][0];
		announce(&s, 0, 0x1ffa, code, first);
		announce(&s, 1, 0x1fff, whole[i], rest);
		run(&s, 0, 0, 0);
		run(&s, 1, i == 1, 0);
		becomes(&s, "B1ffa() B1fff() ");
	}
}

/* rep stosb, three turns, downwards, and the turn that finds ECX 0. */
static void turns_of_a_rep_are_one_record(void **state)
{
	struct stream s = {.n = 0};
	const uint8_t rep[] = {0x82, 0};

	(void)state;
	announce(&s, 0, PC, "\xf3\xaa", rep);
	announce_nop(&s, 1, PC + 2);
	for (unsigned i = 0; i < 3; i++) {
		run(&s, 0, 1, 1);
		reach(&s, 0, 0, true, 0x5000 - i);
	}
	run(&s, 0, 1, 0);
	run(&s, 1, 0, 0);
	becomes(&s, "D1 B1000(3,5000) B1002() ");
}

/* Words of every kind at random, some of them nearly right. */
static void words_at_random_do_no_harm(void **state)
{
	unsigned good = 0;

	(void)state;
	srand(1);
	for (unsigned round = 0; round < 3000; round++) {
		struct bare_convert c;
		struct stream s = {.n = 0};

		open_convert(&c);
		announce(&s, 0, PC, loop, loop_size);
		announce(&s, 1, PC + 5, "\xf3\xaa", (const uint8_t[]){0x82, 0});
		for (unsigned i = 0; i < 40; i++) {
			const unsigned what = (unsigned)rand() % 8, number = (unsigned)rand() % 3;

			if (what < 4) {
				const unsigned n = (unsigned)rand() % 4;

				run(&s, number, (unsigned)rand() % 4, n);
				for (unsigned k = 0; k < n; k++)
					reach(&s, (unsigned)rand() % 3, (unsigned)rand() % 5,
					      rand() % 2, (uint32_t)rand());
			} else if (what < 6) {
				s.word[s.n++] = (uint64_t)rand() << 33 ^ (uint64_t)rand();
			} else {
				s.word[s.n++] = BARE_SPECIAL |
						(uint64_t)((unsigned)rand() % BARE_N_KINDS) << 56 |
						(uint64_t)(rand() % 40);
			}
		}
		good += bare_convert(&c, s.word, s.n) == 0;
		bare_convert_end(&c);
		shown(&c);
		close_convert(&c);
	}
	assert_true(good < 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_loop_is_a_record_per_turn),
	    cmocka_unit_test(a_fault_ends_a_run),
	    cmocka_unit_test(an_interrupt_is_behind_a_run),
	    cmocka_unit_test(an_interrupt_is_said),
	    cmocka_unit_test(pages_come_before_what_uses_them),
	    cmocka_unit_test(pages_that_cannot_be_are_refused),
	    cmocka_unit_test(an_exception_is_said),
	    cmocka_unit_test(an_interrupt_is_no_exception),
	    cmocka_unit_test(what_an_interrupt_reaches_is_nobodys),
	    cmocka_unit_test(a_device_cuts_a_run),
	    cmocka_unit_test(an_instruction_that_is_taken_back_is_none),
	    cmocka_unit_test(turns_of_a_rep_are_one_record),
	    cmocka_unit_test(words_at_random_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
