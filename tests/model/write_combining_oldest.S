/* Four write-combining buffers: five lines get 8 bytes each, so the first one's leaves as a partial write. The other four are completed and leave whole. */
# options p6: --walks off
# expect p6: bus_trans_wb = 4*N
# expect p6: bus_tran_pwr = N
# size 50
#include "model.inc"
	.bss
	.balign 4096
lines:
	.skip 101*160
	.text
_start:
	lea rsi, [lines]
	LOOP 1
	.irp n, 0, 1, 2, 3, 4
	movnti [rsi+32*\n], rax
	.endr
	.irp n, 1, 2, 3, 4
	movnti [rsi+32*\n+8], rax
	movnti [rsi+32*\n+16], rax
	movnti [rsi+32*\n+24], rax
	.endr
	add rsi, 160
	NEXT 1b
	EXIT
