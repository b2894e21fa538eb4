/* Lines that one processor has are written past its caches by the other: the copies go, modified ones are
 * written back first. */
# options p6: --cpus 2 --quantum 1000000000 --walks off
# expect p6: bus_trans_wb:self = 2*N
# expect p6: bus_hitm_drv = N
# expect p6: bus_hit_drv = 0
# expect p6: bus_drdy_clocks:any = 12*N*9/2
# expect p6: l2_lines_out = N
# expect p6: l2_m_lines_outm = N
# expect p6: bus_tran_rfo = N
# size 200
#include "smp.inc"
_start:
	SPAWN other
	WRITE_LINES data, N
	HAND_OVER
	EXIT
other:
	lea rsi, [data]
	mov ecx, N
1:	movntps [rsi], xmm0
	movntps [rsi + 16], xmm0
	add rsi, 32
	dec ecx
	jnz 1b
	sfence
	EXIT
