/* What becomes of lines of L1D that L2 replaces with --replace lru, as line_states.S has it without. */
# options p6: --walks off --replace lru
# expect p6: dcu_lines_in = 36*N
# expect p6: dcu_m_lines_in = 2*N
# expect p6: dcu_m_lines_out = 5*N
# expect p6: l2_lines_in = 36*N
# expect p6: l2_m_lines_inm = 3*N
# expect p6: l2_lines_out = 12*N
# expect p6: l2_m_lines_outm = 2*N
# expect p6: bus_tran_brd = 31*N
# expect p6: bus_tran_rfo = 3*N
# expect p6: bus_tran_ifetch = 2*N
# expect p6: bus_tran_inval = 0*N
# expect p6: bus_trans_wb = 4*N
# expect p6: ifu_ifetch_miss = 2*N
# expect p6: l2_ld:m = 1*N
# expect p6: l2_ld:e = 0*N
# expect p6: l2_ld:s = 2*N
# expect p6: l2_ld:i = 31*N
# expect p6: l2_st:m = 0*N
# expect p6: l2_st:e = 0*N
# expect p6: l2_st:s = 0*N
# expect p6: l2_st:i = 3*N
# expect p6: l2_ifetch:m = 0*N
# expect p6: l2_ifetch:e = 0*N
# expect p6: l2_ifetch:s = 0*N
# expect p6: l2_ifetch:i = 2*N
# size 32
#include "model.inc"
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
	.macro FLUSH a
	READ_LINES spare, 1024
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
	/* L2 replaces a clean line: L1D keeps it; a modified line that L2 does not have goes to the bus */
	RD lone; OTHERS lone; WR lone; FLUSH; RD lone /* LI*6 LD.i*6 L2I*6 BRD*6 L2O*2 MO WB */
	RD lone+0x1000; OTHERS lone+0x1000; FLUSH; RD lone+0x1000 /* LI*6 LD.i*6 L2I*6 L2O*2 BRD*6 */
	/* a modified line is written back and stays in L1D */
	WR lone+0x2000; OTHERS lone+0x2000; RD lone+0x2000; FLUSH; RD lone+0x2000 /* LI*6 MI ST.i L2I*6 L2MI RFO LD.i*5 BRD*5 MO L2O*2 L2MO WB */
	/* ... exclusive */
	WR lone+0x3000; OTHERS lone+0x3000; WR lone+0x3000; FLUSH; RD lone+0x3000 /* LI*6 MI ST.i L2I*6 L2MI RFO LD.i*5 BRD*5 MO*2 L2O*2 L2MO WB*2 */
	/* a shared line: kept */
	EX lone_code0; RD lone_code0; OTHERS lone_code0; WR lone_code0; FLUSH; RD lone_code0 /* IM IF.i L2I*6 IFE LI*6 LD.s LD.i*4 BRD*4 L2O*2 ST.i RFO L2MI MO LD.m */
	EX lone_code1; RD lone_code1; OTHERS lone_code1; FLUSH; RD lone_code1 /* IM IF.i L2I*6 IFE LI*6 LD.s LD.i*5 BRD*5 L2O*2 */
	EXIT

	/* Pages of one number modulo 32 share sets of L2. */
	.section .lines, "awx"
	.balign 0x20000
	.skip 0x10000
spare:	/* 16 to 23 */
	.skip 0x8000
lone:	/* 24 to 27 */
	.skip 0x4000
	.irp n, 0, 1 /* 28, 29 */
lone_code\n:
	.skip 32*N, 0x90
	ret
	.balign 4096
	.endr
	.skip 0x80000
