/* retire_kinds.c -- unit retire: what a mnemonic is to the events that count kinds of operations.
 *
 * Names as x86_mnemonic_name() spells them, where * stands for anything. A name that is spelled
 * otherwise matches nothing, and its instructions count as of no kind. Looked up once per mnemonic
 * of a run.
 */
#include "model/p6/p6.h"
#include "model/p6/units/retire.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/parts/kinds.h"

/* clang-format off */
static const struct kind_row kind_rows[] = {
	{ P6_K_FP_OP, "fadd faddp fiadd fsub fsubp fsubr fsubrp fisub fisubr fprem fprem1 fsqrt "
	              "ftst fcom "
	              "fcomp fcompp fucom fucomp fucompp fcomi fcomip fucomi fucomip ficom "
	              "ficomp fsin fcos fsincos fptan fpatan f2xm1 fyl2x fyl2xp1" },
	{ P6_K_FP_OP | P6_K_MUL, "fmul fmulp fimul" },
	{ P6_K_FP_OP | P6_K_DIV, "fdiv fdivp fdivr fdivrp fidiv fidivr" },
	{ P6_K_INT_MULDIV | P6_K_MUL, "mul imul" },
	{ P6_K_INT_MULDIV | P6_K_DIV, "div idiv" },
	{ P6_K_MMX_MUL, "pmullw pmulhw pmulhuw pmaddwd" },
	{ P6_K_MMX_SHIFT, "psllw pslld psllq psrlw psrld psrlq psraw psrad" },
	{ P6_K_MMX_PACK | P6_K_MMX_SAT, "packsswb packssdw packuswb" },
	{ P6_K_MMX_UNPACK, "punpck* pshufw" },
	{ P6_K_MMX_LOGICAL, "pand pandn por pxor" },
	{ P6_K_MMX_ARITH | P6_K_MMX_SAT,
	              "paddsb paddsw paddusb paddusw psubsb psubsw psubusb psubusw" },
	{ P6_K_MMX_ARITH, "padd* psub* pcmp* pavg* pmin* pmax* psadbw" },
	{ P6_K_MMX_MOVE, "movd movq" },
	{ P6_K_EMMS, "emms" },
	{ P6_K_SSE_SCALAR | P6_K_SSE_COMP,
	              "addss subss mulss divss sqrtss rcpss rsqrtss minss maxss cmp*ss "
	              "comiss ucomiss cvtsi2ss cvtss2si cvttss2si" },
	{ P6_K_SSE_SCALAR, "movss" },
	{ P6_K_SSE_PACKED | P6_K_SSE_COMP,
	              "addps subps mulps divps sqrtps rcpps rsqrtps minps maxps cmp*ps "
	              "cvtpi2ps cvtps2pi cvttps2pi" },
	{ P6_K_SSE_PACKED,
	              "andps andnps "
	              "orps xorps movaps movups movhps movlps movhlps movlhps movmskps "
	              "movntps shufps unpckhps unpcklps" },
	{ P6_K_PRE_NTA, "prefetchnta" },
	{ P6_K_PRE_T0, "prefetcht0" },
	{ P6_K_PRE_T1, "prefetcht1" },
	{ P6_K_PRE_T2, "prefetcht2" },
	{ P6_K_NT_STORE,
	              "movntps movntq "
	              "maskmovq movnti movntpd movntdq maskmovdqu vmovntps vmovntpd vmovntdq" },
	{ P6_K_FENCE, "sfence mfence lfence cpuid iret iretd iretq wbinvd invd" },
	{ P6_K_PORT, "in insb insw insd out outsb outsw outsd" },
	{ P6_K_TRAP_CALL, "int int3 int1 syscall sysenter iret iretd iretq" },
	{ P6_K_STRING_MOVS, "movsb movsw movsd movsq" },
	{ P6_K_STRING_STOS, "stosb stosw stosd stosq" },
	{ P6_K_SEG_FS, "lfs" },
	{ P6_K_SEG_GS, "lgs" },
	{ P6_K_HOST, "fsin fcos fsincos "
	              "fptan fpatan f2xm1 fyl2x fyl2xp1 rcpps rcpss rsqrtps rsqrtss "
	              "vrcp* vrsqrt*" },
};
/* clang-format on */

const struct p6_mnemonic *p6_mnemonic(struct p6 *m, uint16_t number)
{
	struct p6_mnemonic *row;

	if (number >= m->retire.n_mnemonic) {
		uint32_t n = m->retire.n_mnemonic ? m->retire.n_mnemonic : 1024;

		while (n <= number)
			n *= 2;
		row = realloc(m->retire.mnemonic, n * sizeof(*row));
		if (!row)
			return NULL;
		memset(row + m->retire.n_mnemonic, 0, (n - m->retire.n_mnemonic) * sizeof(*row));
		m->retire.mnemonic = row;
		m->retire.n_mnemonic = n;
	}
	row = &m->retire.mnemonic[number];
	if (!row->is_known) {
		row->name = x86_mnemonic_name(number);
		row->kinds =
		    kinds_of(kind_rows, sizeof(kind_rows) / sizeof(kind_rows[0]), row->name);
		if (kinds_is_among(cat_later_names(CAT_LATER_SSE), row->name))
			row->kinds |= P6_K_SSE_MMX;
		row->is_known = true;
	}
	return row;
}
