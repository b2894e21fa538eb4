/* N branches that were never taken are taken in a second pass, after a division that keeps them waiting. Behind each lies a
 * load whose address is known: with --wrong-path loads it brings its line in although it never retires. */
# options p6: --wrong-path loads
# options pentiumpro: --wrong-path off
# expect p6: dcu_lines_in = 2*N
# expect pentium2: dcu_lines_in = N
# expect pentiumpro: dcu_lines_in = N
# expect p6: br_miss_pred_retired = N
# expect pentium2: br_miss_pred_retired = N
# between p6: data_mem_refs = 2*N .. 9*N
# between p6: div = 2*N+1 .. 8*N
# expect pentium2: div = 2*N
# expect pentium2: data_mem_refs = N
# expect pentiumpro: data_mem_refs = N
# between pentium2: inst_decoded = 16*N .. 65*N
# expect pentiumpro: inst_decoded = 15*N
# expect p6: inst_retired = 15*N
# size 50
#include "model.inc"
_start:
	MAP 0x30000000, 0x20000
	mov ebx, 0x30000000
	mov ecx, 1
	mov eax, [rbx + 0xfe0]
	mov eax, [rbx + 0x10fe0]
	xor esi, esi
	jmp code
again:
	cmp esi, 1
	je done
	mov esi, 1
	add ebx, 0x10000
	mov eax, [rbx + 0xfe0]
	jmp code
done:
	EXIT
	.balign 64
code:
	.set i, 0
	.rept N
	mov eax, 8
	xor edx, edx
	div ecx
	add edx, esi
	cmp edx, 1
	je 2f
	mov eax, [rbx + i]
2:	nop
	.set i, i + 32
	.endr
	jmp again
