/* The forms on MMX registers that came with SSE: they are MMX instructions to the counters. */
# expect p6: mmx_uops_exec = (1+1+1+1+1+1+3+2+1+1+1+1+2+1+11)*N
# expect p6: mmx_instr_type_exec:arith = 7*N
# expect p6: mmx_instr_type_exec:mul = N
# expect p6: mmx_instr_type_exec:unpack = N
# expect pentium2: mmx_instr_exec = 15*N
# expect pentium2: mmx_instr_ret = 15*N
#include "model.inc"
_start:
	lea rdi, [data]
	LOOP 1
	pavgb mm0, mm1
	pavgw mm0, mm1
	pmaxsw mm0, mm1
	pmaxub mm0, mm1
	pminsw mm0, mm1
	pminub mm0, mm1
	psadbw mm0, mm1
	pextrw eax, mm0, 1
	pinsrw mm0, eax, 2
	pmovmskb eax, mm0
	pmulhuw mm0, mm1
	pshufw mm0, mm1, 3
	maskmovq mm0, mm1
	movntq [rdi], mm0
	emms
	NEXT 1b
	EXIT
