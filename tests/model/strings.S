/* Repeated string instructions: fast and slow forms, references per element; the search ends at once. */
# expect p6: uops_retired = (215+2*100 + 6*20 + 185+150 + 5*16 + 12+7 + 15)*N
# expect p6: data_mem_refs = (200 + 40 + 100 + 16 + 1)*N
# expect p6: inst_retired = 20*N
#include "model.inc"
_start:
	cld
	mov eax, 1
	LOOP 1
	lea rsi, [scratch]
	lea rdi, [data]
	mov ecx, 100
	rep movsd
	lea rsi, [scratch]
	lea rdi, [data]
	mov ecx, 20
	rep movsd
	lea rdi, [data]
	mov ecx, 100
	rep stosd
	lea rdi, [data]
	mov ecx, 16
	rep stosb
	lea rdi, [data]
	mov ecx, 10
	mov eax, 1
	repne scasb
	NEXT 1b
	EXIT
