/* 32-bit code: stack operations, decimal arithmetic, segment loads, an address that wraps round. */
# bits 32
# expect p6: inst_retired = 16*N
# expect p6: uops_retired = (18+10+4+9+4+8+1+1+1+4+4+14+3+11+1+1)*N
# expect p6: data_mem_refs = (8+8+1+1+2+2+1+1+1+1+1+1)*N
# expect p6: segment_reg_loads = 2*N
# expect p6: br_inst_retired = 3*N
# expect p6: br_taken_retired = 3*N
# expect p6: dcu_lines_in = 0
# expect pentiumpro: inst_retired = 16*N
# expect p5: INSTRUCTIONS_EXECUTED = 16*N
# expect p5: BRANCHES = 3*N
# expect p5: ANY_SEGMENT_REGISTER_LOADED = 2*N
# expect p5: DATA_READ = 15*N
# expect p5: DATA_WRITE = 13*N
# expect p5: MISALIGNED_DATA_MEMORY_OR_I/O_REFERENCES = 0
#include "model.inc"
_start:
	lea esi, [data]
	lea edi, [far_pointer]
	mov ecx, -1
	LOOP 1
	pushad
	popad
	push ds
	pop es
	push dword ptr [esi]
	pop dword ptr [esi]
	inc eax
	daa
	mov eax, [esi+ecx*4+8]
	call 2f
	enter 8, 0
	leave
	les eax, [edi]
	NEXT 1b
	EXIT
2:	ret
	.data
	.balign 8
far_pointer:
	.long 0, 0x2b
