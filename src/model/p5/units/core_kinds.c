/* core_kinds.c -- unit core: what a mnemonic is to the events that count kinds of operations.
 *
 * Names as x86_mnemonic_name() spells them. Looked up once per mnemonic of a run; each time when
 * memory is out. p5_close() frees the table. Conditional branches are not here: they leave the
 * straight line only when they are taken, which x86_block.term says.
 */
#include "model/p5/p5.h"

#include <stdlib.h>
#include <string.h>

#include "model/parts/kinds.h"

#define UNKNOWN UINT32_MAX /* not looked up yet */

/* clang-format off */
static const struct kind_row kind_rows[] = {
	{ P5_K_FLOP, "fadd faddp fiadd fsub fsubp fsubr fsubrp fisub fisubr fmul fmulp fimul "
	             "fdiv fdivp fdivr fdivrp fidiv fidivr fprem fprem1 fsqrt "
	             "fsin fcos fsincos fptan fpatan f2xm1 fyl2x fyl2xp1" },
	{ P5_K_INT_MUL, "mul imul" },
	{ P5_K_TRANSFER, "jmp call ret iret iretd iretq" },
	{ P5_K_TRANSFER | P5_K_TRAP, "int int1 int3 syscall sysenter" },
	{ P5_K_RET, "ret" },
	{ P5_K_SERIAL, "cpuid verr verw rsm invd wbinvd invlpg wrmsr" },
	{ P5_K_SERIAL | P5_K_TABLE, "lgdt lidt lldt ltr" },
	{ P5_K_IO, "in insb insw insd" },
	{ P5_K_IO | P5_K_OUT, "out outsb outsw outsd" },
	{ P5_K_MMX_SAT, "packsswb packssdw packuswb paddsb paddsw paddusb paddusw "
	                "psubsb psubsw psubusb psubusw" },
	{ P5_K_EMMS, "emms" },
	{ P5_K_FST, "fst fstp" },
	{ P5_K_HOST, "fsin fcos fsincos fptan fpatan f2xm1 fyl2x fyl2xp1 rcpps rcpss rsqrtps "
	             "rsqrtss vrcp* vrsqrt*" },
};
/* clang-format on */

static uint32_t look_up(const char *name)
{
	uint32_t kinds = kinds_of(kind_rows, sizeof(kind_rows) / sizeof(kind_rows[0]), name);

	if (kinds_is_among(cat_later_names(CAT_LATER_P6), name))
		kinds |= P5_K_LATER;
	if (kinds_is_among(cat_later_names(CAT_LATER_SSE), name))
		kinds |= P5_K_SSE_MMX;
	return kinds;
}

uint32_t p5_kinds(struct p5 *m, uint16_t mnemonic)
{
	if (mnemonic >= m->core.n_kinds) {
		uint32_t n = m->core.n_kinds ? m->core.n_kinds : 2048;
		uint32_t *more;

		while (n <= mnemonic)
			n *= 2;
		more = realloc(m->core.kinds, n * sizeof(*more));
		if (!more)
			return look_up(x86_mnemonic_name(mnemonic));
		memset(more + m->core.n_kinds, 0xff, (n - m->core.n_kinds) * sizeof(*more));
		m->core.kinds = more;
		m->core.n_kinds = n;
	}
	if (m->core.kinds[mnemonic] == UNKNOWN)
		m->core.kinds[mnemonic] = look_up(x86_mnemonic_name(mnemonic));
	return m->core.kinds[mnemonic];
}
