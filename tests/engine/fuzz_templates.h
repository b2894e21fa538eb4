/* fuzz_templates.h -- instructions for fuzz_insn.c, in AT&T syntax with blanks to fill in.
 *
 * LEGEND
 *   #b #w #l #q   general register that is read, 8 16 32 64 bits
 *   #B #W #L #Q   general register that is written; its value is unknown afterwards
 *   #m            memory operand, any alignment, 64 bytes behind it are arena
 *   #a #z         memory operand, 16-byte aligned, 64-byte aligned
 *   #x #y #v      XMM, YMM, ZMM register
 *   #o #k         MMX register, mask register 1..7
 *   #r #R         #m or #q/#Q (64 bits)
 *   #d #D         #m or #l/#L (32 bits)
 *   #i #j #J #n   immediate of 8 bits signed, 32 bits signed, 64 bits, 0..255
 *   #t            immediate 0..7
 *   #c            condition code
 *   #e            absolute address in the middle of an arena
 *   #N            small count 0..9
 *   #f            displacement of an %fs: reference
 *   #p #P         a memory operand, and the same operand once more
 *   #I            another instruction without control transfer
 *   | names       registers written besides
 *
 * UNDEFINED FLAGS  of MUL, IMUL, BSF and their like are what they were before on some processors,
 *                  and a translator may change flags that the next instruction leaves undefined:
 *                  such an entry reads the defined ones and then sets them all.
 * NEEDS            the column before the text: host feature, "" = every x86-64.
 */
#ifndef FUZZ_TEMPLATES_H
#define FUZZ_TEMPLATES_H

struct fuzz_template {
	const char *needs;
	const char *text;
};

#define ALU(op)                                                                                    \
	{"", op "b #b,#B"}, {"", op "w #w,#W"}, {"", op "l #d,#L"}, {"", op "q #r,#Q"},            \
	    {"", op "q #q,#m"}, {"", op "b #b,#m"}, {"", op "b #m,#B"}, {"", op "l $#j,#m"},       \
	    {"", op "q $#i,#Q"}, {"", op "l $#j,%eax|rax"}, {"", op "q $#j,#m"},                   \
	{                                                                                          \
		"", op "b $#i,#m"                                                                  \
	}
#define LOCKED(op)                                                                                 \
	{"", "lock " op "q #q,#m"},                                                                \
	{                                                                                          \
		"", "lock " op "b $#i,#m"                                                          \
	}
#define SHIFT(op)                                                                                  \
	{"", op "b %cl,#B"}, {"", op "l %cl,#L"}, {"", op "q %cl,#m"}, {"", op "q $#n,#Q"},        \
	    {"", op "w #m"},                                                                       \
	{                                                                                          \
		"", op "l $#n,#m"                                                                  \
	}
#define UNARY(op)                                                                                  \
	{"", op "b #B"}, {"", op "q #Q"}, {"", op "l #m"}, {"", op "q #m"},                        \
	{                                                                                          \
		"", op "w #W"                                                                      \
	}
#define FIX_CF "; setc %bl; testb %bl,%bl"
#define BITOP(op)                                                                                  \
	{"", op "q $#n,#Q" FIX_CF "|rbx"}, {"", op "l $#n,#m" FIX_CF "|rbx"},                      \
	{                                                                                          \
		"", op "q #q,#Q" FIX_CF "|rbx"                                                     \
	}
#define SSE(op)                                                                                    \
	{"", op " #x,#x"},                                                                         \
	{                                                                                          \
		"", op " #a,#x"                                                                    \
	}
#define SSES(op)                                                                                   \
	{"", op " #x,#x"},                                                                         \
	{                                                                                          \
		"", op " #m,#x"                                                                    \
	}
#define AVX(op)                                                                                    \
	{"avx", op " #x,#x,#x"},                                                                   \
	{                                                                                          \
		"avx", op " #m,#y,#y"                                                              \
	}
#define AVX2(op)                                                                                   \
	{"avx2", op " #y,#y,#y"},                                                                  \
	{                                                                                          \
		"avx2", op " #m,#x,#x"                                                             \
	}

static const struct fuzz_template fuzz_templates[] = {
    /* moves and addresses */
    {"", "movq #r,#Q"},
    {"", "movq #q,#m"},
    {"", "movl #d,#L"},
    {"", "movl #l,#m"},
    {"", "movw #m,#W"},
    {"", "movw #w,#m"},
    {"", "movb #m,#B"},
    {"", "movb #b,#m"},
    {"", "movb #b,#B"},
    {"", "movq #r,#Q"},
    {"", "movq #q,#m"},
    {"", "movq #q,#Q"},
    {"", "movabs $#J,#Q"},
    {"", "movl $#j,#L"},
    {"", "movq $#j,#m"},
    {"", "movb $#n,#m"},
    {"", "movb $#n,#B"},
    {"", "movabs #e,%rax|rax"},
    {"", "movabs %eax,#e"},
    {"", "leaq #m,#Q"},
    {"", "leal #m,#L"},
    {"", "leaq #m,#Q"},
    {"", "leaw #m,#W"},
    {"", "movzbl #m,#L"},
    {"", "movzbl #b,#L"},
    {"", "movzwq #m,#Q"},
    {"", "movsbq #m,#Q"},
    {"", "movslq #d,#Q"},
    {"", "movswl #w,#L"},
    {"", "movsbw #b,#W"},
    {"", "xchgq #Q,#Q"},
    {"", "xchgq #Q,#m"},
    {"", "xchgb #B,#m"},
    {"", "xchgl #L,%eax|rax"},
    {"", "xchgb #B,#B"},
    {"", "bswapq #Q"},
    {"", "bswapl #L"},
    {"", "cmov#cq #r,#Q"},
    {"", "cmov#cl #d,#L"},
    {"", "set#c #B"},
    {"", "set#c #m"},
    {"", "cbtw|rax"},
    {"", "cltq|rax"},
    {"", "cqto|rdx"},
    {"", "cltd|rdx"},
    {"", "movabs $#e,%rbx; andl $15,%eax; xlat|rax rbx"},
    {"", "nopl #m"},
    {"", "nop"},
    {"", "pause"},
    {"", "endbr64"},
    /* arithmetic */
    ALU("add"),
    ALU("sub"),
    ALU("adc"),
    ALU("sbb"),
    ALU("and"),
    ALU("or"),
    ALU("xor"),
    ALU("cmp"),
    LOCKED("add"),
    LOCKED("sub"),
    LOCKED("xor"),
    LOCKED("or"),
    LOCKED("and"),
    LOCKED("adc"),
    {"", "testq #q,#q"},
    {"", "testb #b,#m"},
    {"", "testl $#j,#m"},
    {"", "testb $#i,%al"},
    UNARY("inc"),
    UNARY("dec"),
    UNARY("neg"),
    UNARY("not"),
    {"", "lock incq #m"},
    {"", "lock decl #m"},
    SHIFT("shl"),
    SHIFT("shr"),
    SHIFT("sar"),
    SHIFT("rol"),
    SHIFT("ror"),
    SHIFT("rcl"),
    SHIFT("rcr"),
    {"", "shldq %cl,#q,#Q"},
    {"", "shrdl $#n,#l,#m"},
    {"", "shldq $#n,#q,#m"},
    {"", "shrdq %cl,#q,#m"},
    {"", "mulq #q; setc %bl; seto %bh; testl %ebx,%ebx|rax rdx rbx"},
    {"", "mull #m; setc %bl; seto %bh; testl %ebx,%ebx|rax rdx rbx"},
    {"", "imulq #m; setc %bl; seto %bh; testl %ebx,%ebx|rax rdx rbx"},
    {"", "imulq #r,#Q; setc %bl; seto %bh; testl %ebx,%ebx|rbx"},
    {"", "imull $#j,#d,#L; setc %bl; seto %bh; testl %ebx,%ebx|rbx"},
    {"", "imulq $#i,#r,#Q; setc %bl; seto %bh; testl %ebx,%ebx|rbx"},
    {"", "mulb #b; setc %bl; seto %bh; testl %ebx,%ebx|rax rbx"},
    {"", "xorl %edx,%edx; movq $#j,%rcx; orq $1,%rcx; divq %rcx; testl %eax,%eax|rax rdx rcx"},
    {"", "xorl %edx,%edx; orl $1,#m; movl $7,%eax|rax rdx"},
    {"", "movl $3,#L; xorl %edx,%edx; movl $#n,%eax; cltd; movl $5,%ecx; idivl %ecx; testl "
	 "%eax,%eax|rax rdx rcx"},
    BITOP("bt"),
    BITOP("bts"),
    BITOP("btr"),
    BITOP("btc"),
    {"", "movq $-#n,%rcx; btq %rcx,#m; setc %bl; testb %bl,%bl|rcx rbx"},
    {"", "movl $#n,%r15d; btsq %r15,#m; setc %bl; testb %bl,%bl|r15 rcx rbx"},
    {"", "movl $-#n,%r15d; btcl %r15d,#m; setc %bl; testb %bl,%bl|r15 rbx"},
    {"", "movw $#n,%dx; btrw %dx,#m; setc %bl; testb %bl,%bl|rdx rbx"},
    {"", "movl $#n,%ecx; lock btsq %rcx,#m; setc %bl; testb %bl,%bl|rcx rbx"},
    {"", "bsfq #r,#Q; setz %bl; testb %bl,%bl|rbx"},
    {"", "bsrl #d,#L; setz %bl; testb %bl,%bl|rbx"},
    {"", "bsfl #l,#L; setz %bl; testb %bl,%bl|rbx"},
    {"", "cmpxchgq #q,#m|rax"},
    {"", "lock cmpxchgl #l,#m|rax"},
    {"", "cmpxchgq #q,#Q|rax"},
    {"", "lock cmpxchgb #b,#m|rax"},
    {"", "xaddq #Q,#Q"},
    {"", "lock xaddq #Q,#m"},
    {"", "xaddb #B,#m"},
    {"", "lock cmpxchg8b #m|rax rdx"},
    {"cx16", "lock cmpxchg16b #a|rax rdx"},
    /* flags */
    {"", "lahf|rax"},
    {"", "sahf"},
    {"", "cmc"},
    {"", "stc"},
    {"", "clc"},
    {"", "std"},
    {"", "cld"},
    {"", "pushfq; andq $0xed5,(%rsp); popfq"},
    {"", "movl $0x#n,#L; pushq $0x8d5; popfq"},
    /* stack */
    {"", "pushq #q"},
    {"", "popq #Q"},
    {"", "pushq #q; popq #Q"},
    {"", "pushq #m"},
    {"", "popq #m"},
    {"", "pushq $#i"},
    {"", "pushq $#j"},
    {"", "pushw #w"},
    {"", "popw #W"},
    {"", "pushw $#i"},
    {"", "enter $16,$0; leave|rbp"},
    {"", "pushq %rbp; movq %rsp,%rbp; leave|rbp"},
    {"", "pushq %rsp; popq #Q"},
    {"", "pushq (%rsp); popq 8(%rsp)"},
    {"", "popq (%rsp); subq $8,%rsp"},
    {"", "pushq %r15; popq %r15"},
    /* strings */
    {"", "movl $#N,%ecx; movabs $#e,%rsi; movabs $#e,%rdi; cld; rep movsb|rcx rsi rdi"},
    {"", "movl $#N,%ecx; movabs $#e,%rsi; movabs $#e,%rdi; std; rep movsq; cld|rcx rsi rdi"},
    {"", "movl $#N,%ecx; movabs $#e,%rsi; movabs $#e,%rdi; rep movsl|rcx rsi rdi"},
    {"", "movl $#N,%ecx; movabs $#e,%rdi; rep stosw|rcx rdi"},
    {"", "movl $#N,%ecx; movabs $#e,%rdi; rep stosq|rcx rdi"},
    {"", "movl $#N,%ecx; movabs $#e,%rsi; rep lodsb|rcx rsi rax"},
    {"", "movl $#N,%ecx; movabs $#e,%rsi; movabs $#e,%rdi; repe cmpsb|rcx rsi rdi"},
    {"", "movl $#N,%ecx; movabs $#e,%rsi; movabs $#e,%rdi; repne cmpsw|rcx rsi rdi"},
    {"", "movl $#N,%ecx; movabs $#e,%rdi; repne scasb|rcx rdi"},
    {"", "movl $#N,%ecx; movabs $#e,%rdi; repe scasl|rcx rdi"},
    {"", "movabs $#e,%rsi; lodsq|rsi rax"},
    {"", "movabs $#e,%rdi; stosb|rdi"},
    {"", "movabs $#e,%rsi; movabs $#e,%rdi; movsw|rsi rdi"},
    {"", "movabs $#e,%rdi; scasq|rdi"},
    {"", "movabs $#e,%rsi; movabs $#e,%rdi; cmpsl|rsi rdi"},
    {"", "movabs $0x770000000#N,%rcx; movl $arena_low+300,%edi; addr32 rep stosb|rcx rdi"},
    /* control transfer */
    {"", "j#c 1f; #I; 1:"},
    {"", "j#c 1f; #I; 1: #I"},
    {"", "cmpq #r,#q; j#c 1f; #I; 1:"},
    {"", "jrcxz 1f; #I; 1:"},
    {"", "jecxz 1f; #I; 1:"},
    {"", "movl $#N,%ecx; incl %ecx; 1: nop; loop 1b|rcx"},
    {"", "movl $3,%ecx; 1: addq $1,%r15; loop 1b|rcx r15"},
    {"", "movl $9,%ecx; 1: cmpq #q,#q; loope 1b|rcx"},
    {"", "movl $9,%ecx; 1: testq #q,#q; loopne 1b|rcx"},
    {"", "xorl %ecx,%ecx; jrcxz 1f; ud2; 1:|rcx"},
    {"", "jmp 1f; ud2; 1:"},
    {"", "leaq 1f(%rip),%r15; jmp *%r15; ud2; 1:|r15"},
    {"", "leaq 1f(%rip),%rax; jmp *%rax; ud2; 1:|rax"},
    {"", "leaq 1f(%rip),%rcx; jmp *%rcx; ud2; 1:|rcx"},
    {"", "leaq 2f(%rip),%r15; call *%r15; jmp 3f; 2: #I; ret; 3:|r15"},
    {"", "call 2f; jmp 3f; 2: #I; ret; 3:"},
    {"", "call 2f; jmp 3f; 2: ret; 3:"},
    {"", "pushq $0; call 2f; jmp 3f; 2: #I; ret $8; 3:"},
    {"", "leaq 2f(%rip),%r15; movq %r15,#p; call *#P; jmp 3f; 2: #I; ret; 3:|r15"},
    {"", "leaq 1f(%rip),%rdx; movq %rdx,#p; jmp *#P; ud2; 1:|rdx"},
    {"", "leaq 1f(%rip),%r15; pushq %r15; ret; ud2; 1:|r15"},
    {"", "leaq 1f(%rip),%rax; pushq %rax; ret; ud2; 1:|rax"},
    {"", "call 1f; 1: popq %r15|r15"},
    {"", "call 1f; 1: popq %rax|rax"},
    {"", "leaq 2f-16(%rip),%r15; movl $2,%ecx; call *(%r15,%rcx,8); jmp 3f; .balign 8; 2: .quad "
	 "4f; 4: #I; ret; 3:|r15 rcx"},
    {"", "movq %rsp,%rbp; leaq 2f(%rip),%r15; movq %r15,-8(%rsp); subq $8,%rsp; call *(%rsp); jmp "
	 "3f; 2: ret; 3: leave; subq $8,%rsp|rbp r15"},
    /* FS-relative */
    {"", "movq %fs:#f,#Q"},
    {"", "movq #q,%fs:#f"},
    {"", "addl $#i,%fs:#f"},
    {"", "movl $#N,%r15d; movq %fs:8(%r15),#Q|r15"},
    {"", "xorl %r15d,%r15d; addq #q,%fs:16(%r15,%r15,4)|r15"},
    /* emulated */
    {"", "xorl %eax,%eax; cpuid; xorl %eax,%eax; xorl %ebx,%ebx; xorl %ecx,%ecx; xorl "
	 "%edx,%edx|rax rbx rcx rdx"},
    /* SSE, SSE2 */
    SSE("addps"),
    SSE("mulps"),
    SSE("subpd"),
    SSE("divps"),
    SSE("sqrtps"),
    SSE("maxps"),
    SSE("andnps"),
    SSE("xorpd"),
    SSE("unpcklps"),
    SSE("paddd"),
    SSE("psubusb"),
    SSE("pmullw"),
    SSE("pmaddwd"),
    SSE("pcmpeqb"),
    SSE("punpckhqdq"),
    SSE("packssdw"),
    SSE("pavgb"),
    SSE("psadbw"),
    SSE("pand"),
    SSE("pxor"),
    SSE("psllq"),
    SSE("psrad"),
    SSE("cvtdq2ps"),
    SSE("cvttps2dq"),
    SSES("addss"),
    SSES("mulsd"),
    SSES("divss"),
    SSES("sqrtsd"),
    SSES("comisd"),
    SSES("ucomiss"),
    SSES("cvtss2sd"),
    {"", "movups #m,#x"},
    {"", "movups #x,#m"},
    {"", "movaps #a,#x"},
    {"", "movaps #x,#a"},
    {"", "movdqa #x,#x"},
    {"", "movss #m,#x"},
    {"", "movss #x,#m"},
    {"", "movhps #m,#x"},
    {"", "movlps #x,#m"},
    {"", "movntps #x,#a"},
    {"", "movntiq #q,#m"},
    {"", "movq #q,#x"},
    {"", "movq #x,#Q"},
    {"", "movd #l,#x"},
    {"", "movd #x,#L"},
    {"", "pinsrw $#N,#l,#x"},
    {"", "pextrw $#N,#x,#L"},
    {"", "pmovmskb #x,#L"},
    {"", "movmskps #x,#L"},
    {"", "shufps $#n,#a,#x"},
    {"", "pshufd $#n,#x,#x"},
    {"", "cmpps $#t,#x,#x"},
    {"", "cvtsi2sdq #r,#x"},
    {"", "cvtsi2ssl #d,#x"},
    {"", "cvttsd2siq #x,#Q"},
    {"", "cvtss2sil #m,#L"},
    {"", "prefetcht0 #m"},
    {"", "prefetchnta #m"},
    {"", "lfence"},
    {"", "mfence"},
    {"", "sfence"},
    {"", "ldmxcsr mxcsr_in(%rip)"},
    {"", "stmxcsr #m"},
    {"", "movabs $#e,%rdi; maskmovdqu #x,#x|rdi"},
    {"", "clflush #m"},
    {"ssse3", "pshufb #x,#x"},
    {"ssse3", "palignr $#N,#a,#x"},
    {"sse4_1", "pinsrq $1,#r,#x"},
    {"sse4_1", "pextrq $1,#x,#R"},
    {"sse4_1", "pextrb $#N,#x,#m"},
    {"sse4_1", "insertps $#n,#m,#x"},
    {"sse4_1", "pmulld #a,#x"},
    {"sse4_1", "ptest #x,#x"},
    {"sse4_1", "blendvps %xmm0,#a,#x"},
    {"sse4_1", "pmovzxbd #m,#x"},
    {"sse4_1", "roundsd $1,#m,#x"},
    {"sse4_2", "crc32q #r,#Q"},
    {"sse4_2", "crc32b #b,#L"},
    {"sse4_2", "pcmpistri $#N,#a,#x|rcx"},
    {"sse4_2", "pcmpestri $8,#m,#x|rcx"},
    {"popcnt", "popcntq #r,#Q"},
    {"movbe", "movbeq #m,#Q"},
    {"movbe", "movbel #l,#m"},
    {"abm", "lzcntq #r,#Q; setz %bl; testb %bl,%bl|rbx"},
    {"bmi1", "tzcntl #d,#L; setz %bl; testb %bl,%bl|rbx"},
    {"pclmulqdq", "pclmulqdq $#N,#a,#x"},
    {"aes", "aesenc #a,#x"},
    {"adx", "adcxq #r,#Q"},
    {"adx", "adoxq #r,#Q"},
    /* MMX, x87 */
    {"", "movq #m,#o"},
    {"", "movq #o,#m"},
    {"", "paddb #m,#o"},
    {"", "pmulhw #o,#o"},
    {"", "movd #l,#o"},
    {"", "movd #o,#L"},
    {"", "movntq #o,#m"},
    {"", "pmovmskb #o,#L"},
    {"", "pshufw $#n,#m,#o"},
    {"", "pinsrw $1,#m,#o"},
    {"", "emms; fldl #m; fadds #m; fstpl #m; emms"},
    {"", "emms; fildl #m; fmul %st(0),%st; fistpll #m; emms"},
    {"", "emms; fldt #m; fstpt #m; emms"},
    {"", "emms; fld1; fldpi; faddp; fstps #m; fnstsw %ax; emms|rax"},
    {"", "fnstcw #m"},
    /* VEX */
    AVX("vaddps"),
    AVX("vmulpd"),
    AVX("vandps"),
    AVX("vunpckhps"),
    AVX2("vpaddd"),
    AVX2("vpxor"),
    AVX2("vpshufb"),
    AVX2("vpmulld"),
    {"avx", "vmovups #m,#y"},
    {"avx", "vmovups #y,#m"},
    {"avx", "vmovaps #a,#x"},
    {"avx", "vmovd #l,#x"},
    {"avx", "vmovq #x,#Q"},
    {"avx", "vpinsrq $1,#r,#x,#x"},
    {"avx", "vpextrq $0,#x,#Q"},
    {"avx", "vpextrd $1,#x,#m"},
    {"avx", "vbroadcastss #m,#y"},
    {"avx", "vcvtsi2sdq #r,#x,#x"},
    {"avx", "vpmovmskb #x,#L"},
    {"avx", "vzeroupper"},
    {"avx", "vblendvps #y,#m,#y,#y"},
    {"avx", "vextractf128 $1,#y,#m"},
    {"avx", "vmaskmovps #m,#y,#y"},
    {"avx2", "vpbroadcastq #m,#y"},
    {"avx2", "vpermq $#n,#m,#y"},
    {"avx2", "vpsllvd #m,#y,#y"},
    {"avx2", "vinserti128 $1,#m,#y,#y"},
    {"avx2",
     "vpxor %ymm7,%ymm7,%ymm7; vpcmpeqd %ymm6,%ymm6,%ymm6; vpgatherdd %ymm6,(%rsp,%ymm7,4),%ymm5"},
    {"fma", "vfmadd231ps #m,#y,#y"},
    {"f16c", "vcvtph2ps #m,#y"},
    {"bmi1", "andnq #r,#q,#Q"},
    {"bmi1", "andnl #d,#l,#L"},
    {"bmi1", "bextrq #q,#r,#Q; setz %bl; testb %bl,%bl|rbx"},
    {"bmi1", "blsrq #r,#Q"},
    {"bmi1", "blsiq #r,#Q"},
    {"bmi1", "blsmskl #d,#L"},
    {"bmi2", "mulxq #r,#Q,#Q"},
    {"bmi2", "pdepq #r,#q,#Q"},
    {"bmi2", "pextl #d,#l,#L"},
    {"bmi2", "rorxq $#n,#r,#Q"},
    {"bmi2", "shlxq #q,#r,#Q"},
    {"bmi2", "sarxl #l,#d,#L"},
    {"bmi2", "shrxq %r15,#r,#Q"},
    {"bmi2", "bzhiq #q,#r,#Q"},
    /* EVEX */
    {"avx512f", "vmovups #m,#v"},
    {"avx512f", "vmovups #v,#m"},
    {"avx512f", "vaddps #m,#v,#v"},
    {"avx512f", "vpaddd #m{1to16},#v,#v"},
    {"avx512f", "vpternlogd $#n,#m,#v,#v"},
    {"avx512f", "vpcmpeqd #m,#v,%k2"},
    {"avx512f", "vpaddq #v,#v,#v{%k2}{z}"},
    {"avx512f", "vmovdqu32 #v,#m"},
    {"avx512f", "kmovw #l,#k"},
    {"avx512f", "kmovw #k,#L"},
    {"avx512bw", "kmovq #q,#k"},
    {"avx512bw", "kmovq #k,#Q"},
    {"avx512bw", "kmovq #m,#k"},
    {"avx512bw", "vpbroadcastb #l,#v"},
    {"avx512f", "vpbroadcastq #q,#v"},
    {"avx512vl", "vpaddq #m,%ymm18,%ymm19"},
    {"avx512vl", "vmovdqu64 %xmm17,#m"},
    {"avx512f", "vpaddd 64(%rsp),#v,#v"},
};

#endif
