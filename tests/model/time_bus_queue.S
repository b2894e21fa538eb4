/* Loads from memory that depend on nothing, with more fill buffers than the four that there are: eight transactions are on the bus
 * at a time, never more; with the four, four. */
# options pentiumpro: --walks off --set fill_buffers=14
# between pentiumpro: bus_req_outstanding:c=8 = N .. 200*N
# expect pentiumpro: bus_req_outstanding:c=9 = 0
# options p6: --walks off
# between p6: bus_req_outstanding:c=4 = N .. 200*N
# expect p6: bus_req_outstanding:c=5 = 0
# size 1000
#include "model.inc"
_start:
	lea rsi, [data]
	LOOP 1
	.set at, 0
	.rept 14
	mov eax, [rsi + at]
	.set at, at + 32
	.endr
	add rsi, 14 * 32
	NEXT 1b
	EXIT
