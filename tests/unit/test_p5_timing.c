/* Every row of catalog/p5/timing.tsv has a listing whose clocks follow from it:
 * tests/mutation/timing.tsv, where the clocks are written down a second time. A row that is
 * changed, in any one number or its way of pairing, changes some listing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "catalog/tables.h"
#include "asm/object.h"
#include "stream.h"
#include "trace/record.h"

enum {
	CODE = 0x100000,
	SLOT = 512,
	WARM = 256,
	TIMES = 24,
	MOST = 2048,
	MOST_ROWS = 1024,
	TEXT = 256
};

/* One line of timing.tsv. */
struct listing {
	char name[TEXT];
	bool is_64;
	unsigned at;			/* its number among those of its width */
	uint16_t control;		/* control word of the x87 */
	unsigned clk[2];		/* Pentium, Pentium with MMX */
	uint8_t used[2][MOST_ROWS / 8]; /* bit per row that it asked for */
	struct stream s;
};

static struct listing listings[MOST];
static unsigned n_listing;
static struct asm_object object[2];

/* ---- the catalog with one row changed -------------------------------------------------------- */

static const struct cat_timing *changed_row;
static struct cat_timing changed_to;
static uint8_t *used_rows;

const struct cat_timing *__real_cat_find_timing(const char *mnemonic, const char *special,
						const char *sized, const char *plain,
						bool *is_pattern);

const struct cat_timing *__wrap_cat_find_timing(const char *mnemonic, const char *special,
						const char *sized, const char *plain,
						bool *is_pattern)
{
	const struct cat_timing *row =
	    __real_cat_find_timing(mnemonic, special, sized, plain, is_pattern);
	const size_t i = (size_t)(row - cat_timing_rows);

	if (used_rows)
		used_rows[i / 8] |= (uint8_t)(1u << i % 8);
	return row == changed_row ? &changed_to : row;
}

/* ---- listings -------------------------------------------------------------------------------- */

/* Reads of the data that listings use. */
static void warm_up(FILE *f, bool is_64)
{
	const char *prefix = is_64 ? "r" : "e";

	fprintf(f, ".balign %d, 0x90\n", SLOT);
	for (unsigned i = 0; i < 20; i++)
		fprintf(f, "mov eax,[%ssi+%u]\n", prefix, 32 * i);
	for (int i = -32; i <= 32; i += 32)
		fprintf(f, "mov eax,[%ssp+%d]\n", prefix, i);
	fprintf(f, ".balign %d, 0x90\n", WARM);
}

/* name, bits, control, clocks, clocks, listing */
static void read_listings(FILE *source[2])
{
	FILE *f = fopen("tests/mutation/timing.tsv", "r");
	unsigned n[2] = {0, 0};
	char line[1024];

	assert_non_null(f);
	for (unsigned w = 0; w < 2; w++)
		fprintf(source[w], ".intel_syntax noprefix\n.text\n");
	while (fgets(line, sizeof(line), f)) {
		struct listing *l = &listings[n_listing];
		unsigned bits, control;
		char code[512];

		if (*line == '#')
			continue;
		assert_true(n_listing < MOST);
		assert_int_equal(sscanf(line, "%255[^\t]\t%u\t%x\t%u\t%u\t%511[^\n]", l->name,
					&bits, &control, &l->clk[0], &l->clk[1], code),
				 6);
		l->is_64 = bits == 64;
		l->control = (uint16_t)control;
		l->at = n[l->is_64]++;
		n_listing++;
		warm_up(source[l->is_64], l->is_64);
		fprintf(source[l->is_64], "1:\n%s\n", code);
		fprintf(source[l->is_64],
			"not ebp\n.fill 12, 1, 0x90\n.byte 0xe9\n.long 1b - . - 4\n");
	}
	fclose(f);
}

static int open_all(void **state)
{
	char dir[] = "/tmp/softpmu-timing-XXXXXX", path[64], command[256];
	struct spmu_error err;
	FILE *source[2];

	assert_non_null(mkdtemp(dir));
	for (unsigned w = 0; w < 2; w++) {
		snprintf(path, sizeof(path), "%s/%u.s", dir, w);
		source[w] = fopen(path, "w");
		assert_non_null(source[w]);
	}
	read_listings(source);
	for (unsigned w = 0; w < 2; w++) {
		fclose(source[w]);
		snprintf(command, sizeof(command), "cd %s && as --%u -o %u.o %u.s", dir,
			 w ? 64 : 32, w, w);
		assert_int_equal(system(command), 0);
		snprintf(path, sizeof(path), "%s/%u.o", dir, w);
		assert_int_equal(asm_object_read(path, &object[w], &err), 0);
	}
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static const uint8_t *page_of(void *ctx, uint64_t addr)
{
	static uint8_t page[4096];
	const struct listing *l = ctx;
	struct asm_section text;
	uint64_t off = addr - CODE;

	assert_int_equal(asm_object_section(&object[l->is_64], ".text", &text), 0);
	if (addr < CODE || off >= text.size)
		return NULL;
	memset(page, 0x90, sizeof(page));
	memcpy(page, text.bytes + off,
	       text.size - off < sizeof(page) ? text.size - off : sizeof(page));
	return page;
}

static uint64_t begin_of(const struct listing *l)
{
	return CODE + (uint64_t)l->at * SLOT + WARM;
}

/* Pointers lie in different banks; CX is a count. */
static const uint64_t regs[16] = {0x31000, 8, 0x31004, 0x31028, 0x38000, 0x31154, 0x31200, 0x31324};

static uint64_t value_of(const struct listing *l, const struct x86_slot *s, unsigned k)
{
	switch (s->kind) {
	case X86_SLOT_REG: return regs[s->reg & 7];
	case X86_SLOT_ADDRESS: return 0x31400 + 4 * k;
	case X86_SLOT_X87: /* two ones */
		return l->control | 0x3fffull << X86_X87_FIRST_AT | 0x3fffull << X86_X87_SECOND_AT |
		       1ull << X86_X87_FIRST_HAS | 1ull << X86_X87_SECOND_HAS;
	case X86_SLOT_MEMORY: return s->reg == 4 ? 0x3f800000 : 0x3ff0000000000000;
	default: return 0;
	}
}

/* The listing again and again, conditional branches not taken, others to the instruction behind
 * them unless they are direct. */
static void record(struct listing *l)
{
	const struct x86_code_source src = {page_of, l};
	const struct x86_build_limits lim = {
	    .max_insns = X86_MAX_INSNS, .has_slots = true, .has_x87_operands = true};
	struct x86_builder *builder = malloc(sizeof(*builder));
	uint64_t pc = begin_of(l) - WARM;

	assert_non_null(builder);
	x86_builder_init(builder, l->is_64 ? X86_MODE_64 : X86_MODE_32);
	stream_open(&l->s);
	for (unsigned i = 0; i < TIMES;) {
		const struct x86_block *b = NULL;
		uint64_t value[X86_MAX_SLOTS];

		for (uint32_t id = 0; id < x86_store_count(l->s.store); id++)
			if (x86_store_get(l->s.store, id)->pc == pc)
				b = x86_store_get(l->s.store, id);
		if (!b) {
			assert_int_equal(x86_block_build(builder, pc, &src, &lim), 0);
			b = x86_store_add(l->s.store, &builder->block);
		}
		for (unsigned k = 0; k < b->n_slot; k++)
			value[k] = value_of(l, &b->slot[k], k);
		stream_exec(&l->s, b->id, value);
		pc = b->term == X86_TERM_JMP || b->term == X86_TERM_CALL ? b->target : b->fall;
		i += pc == begin_of(l);
	}
	free(builder);
}

struct clocks {
	uint64_t begin, first, probe;
};

static void on_line(void *ctx, const struct mdl_line *line)
{
	struct clocks *c = ctx;
	const uint8_t *code = line->block->code + (line->pc - line->block->pc);

	if (line->pc == c->begin)
		c->first = line->clk;
	if (code[0] == 0xf7 && code[1] == 0xd5) /* NOT EBP */
		c->probe = line->clk;
}

/* Clocks from its first instruction to the one behind it, when all is in the caches. */
static unsigned clocks_of(const struct listing *l, const char *cpu)
{
	struct clocks c = {.begin = begin_of(l)};
	struct mdl_config cfg = stream_config(&l->s, cpu);
	struct wires w;

	cfg.on_line = on_line;
	cfg.line_ctx = &c;
	stream_run(&l->s, &cfg, &w);
	return (unsigned)(c.probe - c.first);
}

static const char *const cpus[2] = {"pentium", "pentium-mmx"};

/* ---- the tests ------------------------------------------------------------------------------- */

static void clocks_are_those_written_down(void **state)
{
	const bool is_recording = getenv("REBASE") != NULL;
	unsigned wrong = 0;

	for (unsigned i = 0; i < n_listing; i++) {
		struct listing *l = &listings[i];

		record(l);
		for (unsigned k = 0; k < 2; k++) {
			unsigned clk;

			used_rows = l->used[k];
			clk = clocks_of(l, cpus[k]);
			used_rows = NULL;
			if (is_recording)
				printf("= %u %u %u\n", i, k, clk);
			else if (clk != l->clk[k])
				print_message("%s on %s: %u clocks, not %u\n", l->name, cpus[k],
					      clk, l->clk[k]);
			wrong += clk != l->clk[k];
			l->clk[k] = clk;
		}
	}
	assert_true(is_recording || !wrong);
}

/* Does some listing on processor k notice? */
static bool is_noticed(unsigned k)
{
	const size_t row = (size_t)(changed_row - cat_timing_rows);

	for (unsigned i = 0; i < n_listing; i++)
		if (listings[i].used[k][row / 8] >> row % 8 & 1 &&
		    clocks_of(&listings[i], cpus[k]) != listings[i].clk[k])
			return true;
	return false;
}

enum { CLK = 1, PAIR = 2, U_ONLY = 4, OVER_INT = 8, OVER_FP = 16 };

/* Numbers that the model does not take from their row, and ways of pairing that come to the same.
 */
static const struct {
	const char *mnemonic, *operands;
	unsigned what;
	const char *why;
} same[] = {
    {"fdiv", "", CLK | OVER_INT, "fdiv_pc64 has them"},
    {"fdivp", "", CLK | OVER_INT, "fdiv_pc64 has them"},
    {"fdivr", "", CLK | OVER_INT, "fdiv_pc64 has them"},
    {"fdivrp", "", CLK | OVER_INT, "fdiv_pc64 has them"},
    {"fidiv", "", CLK | OVER_INT, "fidiv_pc64 has them"},
    {"fidivr", "", CLK | OVER_INT, "fidiv_pc64 has them"},
    {"fdiv_pc24", "", PAIR | OVER_FP, "fdiv has them"},
    {"fdiv_pc53", "", PAIR | OVER_FP, "fdiv has them"},
    {"fdiv_pc64", "", PAIR | OVER_FP, "fdiv has them"},
    {"fidiv_pc24", "", PAIR | OVER_FP, "fidiv has them"},
    {"fidiv_pc53", "", PAIR | OVER_FP, "fidiv has them"},
    {"fidiv_pc64", "", PAIR | OVER_FP, "fidiv has them"},
    {"mul", "r", CLK, "the figure core.multiply_clk has them"},
    {"mul", "m", CLK, "the figure core.multiply_clk has them"},
    {"imul", "r", CLK, "the figure core.multiply_clk has them"},
    {"imul", "m", CLK, "the figure core.multiply_clk has them"},
    {"imul", "r,r", CLK, "the figure core.multiply_clk has them"},
    {"imul", "r,m", CLK, "the figure core.multiply_clk has them"},
    {"imul", "r,r,i", CLK, "the figure core.multiply_clk has them"},
    {"imul", "r,m,i", CLK, "the figure core.multiply_clk has them"},
    {"popa", "", PAIR, "it writes all registers"},
    {"popad", "", PAIR, "it writes all registers"},
    {"cpuid", "", PAIR, "the next instruction is not fetched before it is done"},
    {"xchg", "m,r", PAIR, "the bus is locked for longer than a pair would save"},
    {"cmovcc", "r,r", U_ONLY, "0FH keeps it in U on the Pentium"},
    {"cmovcc", "r,m", U_ONLY, "0FH keeps it in U on the Pentium"},
    {"prefetch*", "", U_ONLY, "0FH keeps it in U on the Pentium"},
    {"cldemote", "", U_ONLY, "0FH keeps it in U on the Pentium"},
    {"movnti", "", U_ONLY, "0FH keeps it in U on the Pentium"},
    {"endbr*", "", U_ONLY, "F3H keeps it in U"},
};

static bool is_same(const struct cat_timing *row, unsigned k, unsigned what)
{
	if (k == 0 && what & (PAIR | U_ONLY) &&
	    row->pair[1] >= CAT_PAIR_MMX) /* 0FH again, and memory */
		return true;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (!strcmp(same[i].mnemonic, row->mnemonic) &&
		    !strcmp(same[i].operands, row->operands) && same[i].what & what)
			return true;
	return false;
}

static unsigned missed, tried;

static void change(const struct cat_timing *row, const char *what, unsigned k)
{
	tried++;
	if (is_noticed(k))
		return;
	missed++;
	print_message("nobody notices: %s %s on %s: %s\n", row->mnemonic, row->operands, cpus[k],
		      what);
}

static void change_pair(const struct cat_timing *row, unsigned k, unsigned to)
{
	if (row->pair[k] == to || is_same(row, k, to == CAT_PAIR_U ? U_ONLY | PAIR : PAIR))
		return;
	changed_to = *row;
	changed_to.pair[k] = (uint8_t)to;
	change(row,
	       to == CAT_PAIR_NONE ? "does not pair"
	       : to == CAT_PAIR_UV ? "pairs"
				   : "pairs in other pipes",
	       k);
}

static void each_row_is_noticed(void **state)
{
	assert_true(cat_n_timing <= MOST_ROWS);
	for (size_t i = 0; i < cat_n_timing; i++) {
		const struct cat_timing *row = changed_row = &cat_timing_rows[i];

		for (unsigned k = 0; k < 2; k++) {
			changed_to = *row;
			changed_to.clk[k]++;
			if (!is_same(row, k, CLK))
				change(row, "a clock more", k);
			if (row->pair[k] == CAT_PAIR_UV) {
				change_pair(row, k, CAT_PAIR_U);
				change_pair(row, k, CAT_PAIR_V);
			} else if (row->pair[k] == CAT_PAIR_NONE || row->pair[k] == CAT_PAIR_U ||
				   row->pair[k] == CAT_PAIR_V) {
				change_pair(row, k, CAT_PAIR_UV);
			} else if (row->pair[k] == CAT_PAIR_MMX_SHIFT ||
				   row->pair[k] == CAT_PAIR_MMX_MUL) {
				change_pair(row, k, CAT_PAIR_MMX);
			} else {
				change_pair(row, k, CAT_PAIR_NONE);
			}
		}
		changed_to = *row;
		changed_to.per_item++;
		if (row->per_item)
			change(row, "a clock more per element", 0);
		changed_to = *row;
		changed_to.over_int--;
		if (row->over_int && !is_same(row, 0, OVER_INT))
			change(row, "less overlap with integer instructions", 0);
		changed_to = *row;
		changed_to.over_fp--;
		if (row->over_fp && !is_same(row, 0, OVER_FP))
			change(row, "less overlap with x87 instructions", 0);
		changed_to = *row;
		changed_to.part_bits = 0;
		if (row->part_bits)
			change(row, "once for all of the vector", 0);
	}
	changed_row = NULL;
	print_message("%u of %u changes noticed\n", tried - missed, tried);
	assert_int_equal(missed, 0);
}

static const struct cat_timing *row_of(const char *mnemonic)
{
	bool is_pattern;

	return cat_find_timing(mnemonic, "", "", "", &is_pattern);
}

static void numbers_said_twice_are_equal(void **state)
{
	static const char *const divides[] = {"fdiv",	"fdivp", "fdivr",
					      "fdivrp", "fidiv", "fidivr"};

	for (size_t i = 0; i < sizeof(divides) / sizeof(divides[0]); i++) {
		const struct cat_timing *own = row_of(divides[i]),
					*most = row_of(i < 4 ? "fdiv_pc64" : "fidiv_pc64");

		assert_memory_equal(own->clk, most->clk, sizeof(own->clk));
		assert_int_equal(own->over_int, most->over_int);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(clocks_are_those_written_down),
	    cmocka_unit_test(each_row_is_noticed),
	    cmocka_unit_test(numbers_said_twice_are_equal),
	};

	return cmocka_run_group_tests(tests, open_all, NULL);
}
