# Both readings of CC: a pair is two instructions in one clock; a branch, and a pair, is one of its clock.
# bits 32
# expect p5: INSTRUCTIONS_EXECUTED = 4*N
# expect p5: INSTRUCTIONS_EXECUTED:occ = 4*N
# expect p5: INSTRUCTIONS_EXECUTED:clk = 2*N
# expect p5: INSTRUCTIONS_EXECUTED_V_PIPE:clk = 2*N
# expect p5: BRANCHES:clk = N
# expect pentium-mmx: INSTRUCTIONS_EXECUTED:clk = 2*N
# expect pentium-mmx: TAKEN_BRANCHES:clk = N
	.intel_syntax noprefix
	.globl _start
	.text
_start:
	mov	ecx, N
	jmp	again
	.p2align 5
again:
	mov	eax, ebx
	mov	edx, esi
	dec	ecx
	jnz	again
	mov	eax, 1
	xor	ebx, ebx
	int	0x80
