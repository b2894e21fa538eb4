/* Far transfers of 32-bit code: two words of the stack each way, three for IRET; branches that are always taken. */
# bits 32
# expect p6: inst_retired = 8*N
# expect p6: br_inst_retired = 4*N
# expect p6: br_taken_retired = 4*N
# expect p6: data_mem_refs = (2+2+1+1+1+3)*N
# expect p5: INSTRUCTIONS_EXECUTED = 8*N
# expect p5: BRANCHES = 4*N
# expect p5: DATA_READ = 5*N
# expect p5: DATA_WRITE = 5*N
#include "model.inc"
_start:
	LOOP 1
	lcall 0x23, offset 3f
	pushfd
	push cs
	push offset 2f
	iretd
2:	NEXT 1b
	EXIT
3:	retf
