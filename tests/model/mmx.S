/* MMX instructions by class; a change to x87 and back in each iteration. */
# expect pentium2: mmx_instr_exec = 9*N
# expect pentium2: mmx_instr_ret = 10*N
# expect pentium2: mmx_sat_instr_exec = 2*N
# expect pentium2: mmx_uops_exec = (1+1+1+1+2+1+1+1+11+1)*N
# expect pentium2: mmx_instr_type_exec:mul = N
# expect pentium2: mmx_instr_type_exec:shift = N
# expect pentium2: mmx_instr_type_exec:pack = N
# expect pentium2: mmx_instr_type_exec:unpack = N
# expect pentium2: mmx_instr_type_exec:logical = N
# expect pentium2: mmx_instr_type_exec:arith = 2*N
# expect pentium2: mmx_instr_type_exec:all = 7*N
# expect pentium2: fp_mmx_trans:to_fp = N
# expect pentium2: fp_mmx_trans:to_mmx = N
# expect pentium2: mmx_assist = N
# expect pentium2: r00cf = 2*N
# options pentium2: --raw
# expect p6: mmx_sat_instr_exec = 2*N
# expect p6: mmx_instr_type_exec = 7*N
# expect p6: mmx_assist = N
#include "model.inc"
_start:
	lea rsi, [data]
	LOOP 1
	pmullw mm0, mm1
	psllw mm0, 1
	packsswb mm0, mm1
	punpcklbw mm0, mm1
	pand mm0, [rsi]
	paddw mm0, mm1
	paddusb mm0, mm1
	movq mm2, mm0
	movq [rsi], mm2
	emms
	fnop
	NEXT 1b
	EXIT
