/* Static facts of 32-bit code: references, ends of blocks, who executes what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "x86/build.h"

#define PC 0x8048000u

/* One block. refs: what it does to memory, in order: r w m (read, write, both), size, '@', address
 * with register number n holding (n + 1) * 10000h, or '*' where the processor computes it; 's'
 * behind it for the stack. */
struct row {
	const char *code; /* hexadecimal */
	const char *name; /* of the last instruction */
	uint8_t term, emulate;
	const char *refs;
};

static const struct row rows[] = {
    /* stack */
    {"50", "push", X86_TERM_FALL, 0, "w4@4fffcs"},
    {"6650", "push", X86_TERM_FALL, 0, "w2@4fffes"},
    {"6aff", "push", X86_TERM_FALL, 0, "w4@4fffcs"},
    {"ff7304", "push", X86_TERM_FALL, 0, "r4@40004 w4@4fffcs"},
    {"ff742404", "push", X86_TERM_FALL, 0, "r4@50004 w4@4fffcs"},
    {"8f0424", "pop", X86_TERM_FALL, 0, "r4@50000s w4@50004"},
    {"58", "pop", X86_TERM_FALL, 0, "r4@50000s"},
    {"1e", "push", X86_TERM_FALL, 0, "w4@4fffcs"},
    {"60", "pushad", X86_TERM_FALL, 0,
     "w4@4fffcs w4@4fff8s w4@4fff4s w4@4fff0s w4@4ffecs w4@4ffe8s w4@4ffe4s w4@4ffe0s"},
    {"6661", "popa", X86_TERM_FALL, 0,
     "r2@50000s r2@50002s r2@50004s r2@50006s r2@50008s r2@5000as r2@5000cs r2@5000es"},
    {"c8100000", "enter", X86_TERM_FALL, 0, "w4@4fffcs"},
    {"c8100003", "enter", X86_TERM_FALL, 0,
     "w4@4fffcs r4@5fffcs w4@4fff8s r4@5fff8s w4@4fff4s w4@4fff0s"},
    {"c9", "leave", X86_TERM_FALL, 0, "r4@60000"},
    {"9c", "pushfd", X86_TERM_EMULATE, X86_EMU_PUSHF, "w4@4fffcs"},
    {"505350", "push", X86_TERM_FALL, 0, "w4@4fffcs w4@4fff8s w4@4fff4s"},
    {"5081ec000100008b0424", "mov", X86_TERM_FALL, 0, "w4@4fffcs r4@4fefc"},
    /* addresses */
    {"8b03", "mov", X86_TERM_FALL, 0, "r4@40000"},
    {"a134120c08", "mov", X86_TERM_FALL, 0, "r4@80c1234"},
    {"8b0d785634f2", "mov", X86_TERM_FALL, 0, "r4@f2345678"},
    {"8b8334120c08", "mov", X86_TERM_FALL, 0, "r4@*"},
    {"8b048b", "mov", X86_TERM_FALL, 0, "r4@*"},
    {"65a114000000", "mov", X86_TERM_FALL, 0, "r4@*"},
    {"678b00", "mov", X86_TERM_FALL, 0, "r4@*"},
    {"0fab03", "bts", X86_TERM_FALL, 0, "m4@*"},
    {"0fba2b07", "bts", X86_TERM_FALL, 0, "m4@40000"},
    {"d7", "xlat", X86_TERM_FALL, 0, "r1@*"},
    {"bb000100f08b43fc", "mov", X86_TERM_FALL, 0, "r4@f00000fc"},
    {"508d44240c8b00", "mov", X86_TERM_FALL, 0, "w4@4fffcs r4@50008"},
    {"8b03438b4b04", "mov", X86_TERM_FALL, 0, "r4@40000 r4@40005"},
    /* strings */
    {"a5", "movsd", X86_TERM_FALL, 0, "r4@70000 w4@80000"},
    {"66ab", "stosw", X86_TERM_FALL, 0, "w2@80000"},
    /* control transfers */
    {"e8fbffffff", "call", X86_TERM_CALL, 0, "w4@4fffcs"},
    {"c3", "ret", X86_TERM_RET, 0, "r4@50000s"},
    {"66c3", "ret", X86_TERM_RET, 0, "r2@50000s"},
    {"ffd0", "call", X86_TERM_CALL_IND, 0, "w4@4fffcs"},
    {"65ff1510000000", "call", X86_TERM_CALL_IND, 0, "r4@* w4@4fffcs"},
    {"ff2485000000f0", "jmp", X86_TERM_JMP_IND, 0, "r4@*"},
    {"e3fe", "jecxz", X86_TERM_JCC, 0, ""},
    {"67e2fe", "loop", X86_TERM_JCC, 0, ""},
    {"cd80", "int", X86_TERM_SYSCALL, 0, ""},
    /* what the runtime executes */
    {"cd05", "int", X86_TERM_EMULATE, X86_EMU_INT, ""},
    {"0f34", "sysenter", X86_TERM_EMULATE, X86_EMU_SYSENTER, ""},
    {"0f05", "syscall", X86_TERM_EMULATE, X86_EMU_ILLEGAL, ""},
    {"27", "daa", X86_TERM_EMULATE, X86_EMU_BCD, ""},
    {"d40a", "aam", X86_TERM_EMULATE, X86_EMU_BCD, ""},
    {"6203", "bound", X86_TERM_EMULATE, X86_EMU_BOUND, "r8@40000"},
    {"ce", "into", X86_TERM_EMULATE, X86_EMU_INTO, ""},
    {"630b", "arpl", X86_TERM_EMULATE, X86_EMU_ARPL, "m2@40000"},
    {"8ed8", "mov", X86_TERM_EMULATE, X86_EMU_LOAD_SEG, ""},
    {"07", "pop", X86_TERM_EMULATE, X86_EMU_LOAD_SEG, "r4@50000s"},
    {"c40b", "les", X86_TERM_EMULATE, X86_EMU_LOAD_FAR, "r6@40000"},
    {"cb", "ret", X86_TERM_EMULATE, X86_EMU_FAR, "r4@50000s r4@50004s"},
    {"66cb", "ret", X86_TERM_EMULATE, X86_EMU_FAR, "r2@50000s r2@50002s"},
    {"9a000000102300", "call", X86_TERM_EMULATE, X86_EMU_FAR, "w4@4fffcs w4@4fff8s"},
    {"ff18", "call", X86_TERM_EMULATE, X86_EMU_FAR, "r6@10000 w4@4fffcs w4@4fff8s"},
    {"ea000000102300", "jmp", X86_TERM_EMULATE, X86_EMU_FAR, ""},
    {"cf", "iretd", X86_TERM_EMULATE, X86_EMU_FAR, "r4@50000s r4@50004s r4@50008s"},
    {"9d", "popfd", X86_TERM_EMULATE, X86_EMU_POPF, "r4@50000s"},
    {"2e8903", "mov", X86_TERM_EMULATE, X86_EMU_PRIVILEGED, NULL},
    {"f4", "hlt", X86_TERM_EMULATE, X86_EMU_PRIVILEGED, NULL},
    {"67a4", "movsb", X86_TERM_EMULATE, X86_EMU_STRING, "r1@* w1@*"},
    {"65ac", "lodsb", X86_TERM_EMULATE, X86_EMU_STRING, "r1@*"},
    {"0fff", NULL, X86_TERM_EMULATE, X86_EMU_ILLEGAL, NULL},
    /* the same bytes mean something else in 64-bit code */
    {"4043", "inc", X86_TERM_FALL, 0, ""},
    {"c5f877", "vzeroupper", X86_TERM_FALL, 0, ""},
    {"82c005", "add", X86_TERM_FALL, 0, ""},
    {"d6", "salc", X86_TERM_FALL, 0, ""},
};

static const uint8_t *page_of(void *ctx, uint64_t addr)
{
	return addr == PC ? ctx : NULL;
}

/* Build the block of `code` with n instructions and fill the page behind it with NOPs. */
static void build(struct x86_builder *b, const char *code, unsigned n)
{
	static uint8_t page[4096];
	struct x86_code_source src = {page_of, page};
	struct x86_build_limits lim = {.max_insns = n, .has_slots = true};

	memset(page, 0x90, sizeof(page));
	for (unsigned i = 0; code[2 * i]; i++) {
		char hex[3] = {code[2 * i], code[2 * i + 1], 0};

		page[i] = (uint8_t)strtoul(hex, NULL, 16);
	}
	x86_builder_init(b, X86_MODE_32);
	assert_int_equal(x86_block_build(b, PC, &src, &lim), 0);
}

/* Instructions until all bytes of the row are used. */
static unsigned build_row(struct x86_builder *b, const struct row *row)
{
	for (unsigned n = 1;; n++) {
		build(b, row->code, n);
		if (b->block.bytes >= strlen(row->code) / 2 || b->block.term != X86_TERM_FALL ||
		    n == 8)
			return n;
	}
}

static void describe(const struct x86_builder *b, char *out)
{
	*out = 0;
	for (unsigned i = 0; i < b->block.n_ref; i++) {
		const struct x86_ref *r = &b->ref[i];
		unsigned dir = r->flags & (X86_REF_READ | X86_REF_WRITE);
		uint64_t at = r->disp;
		bool is_computed = false;

		assert_int_equal(r->slot2, X86_NO_SLOT);
		if (r->slot != X86_NO_SLOT) {
			is_computed = b->slot[r->slot].kind == X86_SLOT_ADDRESS;
			at += (b->slot[r->slot].reg + 1u) * 0x10000ull;
		}
		out += sprintf(out, "%s%c%u@", i ? " " : "",
			       dir == 3	  ? 'm'
			       : dir == 2 ? 'w'
					  : 'r',
			       r->bytes);
		out +=
		    is_computed ? sprintf(out, "*") : sprintf(out, "%llx", (unsigned long long)at);
		out += sprintf(out, "%s", r->flags & X86_REF_STACK ? "s" : "");
		assert_int_equal(r->flags & (X86_REF_FS | X86_REF_GS), 0);
	}
}

static void facts_of_each_form(void **state)
{
	static struct x86_builder b;
	char refs[1024];

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		const struct x86_insn *last;

		build_row(&b, row);
		last = &b.insn[b.block.n_insn - 1];
		describe(&b, refs);
		if ((row->name && strcmp(x86_mnemonic_name(last->mnemonic), row->name)) ||
		    b.block.term != row->term || b.block.emulate != row->emulate ||
		    (row->refs && strcmp(refs, row->refs)))
			fail_msg("%s: %s, end %u, emulated %u, \"%s\"", row->code,
				 x86_mnemonic_name(last->mnemonic), b.block.term, b.block.emulate,
				 refs);
		assert_false(last->flags & X86_I_LONG_MODE);
	}
}

/* Branch targets are 32 bits wide, or 16. */
static void targets_wrap_round(void **state)
{
	static struct x86_builder b;

	build(&b, "e9fb7ffbf7", 1);
	assert_int_equal(b.block.target, 0);
	build(&b, "e9fbfffbf7", 1);
	assert_int_equal(b.block.target, 0x8000);
	build(&b, "66e90010", 1);
	assert_int_equal(b.block.target, 0x9004);
	build(&b, "7efe", 1);
	assert_int_equal(b.block.target, PC);
	build(&b, "660f84fcff", 1);
	assert_int_equal(b.block.target, 0x8001);
}

static void segment_loads_are_marked(void **state)
{
	static const char *const loads[] = {"8ed8", "07", "1f", "0fa9", "c40b", "0fb20b"};
	static const char *const others[] = {"8cd8", "06", "65a114000000", "cd80"};
	static struct x86_builder b;

	for (unsigned i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		build(&b, loads[i], 1);
		assert_true(b.insn[0].flags & X86_I_SEG_LOAD);
	}
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		build(&b, others[i], 1);
		assert_false(b.insn[0].flags & X86_I_SEG_LOAD);
	}
}

/* However many references a block has, it ends before there are too many. */
static void blocks_of_pusha_fit(void **state)
{
	static struct x86_builder b;
	char code[2 * 64 + 1];

	for (unsigned i = 0; i < 64; i++)
		memcpy(code + 2 * i, "60", 3);
	build(&b, code, 64);
	assert_in_range(b.block.n_insn, 16, 32);
	assert_int_equal(b.block.n_ref, b.block.n_insn * 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(facts_of_each_form),
	    cmocka_unit_test(targets_wrap_round),
	    cmocka_unit_test(segment_loads_are_marked),
	    cmocka_unit_test(blocks_of_pusha_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
