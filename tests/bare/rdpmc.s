# rdpmc.s -- RDPMC, LOCK RDPMC and RDTSC in each mode: a text for softpmu bare --code, which writes what each did on the console.
#
# A word for each mode: real, V86, 16-bit code at CPL 0 and 3, 32-bit code at CPL 0 and 3. Its letters: RDPMC without CR4.PCE with ECX
# 0, 1, 2 and 10000H; the same with PCE; LOCK RDPMC with PCE; RDTSC without CR4.TSD and with it. A letter is the digit that the
# counter holds (3 or 5), T for a time stamp, G for a general-protection fault with error code 0 (g: another one), U for an invalid
# opcode, ? for another value. The code that is tried has the same bytes in 16- and 32-bit code.
#
# ESI: the mode, EDI: which of its letters, EBX: the code, EBP: CR4.
	jmp	start

rdpmc_:	.byte	0x0f, 0x33, 0xcd, 0x80		# RDPMC; INT 80H
lock_:	.byte	0xf0, 0x0f, 0x33, 0xcd, 0x80	# LOCK RDPMC; INT 80H
rdtsc_:	.byte	0x0f, 0x31, 0xcd, 0x80		# RDTSC; INT 80H

	.balign	8
# The letters of a mode: code, CR4, ECX.
letters:
	.long	rdpmc_, 0, 0, rdpmc_, 0, 1, rdpmc_, 0, 2, rdpmc_, 0, 0x10000
	.long	rdpmc_, 0x100, 0, rdpmc_, 0x100, 1, rdpmc_, 0x100, 2, rdpmc_, 0x100, 0x10000
	.long	lock_, 0x100, 0, rdtsc_, 0, 0, rdtsc_, 4, 0
letters_end:
# The modes behind real mode: CS, SS, EFLAGS.
modes:	.long	0, 0, 0x23002			# V86, IOPL 3
	.long	0x18, 0x10, 0x0002		# 16 bits, CPL 0
	.long	0x33, 0x3b, 0x3002		# 16 bits, CPL 3
	.long	0x08, 0x10, 0x0002		# 32 bits, CPL 0
	.long	0x43, 0x3b, 0x3002		# 32 bits, CPL 3
modes_end:
gdt:	.quad	0
	.long	0xffff, 0xcf9a00		# 08H: 32-bit code, level 0
	.long	0xffff, 0xcf9200		# 10H: data
	.long	0xffff, 0x8f9a00		# 18H: 16-bit code
	.quad	0
	.long	0x00000067, 0x8905		# 28H: a TSS at 50000H
	.long	0xffff, 0x8ffa00		# 33H: 16-bit code, level 3
	.long	0xffff, 0xcff200		# 3BH: data, level 3
	.long	0xffff, 0xcffa00		# 43H: 32-bit code, level 3
gdtr:	.word	71
	.long	gdt
idtr:	.word	0x7ff
	.long	0x60000				# memory that is 0

# ---- real mode ---------------------------------------------------------------------------------------------------------------------
# EAX to the register CL of a P6's and of a Pentium's two counters; each ignores the other one's.
start:	xor	edx, edx
	mov	eax, 3
	mov	ecx, 0xc1
	wrmsr
	mov	ecx, 0x12
	wrmsr
	mov	eax, 5
	mov	ecx, 0xc2
	wrmsr
	mov	ecx, 0x13
	wrmsr
	mov	dword ptr [13 * 4], offset real_gp
	mov	dword ptr [6 * 4], offset real_ud
	mov	dword ptr [0x80 * 4], offset real_value
	mov	edi, offset letters
real:	mov	ebx, [edi]
	mov	ebp, [edi + 4]
	mov	ecx, [edi + 8]
	mov	cr4, ebp
	jmp	bx
real_gp: mov	al, 'G'
	jmp	real_out
real_ud: mov	al, 'U'
	jmp	real_out
real_value: cmp	bx, offset rdtsc_
	mov	cl, 'T'
	je	real_is
	mov	cl, '?'
	test	edx, edx
	jnz	real_is
	cmp	eax, 9
	ja	real_is
	add	al, '0'
	mov	cl, al
real_is: mov	al, cl
real_out: mov	sp, 0x7c00
	mov	dx, 0x3f8
	out	dx, al
	add	edi, 12
	cmp	edi, offset letters_end
	jb	real
	lgdt	[gdtr]
	mov	eax, cr0
	or	al, 1
	mov	cr0, eax
	.byte	0x66, 0xea			# far jump
	.long	protected
	.word	8

# ---- protected mode ----------------------------------------------------------------------------------------------------------------
	.code32
# gate EAX: an interrupt gate of level 3 to EDX
gate:	lea	eax, [eax * 8 + 0x60000]
	mov	[eax], dx
	mov	word ptr [eax + 2], 8
	mov	word ptr [eax + 4], 0xee00
	mov	word ptr [eax + 6], 0
	ret
protected:
	mov	ax, 0x10
	mov	ds, eax
	mov	es, eax
	mov	ss, eax
	mov	esp, 0x7000
	mov	dword ptr [0x50004], 0x7000	# stack of level 0
	mov	dword ptr [0x50008], 0x10
	mov	ax, 0x28
	ltr	ax
	lidt	[idtr]
	mov	eax, 13
	mov	edx, offset gp
	call	gate
	mov	eax, 6
	mov	edx, offset ud
	call	gate
	mov	eax, 0x80
	mov	edx, offset value
	call	gate
	mov	esi, offset modes
mode:	mov	al, ' '
	mov	dx, 0x3f8
	out	dx, al
	mov	edi, offset letters
letter:	mov	ebx, [edi]
	mov	ebp, [edi + 4]
	mov	ecx, [edi + 8]
	mov	cr4, ebp
	push	0				# GS, FS, DS, ES of V86
	push	0
	push	0
	push	0
	push	dword ptr [esi + 4]
	push	0x6800
	push	dword ptr [esi + 8]
	push	dword ptr [esi]
	push	ebx
	iretd
gp:	pop	edx
	mov	cl, 'G'
	test	edx, edx
	jz	out_
	mov	cl, 'g'
	jmp	out_
ud:	mov	cl, 'U'
	jmp	out_
value:	cmp	ebx, offset rdtsc_
	mov	cl, 'T'
	je	out_
	mov	cl, '?'
	test	edx, edx
	jnz	out_
	cmp	eax, 9
	ja	out_
	add	al, '0'
	mov	cl, al
out_:	mov	ax, 0x10
	mov	ds, eax
	mov	es, eax
	mov	ss, eax
	mov	esp, 0x7000
	mov	al, cl
	mov	dx, 0x3f8
	out	dx, al
	add	edi, 12
	cmp	edi, offset letters_end
	jb	letter
	add	esi, 12
	cmp	esi, offset modes_end
	jb	mode
