/* What becomes of a line: states of L1D, L1I and L2, by what is done to it. Each line of stimuli below has lines of its own, and what it counts per
 * line behind it; what L1D holds modified shows when it is pushed out (MO), what is shared when it is written (ST.s), the state of L2's copy
 * when it is read again (LD). Rules: docs/MODELS.md "dcu", "ifu", "l2"; Intel 242816-003 2.2 and table 7-2, MESI. */
# options p6: --walks off
# expect p6: dcu_lines_in = 98*N
# expect p6: dcu_m_lines_in = 12*N
# expect p6: dcu_m_lines_out = 24*N
# expect p6: l2_lines_in = 64*N
# expect p6: l2_m_lines_inm = 11*N
# expect p6: l2_lines_out = 12*N
# expect p6: l2_m_lines_outm = 1*N
# expect p6: bus_tran_brd = 42*N
# expect p6: bus_tran_rfo = 9*N
# expect p6: bus_tran_ifetch = 13*N
# expect p6: bus_tran_inval = 6*N
# expect p6: bus_trans_wb = 1*N
# expect p6: ifu_ifetch_miss = 21*N
# expect p6: l2_ld:m = 22*N
# expect p6: l2_ld:e = 8*N
# expect p6: l2_ld:s = 14*N
# expect p6: l2_ld:i = 42*N
# expect p6: l2_st:m = 2*N
# expect p6: l2_st:e = 1*N
# expect p6: l2_st:s = 6*N
# expect p6: l2_st:i = 9*N
# expect p6: l2_ifetch:m = 4*N
# expect p6: l2_ifetch:e = 2*N
# expect p6: l2_ifetch:s = 2*N
# expect p6: l2_ifetch:i = 13*N
# size 32
#include "model.inc"
/* LI dcu_lines_in, MI dcu_m_lines_in, MO dcu_m_lines_out, L2I l2_lines_in, L2MI l2_m_lines_inm, L2O l2_lines_out, L2MO l2_m_lines_outm, LD l2_ld,
 * ST l2_st, IF l2_ifetch, IM ifu_ifetch_miss, BRD RFO INV WB: transactions of the bus, IFE bus_tran_ifetch */
	.macro RD a
	READ_LINES \a, N
	.endm
	.macro WR a
	mov eax, 0x90909090
	WRITE_LINES \a, N
	.endm
	.macro EX a
	call \a
	.endm
	.macro NTA a
	lea rsi, [\a]
	mov ecx, N
0:	prefetchnta [rsi]
	add rsi, 32
	dec ecx
	jnz 0b
	.endm
	.macro FLUSH a
	READ_LINES spare, 1024
	.endm
	.macro FLUSHI a
	call much_code
	.endm
	/* Four other lines of the set of L2, which has four ways; L1D uses this one between them. */
	.macro OTHERS a
	READ_LINES \a+0x20000, N
	RD \a
	READ_LINES \a+0x40000, N
	RD \a
	READ_LINES \a+0x60000, N
	RD \a
	READ_LINES \a+0x80000, N
	.endm
	.text
_start:
	/* absent, exclusive */
	RD lines; FLUSH; RD lines /* LI*2 LD.i LD.e L2I BRD */
	/* a store to E is silent */
	RD lines+0x1000; WR lines+0x1000; FLUSH; RD lines+0x1000 /* LI*2 LD.i L2I BRD MO LD.m */
	RD lines+0x2000; RD lines+0x2000; WR lines+0x2000; FLUSH; RD lines+0x2000 /* LI*2 LD.i L2I BRD MO LD.m */
	/* a load leaves E */
	RD lines+0x3000; RD lines+0x3000; FLUSH; RD lines+0x3000 /* LI*2 LD.i LD.e L2I BRD */
	RD lines+0x4000; FLUSH; RD lines+0x4000; FLUSH; RD lines+0x4000 /* LI*3 LD.i LD.e*2 L2I BRD */
	/* L1D gets E from E */
	RD lines+0x5000; FLUSH; RD lines+0x5000; WR lines+0x5000; FLUSH; RD lines+0x5000 /* LI*3 LD.i LD.e LD.m L2I BRD MO */
	/* L1D gets E from M */
	WR lines+0x6000; FLUSH; RD lines+0x6000; FLUSH; RD lines+0x6000 /* LI*3 MI ST.i L2I L2MI RFO MO LD.m*2 */
	WR lines+0x7000; FLUSH; RD lines+0x7000; WR lines+0x7000; FLUSH; RD lines+0x7000 /* LI*3 MI ST.i L2I L2MI RFO MO*2 LD.m*2 */
	/* M stays M */
	WR lines+0x8000; WR lines+0x8000; RD lines+0x8000; FLUSH; RD lines+0x8000 /* LI*2 MI ST.i L2I L2MI RFO MO LD.m */
	RD lines+0x9000; FLUSH; WR lines+0x9000; FLUSH; RD lines+0x9000 /* LI*3 MI LD.i L2I BRD ST.e MO LD.m */
	WR lines+0xa000; FLUSH; WR lines+0xa000; FLUSH; RD lines+0xa000 /* LI*3 MI*2 MO*2 ST.i ST.m L2I L2MI RFO LD.m */
	/* in L1D alone */
	NTA lines+0xb000; WR lines+0xb000; FLUSH; RD lines+0xb000 /* LI*2 LD.i BRD MO L2I L2MI LD.m */
	NTA lines+0xc000; FLUSH; RD lines+0xc000 /* LI*2 LD.i*2 BRD*2 L2I */
	RD lines+0xd000; FLUSH; NTA lines+0xd000; FLUSH; RD lines+0xd000 /* LI*3 LD.i LD.e*2 L2I BRD */
	WR lines+0xe000; FLUSH; NTA lines+0xe000; FLUSH; RD lines+0xe000 /* LI*3 MI ST.i L2I L2MI RFO MO LD.m*2 */
	/* code is shared; a store wants ownership */
	EX code0; EX code0; EX code0; RD code0; WR code0; FLUSH; RD code0 /* IM IF.i L2I IFE LI*2 LD.s ST.s INV MO LD.m */
	EX code1; RD code1; FLUSH; RD code1 /* IM IF.i L2I IFE LI*2 LD.s*2 */
	/* a load leaves S */
	EX code2; RD code2; RD code2; WR code2; FLUSH; RD code2 /* IM IF.i L2I IFE LI*2 LD.s ST.s INV MO LD.m */
	EX code3; RD code3; RD code3; FLUSH; RD code3 /* IM IF.i L2I IFE LI*2 LD.s*2 */
	EX code4; WR code4; FLUSH; RD code4 /* IM IF.i L2I IFE LI*2 MI ST.s INV MO LD.m */
	/* code from a modified line makes it shared */
	EX code5; WR code5; EX code5; WR code5; FLUSH; RD code5 /* IM*2 IF.i IF.m L2I IFE LI*2 MI ST.s ST.m INV MO*2 LD.m */
	EX code6; WR code6; EX code6; FLUSH; RD code6 /* IM*2 IF.i IF.m L2I IFE LI*2 MI ST.s INV MO LD.m */
	/* code from an exclusive line leaves it so */
	RD code7; EX code7; WR code7; FLUSH; RD code7 /* LI*2 LD.i L2I BRD IM IF.e MO LD.m */
	RD code8; EX code8; FLUSH; RD code8 /* LI*2 LD.i L2I BRD IM IF.e LD.e */
	EX code9; RD code9; FLUSHI; EX code9; WR code9; FLUSH; RD code9 /* IM*2 IF.i IF.s L2I IFE LI*2 LD.s ST.s INV MO LD.m */
	EX code10; RD code10; FLUSHI; EX code10; FLUSH; RD code10 /* IM*2 IF.i IF.s L2I IFE LI*2 LD.s*2 */
	WR code11; FLUSH; EX code11; FLUSHI; EX code11 /* LI MI ST.i L2I L2MI RFO MO IM*2 IF.m*2 */
	EX code12; NTA code12; FLUSH; RD code12 /* IM IF.i L2I IFE LI*2 LD.s*2 */
	/* L2 replaces a clean line: L1D keeps it */
	RD lone; OTHERS lone; WR lone; FLUSH; RD lone /* LI*6 LD.i*5 LD.m L2I*6 L2MI L2O*2 BRD*5 MO */
	RD lone+0x1000; OTHERS lone+0x1000; FLUSH; RD lone+0x1000 /* LI*6 LD.i*6 L2I*6 L2O*2 BRD*6 */
	/* a modified line: L1D loses it */
	WR lone+0x2000; OTHERS lone+0x2000; RD lone+0x2000 /* LI*6 MI ST.i RFO L2I*6 L2MI LD.i*5 BRD*5 MO L2O*2 L2MO WB */
	/* a shared line: kept */
	EX lone_code0; RD lone_code0; OTHERS lone_code0; WR lone_code0; FLUSH; RD lone_code0 /* IM IF.i L2I*6 IFE LI*6 LD.s LD.i*4 BRD*4 L2O*2 ST.i RFO L2MI MO LD.m */
	EX lone_code1; RD lone_code1; OTHERS lone_code1; FLUSH; RD lone_code1 /* IM IF.i L2I*6 IFE LI*6 LD.s LD.i*5 BRD*5 L2O*2 */
	/* the last one: L2 has the line as soon as L1D owns it */
	EX lone_code2; RD lone_code2; OTHERS lone_code2; WR lone_code2 /* IM IF.i L2I*6 IFE LI*5 LD.s LD.i*4 BRD*4 L2O*2 ST.i RFO L2MI */
	EXIT

	/* Pages of one number modulo 32 share sets of L2: the lone ones have theirs for themselves. */
	.section .lines, "awx"
	.balign 0x20000
lines:	/* 0 to 14 */
	.skip 0x10000
spare:	/* 16 to 23 */
	.skip 0x8000
lone:	/* 24, 25, 26 */
	.skip 0x3000
	.irp n, 0, 1, 2 /* 27 to 29 */
lone_code\n:
	.skip 32*N, 0x90
	ret
	.balign 4096
	.endr
	.balign 0x20000
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 /* 0 to 12 */
code\n:
	.skip 32*N, 0x90
	ret
	.balign 4096
	.endr
	.balign 0x20000
much_code: /* 0 to 8 */
	.skip 0x8000, 0x90
	ret
	.balign 0x20000
	.skip 0x40000

