/* Instructions in which an element was clipped: every kind once with and once without, of registers and of memory. */
# bits both
# expect pentium-mmx: SATURATIONS_PERFORMED = 15*N
# expect pentium-mmx: SATURATING_MMX_INSTRUCTIONS_EXECUTED = 30*N
#include "model.inc"
.macro TRY op, dst, clipped, not
	movq mm0, [\dst]
	movq mm1, [\clipped]
	\op mm0, mm1
	movq mm0, [\dst]
	movq mm1, [\not]
	\op mm0, mm1
.endm
_start:
	LOOP 1
	TRY paddsb, v7f, v01, vff /* 127 + 1, 127 - 1 */
	TRY paddsw, v7fff, v0001, vff
	TRY paddusb, vff, v01, v00
	TRY paddusw, vff, v0001, v00
	TRY psubsb, v80, v01, v00 /* -128 - 1 */
	TRY psubsb, v7f, vff, v01 /* 127 + 1 */
	TRY psubsw, v8000, v0001, v00
	TRY psubusb, v01, v02, v01
	TRY psubusw, v0001, v0002, v0001
	TRY packsswb, v007f, v0080, vff
	TRY packssdw, v7fffd, v8000d, vff
	TRY packuswb, v00ff, v0100, v00
	TRY packuswb, v00ff, vff, v00ff /* below 0 */
	/* the destination's elements count for packs, too */
	TRY packuswb, v0100, v00, v00
	movq mm0, [v00]
	packuswb mm0, [v00]
	/* memory */
	movq mm0, [v7f]
	paddsb mm0, [v00]
	NEXT 1b
	emms
	EXIT
	.data
	.balign 8
v00:	.quad 0
v01:	.quad 0x0100000000000000 /* the last element only */
v02:	.quad 0x0000000000000002
v0001:	.quad 0x0001000000000000
v0002:	.quad 0x0000000000020000
v7f:	.quad 0x7f7f7f7f7f7f7f7f
v80:	.quad 0x8000000000000000
v7fff:	.quad 0x7fff7fff7fff7fff
v8000:	.quad 0x8000800080008000
vff:	.quad 0xffffffffffffffff
v007f:	.quad 0x007f007f007f007f
v0080:	.quad 0x0080000000000000
v00ff:	.quad 0x00ff00ff00ff00ff
v0100:	.quad 0x0000000001000000
v7fffd:	.quad 0x00007fff00007fff
v8000d:	.quad 0x0000800000000000
