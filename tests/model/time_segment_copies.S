/* The second write of a segment register waits for the first: there is one copy besides the retired one. */
# bits 32
# expect p6: seg_rename_stalls = 4*N
# expect p6: seg_rename_stalls:es = N
# expect p6: seg_rename_stalls:ds = N
# expect p6: seg_rename_stalls:fs = N
# expect p6: seg_rename_stalls:gs = N
# expect pentium2: seg_rename_stalls = 4*N
#include "model.inc"
_start:
	mov esi, ds
	LOOP 1
	mov es, esi
	mov es, esi
	xor eax, eax
	cpuid
	mov ds, esi
	mov ds, esi
	xor eax, eax
	cpuid
	mov edi, fs
	mov fs, edi
	mov fs, edi
	xor eax, eax
	cpuid
	mov edi, gs
	mov gs, edi
	mov gs, edi
	xor eax, eax
	cpuid
	NEXT 1b
	EXIT
