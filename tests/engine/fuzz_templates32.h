/* fuzz_templates32.h -- 32-bit instructions for fuzz_insn32.c, in AT&T syntax with blanks to fill in.
 *
 * LEGEND  as in fuzz_templates.h, with #l #L for whole registers; #m #a memory; #d #D #m or #l/#L; and
 *         #g            operand relative to GS            #h  the same with a 16-bit address
 *         #A            MOV's absolute address, GS-relative at times
 *         | names       registers written besides
 *         #J            16-bit constant   #k #K  0..255 and 1..255   #f  offset of a byte near GS's base
 * UNDEFINED FLAGS  the entry reads the defined ones and then sets them all.
 */
#ifndef FUZZ_TEMPLATES32_H
#define FUZZ_TEMPLATES32_H

#define ALU(op)                                                                                    \
	op "b #b,#B", op "w #w,#W", op "l #d,#L", op "l #l,#m", op "b #b,#m", op "b #m,#B",        \
	op "l $#j,#m", op "l $#i,#L", op "l $#j,%eax|eax", op "w $#J,#m", op "b $#i,#m",         \
	op "l #g,#L", op "l #l,#g", op "b #b,#g", op "w #h,#W", op "b #h,#B"
#define SHIFT(op) op "b %cl,#B", op "l %cl,#L", op "l %cl,#m", op "l $#n,#L", op "w #m", op "l $#n,#g"
#define UNARY(op) op "b #B", op "l #L", op "l #m", op "w #W", op "w #m", op "b #g"
#define FIX_CF "; setc %bl; testb %bl,%bl"
#define BITOP(op) op "l $#n,#L" FIX_CF "|ebx", op "l $#n,#m" FIX_CF "|ebx", op "l #l,#L" FIX_CF "|ebx", op "w $#n,#g" FIX_CF "|ebx"
#define SSE(op) op " #x,#x", op " #a,#x"
#define SSES(op) op " #x,#x", op " #m,#x"

static const char *const fuzz_templates[] = {
	/* moves and addresses */
	"movl #d,#L", "movl #l,#m", "movw #m,#W", "movw #w,#m", "movb #m,#B", "movb #b,#m", "movb #b,#B",
	"movl #m,#L", "movl #l,#m", "movl #l,#L", "movl $#j,#L", "movl $#j,#m", "movb $#n,#m", "movb $#n,#B",
	"movw $#J,#m", "movl #g,#L", "movl #l,#g", "movb #g,#B", "movb #b,#g", "movl #h,#L", "movb #b,#h",
	"movl #A,%eax|eax", "movl %eax,#A", "movb #A,%al|eax", "movb %al,#A", "movw #A,%ax|eax", "movw %ax,#A",
	"leal #m,#L", "leaw #m,#W", "leal 12(%bx,%si),#L", "leaw -5(%di),#W", "leal 7(,%eax,8),#L", "addr16 movl %gs:17,#L",
	"movzbl #m,#L", "movzbl #b,#L", "movzwl #m,#L", "movsbl #m,#L", "movswl #w,#L", "movsbw #b,#W", "movsbl #g,#L",
	"xchgl #L,#L", "xchgl #L,#m", "xchgb #B,#m", "xchgl #L,%eax|eax", "xchgb #B,#B", "xchgw #W,%ax|eax", "bswapl #L",
	"cmov#cl #d,#L", "cmov#cw #w,#W", "set#c #B", "set#c #m", "set#c #g", "cbtw|eax", "cwtl|eax", "cltd|edx", "cwtd|edx",
	"movl $#e,%ebx; andl $15,%eax; xlat|eax ebx", "movl $#f,%ebx; andl $15,%eax; xlat %gs:(%ebx)|eax ebx",
	"nopl #m", "nopw #m", "nop", "pause", "endbr32",
	/* arithmetic */
	ALU("add"), ALU("sub"), ALU("adc"), ALU("sbb"), ALU("and"), ALU("or"), ALU("xor"), ALU("cmp"),
	"lock addl #l,#m", "lock xorb $#i,#m", "lock adcl #l,#m", "lock subl #l,#g",
	"testl #l,#l", "testb #b,#m", "testl $#j,#m", "testb $#i,%al", "testw $#J,#W",
	UNARY("inc"), UNARY("dec"), UNARY("neg"), UNARY("not"), "lock incl #m", "lock decl #g",
	".byte 0x66; inc %eax|eax", ".byte 0x40|eax", ".byte 0x4a|edx", ".byte 0x66,0x4e|esi",
	".byte 0x82,0xc0,#k|eax", ".byte 0x82,0xeb,#k|ebx", ".byte 0x82,0xfc,#k",
	SHIFT("shl"), SHIFT("shr"), SHIFT("sar"), SHIFT("rol"), SHIFT("ror"), SHIFT("rcl"), SHIFT("rcr"),
	"shldl %cl,#l,#L", "shrdl $#n,#l,#m", "shldl $#n,#l,#g", "shrdl %cl,#l,#m",
	"mull #l; setc %bl; seto %bh; testl %ebx,%ebx|eax edx ebx", "mull #m; setc %bl; seto %bh; testl %ebx,%ebx|eax edx ebx",
	"imull #d,#L; setc %bl; seto %bh; testl %ebx,%ebx|ebx", "imull $#j,#d,#L; setc %bl; seto %bh; testl %ebx,%ebx|ebx",
	"imull $#i,#l,#L; setc %bl; seto %bh; testl %ebx,%ebx|ebx", "mulb #b; setc %bl; seto %bh; testl %ebx,%ebx|eax ebx",
	"xorl %edx,%edx; movl $#j,%ecx; orl $1,%ecx; divl %ecx; testl %eax,%eax|eax edx ecx",
	"movl $#n,%eax; cltd; movl $5,%ecx; idivl %ecx; testl %eax,%eax|eax edx ecx",
	BITOP("bt"), BITOP("bts"), BITOP("btr"), BITOP("btc"),
	"movl $-#n,%ecx; btl %ecx,#m; setc %bl; testb %bl,%bl|ecx ebx", "movl $#n,%edi; btsl %edi,#m; setc %bl; testb %bl,%bl|edi ebx",
	"movl $#N,%eax; btcl %eax,#g; setc %bl; testb %bl,%bl|eax ebx", "movw $#n,%dx; btrw %dx,#m; setc %bl; testb %bl,%bl|edx ebx",
	"movl $#n,%ecx; lock btsl %ecx,#m; setc %bl; testb %bl,%bl|ecx ebx",
	"bsfl #d,#L; setz %bl; testb %bl,%bl|ebx", "bsrl #l,#L; setz %bl; testb %bl,%bl|ebx",
	"cmpxchgl #l,#m|eax", "lock cmpxchgl #l,#g|eax", "cmpxchgl #l,#L|eax", "lock cmpxchgb #b,#m|eax",
	"xaddl #L,#L", "lock xaddl #L,#m", "xaddb #B,#m", "lock cmpxchg8b #m|eax edx",
	/* decimal; SF ZF PF OF, CF of AAM and AAD are undefined in places */
	"daa; sbbl %ebx,%ebx; testb %al,%al|eax ebx", "das; sbbl %ebx,%ebx; testb %al,%al|eax ebx",
	"aaa; sbbl %ebx,%ebx; testb %al,%al|eax ebx", "aas; sbbl %ebx,%ebx; testb %al,%al|eax ebx",
	"addb #b,%al; daa; setc %bl; testb %bl,%bl|eax ebx", "subb #b,%al; das; setc %bl; testb %bl,%bl|eax ebx",
	"addb #b,%al; aaa; setc %bl; testb %bl,%bl|eax ebx", "subb #b,%al; aas; setc %bl; testb %bl,%bl|eax ebx",
	"aam; setz %bl; testb %bl,%bl|eax ebx", "aad; sets %bl; testb %bl,%bl|eax ebx", "aam $#K; testb %al,%al|eax", "aad $#k; testb %al,%al|eax",
	".byte 0xd6|eax",
	/* flags */
	"lahf|eax", "sahf", "cmc", "stc", "clc", "std", "cld",
	"pushfl; andl $0xed5,(%esp); popfl", "pushl $0x8d5; popfl", "pushfw; andw $0xed5,(%esp); popfw",
	/* stack */
	"pushl #l", "popl #L", "pushl #l; popl #L", "pushl #m", "popl #m", "pushl #g", "popl #g", "pushl #h",
	"pushl $#i", "pushl $#j", "pushw #w", "popw #W", "pushw $#i", "pushw $#J", "pushw #m", "popw #m", "popw #g",
	"enter $16,$0; leave|ebp", "enter $#N,$1; leave|ebp", "movl %esp,%ebp; enter $4,$3; leave|ebp", "enterw $6,$0; movl %esp,%ebp; leal 6(%esp),%ebp; leavew|ebp",
	"pushl %ebp; movl %esp,%ebp; leave|ebp", "pushl %esp; popl #L", "pushl (%esp); popl 8(%esp)", "popl (%esp); subl $4,%esp",
	"pushal; popal", "pushal; popl #L; addl $28,%esp", "leal -32(%esp),%esp; popal|eax ecx edx ebx esp ebp esi edi", "pushaw; addl $16,%esp", "leal -16(%esp),%esp; popaw|eax ecx edx ebx esp ebp esi edi",
	"pushl %ds; andl $0xffff,(%esp); addl $4,%esp", "pushl %cs; andl $0xffff,(%esp); popl #L", "pushl %ss; andl $0xffff,(%esp); popl %ss",
	"pushl %es; andl $0xffff,(%esp); popl %es", "pushl %fs; andl $0xffff,(%esp); popl %fs", "pushw %ds; popw #W",
	/* segment registers */
	"movl %ds,#L", "movw %cs,#W", "movw %ss,#m", "movw %es,#g", "movl %fs,#L", "movw %ds,%ax; movw %ax,%es|eax",
	"pushl %ds; andl $0xffff,(%esp); pushl $#j; ldsl (%esp),%eax; leal 8(%esp),%esp|eax", "pushl %ds; andl $0xffff,(%esp); pushl $#j; lesl (%esp),%ecx; leal 8(%esp),%esp|ecx", "pushl %ss; andl $0xffff,(%esp); pushl $#j; lssl (%esp),%edx; leal 8(%esp),%esp|edx",
	"pushl $0x7fff0000; pushl $-0x7fff0000; movl $#n,%ecx; bound %ecx,(%esp); leal 8(%esp),%esp|ecx", "movb $1,%al; negb %al; into|eax",
	"movl $#n,%eax; movl $#n,%ecx; arpl %cx,%ax|eax ecx", "movl $#n,%edx; arpl %dx,#m|edx",
	"larl %ecx,%ecx; setz %bl; testb %bl,%bl|ecx ebx",
	/* strings */
	"movl $#N,%ecx; movl $#e,%esi; movl $#e,%edi; cld; rep movsb|ecx esi edi", "movl $#N,%ecx; movl $#e,%esi; movl $#e,%edi; std; rep movsl; cld|ecx esi edi",
	"movl $#N,%ecx; movl $#e,%edi; rep stosw|ecx edi", "movl $#N,%ecx; movl $#e,%edi; rep stosl|ecx edi", "movl $#N,%ecx; movl $#e,%esi; rep lodsb|ecx esi eax",
	"movl $#N,%ecx; movl $#e,%esi; movl $#e,%edi; repe cmpsb|ecx esi edi", "movl $#N,%ecx; movl $#e,%esi; movl $#e,%edi; repne cmpsw|ecx esi edi",
	"movl $#N,%ecx; movl $#e,%edi; repne scasb|ecx edi", "movl $#N,%ecx; movl $#e,%edi; repe scasl|ecx edi",
	"movl $#e,%esi; lodsl|esi eax", "movl $#e,%edi; stosb|edi", "movl $#e,%esi; movl $#e,%edi; movsw|esi edi", "movl $#e,%edi; scasl|edi", "movl $#e,%esi; movl $#e,%edi; cmpsl|esi edi",
	/* control transfer */
	"j#c 1f; #I; 1:", "j#c 1f; #I; 1: #I", "cmpl #d,#l; j#c 1f; #I; 1:", "jecxz 1f; #I; 1:", "jcxz 1f; #I; 1:",
	"movl $#N,%ecx; incl %ecx; 1: nop; loop 1b|ecx", "movl $9,%ecx; 1: cmpl #l,#l; loope 1b|ecx", "movl $9,%ecx; 1: testl #l,#l; loopne 1b|ecx",
	"movl $0x70003,%ecx; 1: addl $1,%edx; .byte 0x67; loop 1b|ecx edx", "movl $0x70009,%ecx; 1: cmpl #l,#l; .byte 0x67; loope 1b|ecx", "movl $0x70009,%ecx; 1: testl #l,#l; .byte 0x67; loopne 1b|ecx", "movl $0x50000,%ecx; jcxz 1f; ud2; 1:|ecx",
	"xorl %ecx,%ecx; jecxz 1f; ud2; 1:|ecx", "jmp 1f; ud2; 1:", "movl $1f,%edi; jmp *%edi; ud2; 1:|edi", "movl $1f,%eax; jmp *%eax; ud2; 1:|eax", "movl $1f,%ecx; jmp *%ecx; ud2; 1:|ecx",
	"movl $2f,%esi; call *%esi; jmp 3f; 2: #I; ret; 3:|esi", "call 2f; jmp 3f; 2: #I; ret; 3:", "call 2f; jmp 3f; 2: ret; 3:", "pushl $0; call 2f; jmp 3f; 2: #I; ret $4; 3:",
	"movl $2f,%edx; movl %edx,#p; call *#P; jmp 3f; 2: #I; ret; 3:|edx", "movl $1f,%edx; movl %edx,#p; jmp *#P; ud2; 1:|edx",
	"movl $1f,%ecx; movl %ecx,%gs:16; jmp *%gs:16; ud2; 1:|ecx", "movl $2f,%ecx; movl %ecx,%gs:24; call *%gs:24; jmp 3f; 2: #I; ret; 3:|ecx",
	"pushl $1f; ret; ud2; 1:", "call 1f; 1: popl %eax|eax", "call 1f; 1: popl #L", "call 1f; 1: subl $1b,(%esp); popl #L",
	"movl $2f-8,%esi; movl $2,%ecx; call *(%esi,%ecx,4); jmp 3f; .balign 4; 2: .long 4f; 4: #I; ret; 3:|esi ecx",
	"movl %esp,%ebp; movl $2f,%edx; movl %edx,-4(%esp); subl $4,%esp; call *(%esp); jmp 3f; 2: ret; 3: leave; subl $4,%esp|ebp edx",
	"call 2f; jmp 3f; 2: popl %edx; pushl %edx; ret; 3:|edx",
	/* emulated */
	"xorl %eax,%eax; cpuid; xorl %eax,%eax; xorl %ebx,%ebx; xorl %ecx,%ecx; xorl %edx,%edx|eax ebx ecx edx",
	"pushl %ebx; movl $20,%eax; int $0x80; xorl %eax,%eax; popl %ebx|eax",
	/* SSE, SSE2 */
	SSE("addps"), SSE("mulps"), SSE("subpd"), SSE("divps"), SSE("sqrtps"), SSE("maxps"), SSE("andnps"), SSE("unpcklps"), SSE("paddd"), SSE("pmaddwd"), SSE("pxor"),
	SSES("addss"), SSES("mulsd"), SSES("comisd"), SSES("ucomiss"), SSES("cvtss2sd"),
	"movups #m,#x", "movups #x,#m", "movups #g,#x", "movaps #a,#x", "movaps #x,#a", "movss #m,#x", "movlps #x,#m", "movntps #x,#a", "movntil #l,#m", "movd #l,#x", "movd #x,#L",
	"movd #x,#g", "pinsrw $#N,#l,#x", "pextrw $#N,#x,#L", "pmovmskb #x,#L", "shufps $#n,#a,#x", "cmpps $#t,#x,#x", "cvtsi2ssl #d,#x", "cvttsd2sil #x,#L", "cvtsi2sdl #g,#x",
	"prefetcht0 #m", "prefetchnta #g", "lfence", "mfence", "ldmxcsr mxcsr_in", "stmxcsr #m", "movl $#e,%edi; maskmovdqu #x,#x|edi", "clflush #m",
	/* MMX, x87 */
	"movq #m,#o", "movq #o,#m", "paddb #m,#o", "pmulhw #o,#o", "movd #l,#o", "movd #o,#L", "movq #g,#o", "pmovmskb #o,#L", "pshufw $#n,#m,#o",
	"emms; fldl #m; fadds #m; fstpl #m; emms", "emms; fildl #m; fmul %st(0),%st; fistpll #m; emms", "emms; fldt #m; fstpt #g; emms", "emms; fld1; fldpi; faddp; fstps #m; fnstsw %ax; emms|eax", "fnstcw #m",
};

/* Only where the host has all of LATER_FEATURES. The bytes are forms with prefix bits that 32-bit code ignores. */
#define LATER_FEATURES "sse4_2 popcnt movbe abm bmi1 bmi2 avx avx2 fma"
static const char *const fuzz_templates_later[] = {
	"vaddps #x,#x,#x", "vaddps #m,#x,#x", "vaddps #g,#x,#x", "vmovups #h,#x", "vmovups #x,#g", "vpaddd #h,#x,#x", "vpshufb #g,#x,#x",
	"andnl #d,#l,#L", "andnl #g,#l,#L", "bextrl #l,#g,#L; setz %bl; testb %bl,%bl|ebx", "pdepl #g,#l,#L", "rorxl $#n,#d,#L", "shlxl #l,#g,#L",
	"vblendvps #x,#m,#x,#x", "vblendvps #x,#g,#x,#x", "vpinsrd $1,#d,#x,#x", "vpextrd $1,#x,#g", "vbroadcastss #g,#x", "vcvtsi2sdl #g,#x,#x",
	"vmovd #l,#x", "vmovd #x,#L", "vmaskmovps #g,#x,#x", "vmaskmovps #x,#x,#m", "vpmovmskb #x,#L", "vmovhps #g,#x,#x", "vfmadd231ps #g,#x,#x",
	"vpxor %xmm7,%xmm7,%xmm7; vpcmpeqd %xmm6,%xmm6,%xmm6; vpgatherdd %xmm6,(%esp,%xmm7,4),%xmm5",
	"vpxor %xmm7,%xmm7,%xmm7; vpcmpeqd %xmm6,%xmm6,%xmm6; vpgatherdd %xmm6,%gs:16(,%xmm7,4),%xmm5",
	".byte 0xc4,0xc1,0x78,0x58,0xd1", ".byte 0xc4,0xe1,0x38,0x58,0xd1", ".byte 0xc4,0xe1,0xf9,0x6e,0xc3", ".byte 0xc4,0xc2,0xf0,0xf2,0xd3|edx",
	"popcntl #g,#L", "crc32b #h,#L", "crc32b %ah,#L", "crc32w #w,#L", "movbel #g,#L", "pextrb $3,#x,#g", "insertps $7,#g,#x", "pcmpistri $3,#x,#x|ecx",
	"lzcntl #g,#L; setz %bl; testb %bl,%bl|ebx", "movntdqa #a,#x",
};

#endif
