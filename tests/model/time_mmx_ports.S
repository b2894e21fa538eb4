/* Micro-ops of MMX by the port that takes them: two multiplies have port 0, a shift and a pack port 1, three loads port 2, the address of
 * the store port 3 (its data, on port 4, is in none). Two additions go to either. Masks add up. */
# bits both
# expect p6: mmx_uops_exec = 10*N
# expect p6: mmx_uops_exec:all = 10*N
# expect p6: mmx_uops_exec:port2 = 3*N
# expect p6: mmx_uops_exec:port3 = N
# expect p6: mmx_uops_exec:port0:port1 = 6*N
# expect p6: r0cb2 = 4*N
# between p6: mmx_uops_exec:port0 = 2*N .. 4*N
# between p6: mmx_uops_exec:port1 = 2*N .. 4*N
# expect p6: mmx_uops_exec:port2:cmask=2 = 0
# expect pentium2: r0fb2 = 10*N
# expect pentium2: r04b2 = 3*N
# expect pentium2: r08b2 = N
# expect pentium2: r03b2 = 6*N
# expect pentium2: r0bb2 = 7*N
#include "model.inc"
_start:
	LOOP 1
	pmullw mm0, mm1
	pmulhw mm2, mm1
	pslld mm3, 3
	packssdw mm4, mm1
	movq mm5, [data]
	movd mm6, [data + 8]
	paddw mm7, [data + 16]
	psubb mm7, mm1
	movq [data + 32], mm7
	NEXT 1b
	EXIT
