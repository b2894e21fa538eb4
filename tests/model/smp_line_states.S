/* What becomes of lines when another processor reads them or wants them for itself, as line_states.S has it for one processor. Each array of lines
 * takes part in four phases: processor 0, processor 1, processor 0 again, and 0 once more when L1D was emptied. */
# options p6: --cpus 2 --quantum 1000000000 --walks off
# expect p6: dcu_lines_in = 40*N
# expect p6: dcu_m_lines_in = 9*N
# expect p6: dcu_m_lines_out = 13*N
# expect p6: l2_lines_in = 36*N
# expect p6: l2_m_lines_inm = 9*N
# expect p6: l2_lines_out = 9*N
# expect p6: l2_m_lines_outm = 1*N
# expect p6: bus_tran_brd:self = 21*N
# expect p6: bus_tran_rfo:self = 9*N
# expect p6: bus_tran_ifetch:self = 6*N
# expect p6: bus_tran_inval:self = 5*N
# expect p6: bus_trans_wb:self = 9*N
# expect p6: ifu_ifetch_miss = 6*N
# expect p6: l2_ld:m = 1*N
# expect p6: l2_ld:e = 0*N
# expect p6: l2_ld:s = 9*N
# expect p6: l2_ld:i = 21*N
# expect p6: l2_st:m = 0*N
# expect p6: l2_st:e = 0*N
# expect p6: l2_st:s = 5*N
# expect p6: l2_st:i = 9*N
# expect p6: l2_ifetch:m = 0*N
# expect p6: l2_ifetch:e = 0*N
# expect p6: l2_ifetch:s = 0*N
# expect p6: l2_ifetch:i = 6*N
# expect p6: bus_hit_drv = 8*N
# expect p6: bus_hitm_drv = 9*N
# size 8
#include "smp.inc"
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
	.text
_start:
	SPAWN other
	/* what each array counts, per line, in all phases; names as in line_states.S, HIT bus_hit_drv, HITM bus_hitm_drv:
	 * lines: LI*2 LD.i*2 L2I*2 BRD*2 HIT ST.s INV L2O MO (read by the other: E becomes shared, which a store shows)
	 * lines+0x1200: LI*3 LD.i*2 L2I*2 BRD*2 HIT LD.s
	 * lines+0x2400: LI*3 LD.i*2 L2I*2 BRD*2 HIT LD.s (... in L2 alone)
	 * lines+0x3600: LI*2 MI ST.i L2I*2 L2MI RFO LD.i BRD HITM MO*2 WB ST.s INV L2O (M becomes shared and is written back)
	 * lines+0x4800: LI*3 MI ST.i L2I*2 L2MI RFO LD.i BRD HITM MO WB LD.s
	 * lines+0x5a00: LI*3 MI ST.i L2I*2 L2MI RFO MO LD.i BRD HITM WB LD.s (... in L2 alone)
	 * lines+0x6c00: LI*3 MI ST.i L2I*2 L2MI RFO MO*2 LD.m LD.i BRD HITM WB ST.s INV L2O (... L1D has it in E)
	 * code0: IM IF.i L2I*2 IFE LI*2 LD.s LD.i BRD HIT ST.s INV L2O MO (shared stays shared)
	 * code1: IM IF.i L2I*2 IFE LI*3 LD.s*2 LD.i BRD HIT
	 * code2: IM IF.i L2I*2 IFE LI LD.i BRD HIT (... in L1I, too)
	 * lines+0x7e00: LI*2 LD.i*2 L2I*2 BRD*2 HIT ST.s INV L2O (what the other reads is shared there, too)
	 * lines+0x9000: LI*3 LD.i*2 L2I*2 BRD*2 HIT LD.s
	 * lines+0xa200: LI*3 LD.i*2 L2I*3 BRD*2 MI ST.i L2MI RFO L2O HITM MO WB (taken by the other)
	 * lines+0xb400: LI*3 MI*2 ST.i*2 L2I*3 L2MI*2 RFO*2 MO*2 L2O L2MO HITM*2 WB*2 LD.i BRD
	 * code3: IM IF.i L2I*3 IFE LI*3 LD.s MI ST.i L2MI RFO L2O LD.i BRD HITM MO WB
	 * code4: IM*2 IF.i*2 L2I*3 IFE*2 LI MI ST.i L2MI RFO L2O HITM MO WB
	 */
	RD lines+0x2400
	WR lines+0x5a00
	WR lines+0x6c00
	FLUSH
	RD lines
	RD lines+0x1200
	WR lines+0x3600
	WR lines+0x4800
	RD lines+0x6c00
	EX code0; RD code0
	EX code1; RD code1
	EX code2
	RD lines+0x7e00
	RD lines+0x9000
	RD lines+0xa200
	WR lines+0xb400
	EX code3; RD code3
	EX code4
	HAND_OVER
	WR lines
	RD lines+0x2400
	WR lines+0x3600
	RD lines+0x5a00
	WR lines+0x6c00
	WR code0
	EX code2
	RD lines+0xa200
	RD lines+0xb400
	RD code3
	EX code4
	FLUSH
	RD lines+0x1200
	RD lines+0x4800
	RD code1
	EXIT
other:
	RD lines+0x9000; FLUSH; RD lines+0x9000
	RD lines
	RD lines+0x1200
	RD lines+0x2400
	RD lines+0x3600
	RD lines+0x4800
	RD lines+0x5a00
	RD lines+0x6c00
	RD code0
	RD code1
	RD code2
	RD lines+0x7e00; WR lines+0x7e00
	WR lines+0xa200
	WR lines+0xb400
	WR code3
	WR code4
	HAND_OVER
	EXIT

	/* Pages of one number modulo 32 share sets of L2; no more than four lines share one of L1D. */
	.section .lines, "awx"
	.balign 0x20000
lines:	/* 0 to 15 */
	.skip 0x10000
spare:	/* 16 to 23 */
	.skip 0x8000
	.balign 0x20000
	.irp n, 0, 1, 2, 3, 4
	.skip 0x400+0x200*\n
code\n:
	.skip 32*N, 0x90
	ret
	.balign 4096
	.endr
