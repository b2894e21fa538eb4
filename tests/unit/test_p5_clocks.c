/* Clocks of short listings: published cases, and one for each rule of pairing and waiting that they
 * leave out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/parts/reader.h"
#include "stream.h"
#include "trace/record.h"

enum { CODE = 0x10000, PAGE = 4096, TIMES = 60 };
enum { PLAIN = 1, WITH_MMX = 2, BOTH = 3 };

/* STRAIGHT: clocks from the first instruction to the NOT EBP behind the last. LOOP: clocks of an
 * iteration; the listing is one block that jumps to its start. REPEATED: eight times the listing
 * and a jump back, clocks of one. */
enum shape { STRAIGHT, LOOP, REPEATED };

struct timing_case {
	const char *name;
	unsigned cpus;
	enum shape shape;
	unsigned clk;
	const char *listing;
	const char *bytes;
	unsigned n;
};

#define BYTES(s) s, sizeof(s) - 1

/* Assembled from the listings by GNU as; behind a straight one come NOT EBP, twelve NOPs and a jump
 * back. */
static const struct timing_case cases[] = {
    {"O1", BOTH, STRAIGHT, 3, "add edx,4; mov ecx,[ebx]; add ebx,4; mov [edx],ecx",
     BYTES("\x83\xc2\x04\x8b\x0b\x83\xc3\x04\x89\x0a\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\x90\x90\xeb\xe6\x90")},
    {"O2", BOTH, STRAIGHT, 2, "mov ecx,[ebx]; add ebx,4; mov [edx+4],ecx; add edx,4",
     BYTES("\x8b\x0b\x83\xc3\x04\x89\x4a\x04\x83\xc2\x04\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\x90\x90\x90\xeb\xe5\x90")},
    {"O3", BOTH, STRAIGHT, 4,
     "push ebx; mov ebx,[0x30040]; and ebx,ebx; jz 9f; mov eax,[ebx]; mov edx,[ebp-8]",
     BYTES("\x53\x8b\x1d\x40\x00\x03\x00\x21\xdb\x74\x15\x8b\x03\x8b\x55\xf8\xf7\xd5\x90\x90\x90"
	   "\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb\xe0\x90")},
    {"O3b", BOTH, STRAIGHT, 3,
     "push ebx; mov ebx,[0x30040]; test ebx,ebx; jz 9f; mov eax,[ebx]; mov edx,[ebp-8]",
     BYTES("\x53\x8b\x1d\x40\x00\x03\x00\x85\xdb\x74\x15\x8b\x03\x8b\x55\xf8\xf7\xd5\x90\x90\x90"
	   "\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb\xe0\x90")},
    {"O4", BOTH, STRAIGHT, 3,
     "mov eax,[0x30040]; push esi; push eax; push edi; push ebx; call foo; .skip 9, 0x90; foo:",
     BYTES("\xa1\x40\x00\x03\x00\x56\x50\x57\x53\xe8\x09\x00\x00\x00\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\x90\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb\xd9\x90")},
    {"O5", BOTH, LOOP, 2, "l: mov [esi],eax; add esi,4; dec ecx; jnz l",
     BYTES("\x89\x06\x83\xc6\x04\x49\x75\xf8")},
    {"O6", BOTH, LOOP, 3, "l: inc edx; mov [esi],eax; add esi,4; dec ecx; jnz l",
     BYTES("\x42\x89\x06\x83\xc6\x04\x49\x75\xf7")},
    {"O7", BOTH, LOOP, 2, "l: mov [edx+0x30000],al; add edx,ecx; cmp edx,8190; jle l",
     BYTES("\x88\x82\x00\x00\x03\x00\x01\xca\x81\xfa\xfe\x1f\x00\x00\x7e\xf0")},
    {"O8", BOTH, LOOP, 4,
     "l: mov eax,[esi]; xor ebx,ebx; add esi,4; sub ebx,eax; mov [edi],ebx; add edi,4; dec ecx; "
     "jnz l",
     BYTES("\x8b\x06\x31\xdb\x83\xc6\x04\x29\xc3\x89\x1f\x83\xc7\x04\x49\x75\xef")},
    {"O9", PLAIN, LOOP, 11, "l: lodsd; neg eax; stosd; loop l", BYTES("\xad\xf7\xd8\xab\xe2\xfa")},
    {"O10", BOTH, STRAIGHT, 2, "add eax,[0x30040]; add ebx,[0x30044]",
     BYTES("\x03\x05\x40\x00\x03\x00\x03\x1d\x44\x00\x03\x00\xf7\xd5\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\x90\x90\x90\x90\xeb\xe4\x90")},
    {"O11", BOTH, STRAIGHT, 5, "add [0x30040],eax; add [0x30044],ebx",
     BYTES("\x01\x05\x40\x00\x03\x00\x01\x1d\x44\x00\x03\x00\xf7\xd5\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\x90\x90\x90\x90\xeb\xe4\x90")},
    {"O12", BOTH, STRAIGHT, 4, "add [0x30040],eax; add ebx,[0x30044]",
     BYTES("\x01\x05\x40\x00\x03\x00\x03\x1d\x44\x00\x03\x00\xf7\xd5\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\x90\x90\x90\x90\xeb\xe4\x90")},
    {"O13", BOTH, STRAIGHT, 3, "add ebx,[0x30044]; add [0x30040],eax",
     BYTES("\x03\x1d\x44\x00\x03\x00\x01\x05\x40\x00\x03\x00\xf7\xd5\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\x90\x90\x90\x90\xeb\xe4\x90")},
    {"O14", BOTH, STRAIGHT, 2, "mov al,[esi]; mov bl,[esi+1]",
     BYTES("\x8a\x06\x8a\x5e\x01\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb\xeb"
	   "\x90")},
    {"O15", BOTH, STRAIGHT, 1, "mov al,[esi+3]; mov bl,[esi+4]",
     BYTES("\x8a\x46\x03\x8a\x5e\x04\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb"
	   "\xea\x90")},
    {"O16", BOTH, STRAIGHT, 3, "mov eax,[esi]; mov ebx,[esi]; inc ecx",
     BYTES("\x8b\x06\x8b\x1e\x41\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb\xeb"
	   "\x90")},
    {"O17", BOTH, STRAIGHT, 4,
     "mov eax,[0x30040]; xor ebx,ebx; inc ebx; mov ecx,[eax]; jmp l1; .skip 9, 0x90; l1:",
     BYTES("\xa1\x40\x00\x03\x00\x31\xdb\x43\x8b\x08\xeb\x09\x90\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb\xdb\x90")},
    {"O17b", BOTH, STRAIGHT, 3,
     "mov eax,[0x30040]; xor ebx,ebx; inc ebx; nop; mov ecx,[eax]; jmp l1; .skip 9, 0x90; l1:",
     BYTES("\xa1\x40\x00\x03\x00\x31\xdb\x43\x90\x8b\x08\xeb\x09\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb\xda\x90")},
    {"O19", PLAIN, LOOP, 5, "l: add ax,[esi]; adc ax,0; add esi,2; dec ecx; jnz l",
     BYTES("\x66\x03\x06\x66\x83\xd0\x00\x83\xc6\x02\x49\x75\xf3")},
    {"O20", PLAIN, STRAIGHT, 6,
     "xor eax,eax; xor ebx,ebx; mov ax,[0x30040]; mov bx,[0x30044]; cmp eax,ebx",
     BYTES("\x31\xc0\x31\xdb\x66\xa1\x40\x00\x03\x00\x66\x8b\x1d\x44\x00\x03\x00\x39\xd8\xf7\xd5"
	   "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb\xdd\x90")},
    {"O21", BOTH, STRAIGHT, 3, "cmp dword ptr [ebx],0; mov eax,0; setnz al",
     BYTES("\x83\x3b\x00\xb8\x00\x00\x00\x00\x0f\x95\xc0\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\x90\x90\x90\xeb\xe5\x90")},
    {"O23", PLAIN, LOOP, 4,
     "l: add al,dl; mov dl,[esi]; adc ah,dh; mov dh,[esi+1]; adc eax,0; add esi,2; dec ecx; jnz l",
     BYTES("\x00\xd0\x8a\x16\x10\xf4\x8a\x76\x01\x83\xd0\x00\x83\xc6\x02\x49\x75\xee")},
    {"O24", BOTH, LOOP, 6,
     "l: mov bh,[esi+3]; add esi,4; shl ebx,16; or ebx,edx; mov dl,[esi]; add eax,ebx; mov "
     "bl,[esi+2]; adc eax,0; mov dh,[esi+1]; dec ecx; jnz l",
     BYTES("\x8a\x7e\x03\x83\xc6\x04\xc1\xe3\x10\x09\xd3\x8a\x16\x01\xd8\x8a\x5e\x02\x83\xd0\x00"
	   "\x8a\x76\x01\x49\x75\xe5")},
    {"O25", BOTH, LOOP, 3, "l: add eax,edx; mov edx,[esi]; adc eax,0; add esi,4; dec ecx; jnz l",
     BYTES("\x01\xd0\x8b\x16\x83\xd0\x00\x83\xc6\x04\x49\x75\xf3")},
    {"O26", BOTH, LOOP, 4,
     "l: add eax,edx; mov edx,[esi]; adc eax,ebx; mov ebx,[esi+4]; adc eax,0; add esi,8; dec ecx; "
     "jnz l",
     BYTES("\x01\xd0\x8b\x16\x11\xd8\x8b\x5e\x04\x83\xd0\x00\x83\xc6\x08\x49\x75\xee")},
    {"O27", BOTH, STRAIGHT, 6, "fmul st,st(1); fst dword ptr [0x30040]",
     BYTES("\xd8\xc9\xd9\x15\x40\x00\x03\x00\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\xeb\xe8\x90")},
    {"O28", BOTH, STRAIGHT, 17,
     "fld dword ptr [0x30040]; fmul dword ptr [0x30060]; fld dword ptr [0x30044]; fmul dword ptr "
     "[0x30064]; fld dword ptr [0x30048]; fmul dword ptr [0x30068]; faddp st(1),st; faddp "
     "st(1),st; fstp dword ptr [0x30080]",
     BYTES("\xd9\x05\x40\x00\x03\x00\xd8\x0d\x60\x00\x03\x00\xd9\x05\x44\x00\x03\x00\xd8\x0d\x64"
	   "\x00\x03\x00\xd9\x05\x48\x00\x03\x00\xd8\x0d\x68\x00\x03\x00\xde\xc1\xde\xc1\xd9\x1d"
	   "\x80\x00\x03\x00\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb\xc2\x90")},
    {"O29", BOTH, STRAIGHT, 15,
     "fld dword ptr [0x30040]; fmul dword ptr [0x30060]; fld dword ptr [0x30044]; fmul dword ptr "
     "[0x30064]; fld dword ptr [0x30048]; fmul dword ptr [0x30068]; fxch st(1); faddp st(2),st; "
     "faddp st(1),st; fstp dword ptr [0x30080]",
     BYTES(
	 "\xd9\x05\x40\x00\x03\x00\xd8\x0d\x60\x00\x03\x00\xd9\x05\x44\x00\x03\x00\xd8\x0d\x64\x00"
	 "\x03\x00\xd9\x05\x48\x00\x03\x00\xd8\x0d\x68\x00\x03\x00\xd9\xc9\xde\xc2\xde\xc1\xd9\x1d"
	 "\x80\x00\x03\x00\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb\xc0\x90")},
    {"O30", BOTH, STRAIGHT, 4, "fld qword ptr [0x30040]; fstp qword ptr [0x30080]",
     BYTES("\xdd\x05\x40\x00\x03\x00\xdd\x1d\x80\x00\x03\x00\xf7\xd5\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\x90\x90\x90\x90\xeb\xe4\x90")},
    {"O31", BOTH, STRAIGHT, 20,
     "fld dword ptr [0x30040]; fadd dword ptr [0x30044]; fadd dword ptr [0x30048]; fstp dword ptr "
     "[0x30080]; fld dword ptr [0x30050]; fadd dword ptr [0x30054]; fadd dword ptr [0x30058]; fstp "
     "dword ptr [0x30084]",
     BYTES(
	 "\xd9\x05\x40\x00\x03\x00\xd8\x05\x44\x00\x03\x00\xd8\x05\x48\x00\x03\x00\xd9\x1d\x80\x00"
	 "\x03\x00\xd9\x05\x50\x00\x03\x00\xd8\x05\x54\x00\x03\x00\xd8\x05\x58\x00\x03\x00\xd9\x1d"
	 "\x84\x00\x03\x00\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb\xc0\x90")},
    {"O32", BOTH, STRAIGHT, 3, "fadd st,st(1); fxch st(1); mov eax,1; inc edx",
     BYTES("\xd8\xc1\xd9\xc9\xb8\x01\x00\x00\x00\x42\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\x90\x90\xeb\xe6\x90")},
    {"O33", BOTH, STRAIGHT, 2, "fdiv st,st(1); add eax,ecx; inc edx",
     BYTES("\xd8\xf1\x01\xc8\x42\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb\xeb"
	   "\x90")},
    {"O41", PLAIN, REPEATED, 7,
     "shld ebx,eax,cl; xor edx,edx; xor esi,esi; xor edi,edi; xor ebp,ebp",
     BYTES("\x0f\xa5\xc3\x31\xd2\x31\xf6\x31\xff\x31\xed\x0f\xa5\xc3\x31\xd2\x31\xf6\x31\xff\x31"
	   "\xed\x0f\xa5\xc3\x31\xd2\x31\xf6\x31\xff\x31\xed\x0f\xa5\xc3\x31\xd2\x31\xf6\x31\xff"
	   "\x31\xed\x0f\xa5\xc3\x31\xd2\x31\xf6\x31\xff\x31\xed\x0f\xa5\xc3\x31\xd2\x31\xf6\x31"
	   "\xff\x31\xed\x0f\xa5\xc3\x31\xd2\x31\xf6\x31\xff\x31\xed\x0f\xa5\xc3\x31\xd2\x31\xf6"
	   "\x31\xff\x31\xed\xeb\xa6")},
    {"O41", WITH_MMX, REPEATED, 6,
     "shld ebx,eax,cl; xor edx,edx; xor esi,esi; xor edi,edi; xor ebp,ebp",
     BYTES("\x0f\xa5\xc3\x31\xd2\x31\xf6\x31\xff\x31\xed\x0f\xa5\xc3\x31\xd2\x31\xf6\x31\xff\x31"
	   "\xed\x0f\xa5\xc3\x31\xd2\x31\xf6\x31\xff\x31\xed\x0f\xa5\xc3\x31\xd2\x31\xf6\x31\xff"
	   "\x31\xed\x0f\xa5\xc3\x31\xd2\x31\xf6\x31\xff\x31\xed\x0f\xa5\xc3\x31\xd2\x31\xf6\x31"
	   "\xff\x31\xed\x0f\xa5\xc3\x31\xd2\x31\xf6\x31\xff\x31\xed\x0f\xa5\xc3\x31\xd2\x31\xf6"
	   "\x31\xff\x31\xed\xeb\xa6")},
    {"O41b", BOTH, REPEATED, 5, "shld ebx,eax,cl; xor edx,edx; xor esi,esi",
     BYTES("\x0f\xa5\xc3\x31\xd2\x31\xf6\x0f\xa5\xc3\x31\xd2\x31\xf6\x0f\xa5\xc3\x31\xd2\x31\xf6"
	   "\x0f\xa5\xc3\x31\xd2\x31\xf6\x0f\xa5\xc3\x31\xd2\x31\xf6\x0f\xa5\xc3\x31\xd2\x31\xf6"
	   "\x0f\xa5\xc3\x31\xd2\x31\xf6\x0f\xa5\xc3\x31\xd2\x31\xf6\xeb\xc6")},
    {"O42", BOTH, LOOP, 4,
     "l: mov eax,[esi+edx*4]; neg eax; mov [edi+edx*4],eax; inc edx; cmp edx,ecx; jb l",
     BYTES("\x8b\x04\x96\xf7\xd8\x89\x04\x97\x42\x39\xca\x72\xf3")},
    {"load of dword before fist: fcom, fnstsw, sahf, jcc", BOTH, STRAIGHT, 10,
     "fcom st(1); fnstsw ax; sahf; jz 9f",
     BYTES("\xd8\xd1\xdf\xe0\x9e\x74\x10\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\xeb\xe9\x90")},
    {"integer work hides fnstsw", BOTH, STRAIGHT, 7,
     "fcom st(1); not ecx; not ecx; not ecx; not ecx; fnstsw ax",
     BYTES("\xd8\xd1\xf7\xd1\xf7\xd1\xf7\xd1\xf7\xd1\xdf\xe0\xf7\xd5\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\x90\x90\x90\x90\xeb\xe4\x90")},
    {"disp and imm", PLAIN, STRAIGHT, 2, "mov dword ptr [ebx+4],1; inc ecx",
     BYTES("\xc7\x43\x04\x01\x00\x00\x00\x41\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\xeb\xe8\x90")},
    {"disp and imm", WITH_MMX, STRAIGHT, 1, "mov dword ptr [ebx+4],1; inc ecx",
     BYTES("\xc7\x43\x04\x01\x00\x00\x00\x41\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\xeb\xe8\x90")},
    {"disp and imm in V", BOTH, STRAIGHT, 2, "inc ecx; mov dword ptr [ebx+4],1",
     BYTES("\x41\xc7\x43\x04\x01\x00\x00\x00\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\xeb\xe8\x90")},
    {"both addresses wait", BOTH, STRAIGHT, 3,
     "add esi,4; add edi,4; mov eax,[esi]; mov ebx,[edi+8]",
     BYTES("\x83\xc6\x04\x83\xc7\x04\x8b\x06\x8b\x5f\x08\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\x90\x90\x90\xeb\xe5\x90")},
    {"ret n makes an interlock", BOTH, STRAIGHT, 5,
     "mov eax,[0x30040]; add esp,4; pop eax; not ecx; inc edx",
     BYTES("\xa1\x40\x00\x03\x00\x83\xc4\x04\x58\xf7\xd1\x42\xf7\xd5\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\x90\x90\x90\x90\xeb\xe4\x90")},
    {"mmx pair", WITH_MMX, STRAIGHT, 1, "paddb mm0,mm1; paddb mm2,mm3",
     BYTES("\x0f\xfc\xc1\x0f\xfc\xd3\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb"
	   "\xea\x90")},
    {"mmx one shifter", WITH_MMX, STRAIGHT, 2, "psllw mm0,1; packsswb mm2,mm3",
     BYTES("\x0f\x71\xf0\x01\x0f\x63\xd3\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\xeb\xe9\x90")},
    {"mmx one multiplier", WITH_MMX, STRAIGHT, 2, "pmullw mm0,mm1; pmulhw mm2,mm3",
     BYTES("\x0f\xd5\xc1\x0f\xe5\xd3\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb"
	   "\xea\x90")},
    {"mmx multiply", WITH_MMX, STRAIGHT, 4, "pmullw mm0,mm1; paddw mm0,mm2",
     BYTES("\x0f\xd5\xc1\x0f\xfd\xc2\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb"
	   "\xea\x90")},
    {"mmx store", WITH_MMX, STRAIGHT, 3, "paddb mm0,mm1; movq [0x30040],mm0",
     BYTES("\x0f\xfc\xc1\x0f\x7f\x05\x40\x00\x03\x00\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\x90\x90\xeb\xe6\x90")},
    {"mmx memory with int", WITH_MMX, STRAIGHT, 2, "movq mm0,[0x30040]; inc ecx",
     BYTES("\x0f\x6f\x05\x40\x00\x03\x00\x41\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\xeb\xe8\x90")},
    {"mmx memory with mmx", WITH_MMX, STRAIGHT, 1, "movq mm0,[0x30040]; paddb mm1,mm2",
     BYTES("\x0f\x6f\x05\x40\x00\x03\x00\x0f\xfc\xca\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90"
	   "\x90\x90\x90\xeb\xe6\x90")},
    {"int with mmx", WITH_MMX, STRAIGHT, 1, "inc ecx; paddb mm1,mm2",
     BYTES("\x41\x0f\xfc\xca\xf7\xd5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xeb\xec\x90")},
};

/* Pointers lie in different banks. */
static const uint64_t regs[8] = {0x31000, 1000,	   0x31004, 0x31028,
				 0x38000, 0x31154, 0x31200, 0x31324};

struct run {
	struct stream s;
	struct x86_builder *builder;
	uint8_t page[2 * PAGE];
	const struct timing_case *c;
	/* lines */
	uint64_t first_clk, last_first_clk, probe_clk;
	unsigned n_jump;
};

static const uint8_t *page_of(void *ctx, uint64_t addr)
{
	struct run *r = ctx;

	return addr == CODE ? r->page : addr == CODE + PAGE ? r->page + PAGE : NULL;
}

static const struct x86_block *build(struct run *r, uint64_t pc)
{
	const struct x86_code_source src = {page_of, r};
	const struct x86_build_limits lim = {.max_insns = X86_MAX_INSNS, .has_slots = true};

	for (uint32_t id = 0; id < x86_store_count(r->s.store); id++)
		if (x86_store_get(r->s.store, id)->pc == pc)
			return x86_store_get(r->s.store, id);
	assert_int_equal(x86_block_build(r->builder, pc, &src, &lim), 0);
	return x86_store_add(r->s.store, &r->builder->block);
}

static void fill_slots(const struct x86_block *b, uint64_t *value)
{
	for (unsigned k = 0; k < b->n_slot; k++) {
		const bool is_address = b->slot[k].kind == X86_SLOT_ADDRESS; /* base and index */

		assert_true(is_address || b->slot[k].kind == X86_SLOT_REG);
		value[k] = is_address ? 0x31400 + 4 * k : regs[b->slot[k].reg & 7];
	}
}

static void execute(struct run *r, const struct x86_block *b)
{
	uint64_t value[X86_MAX_SLOTS];

	fill_slots(b, value);
	stream_exec(&r->s, b->id, value);
}

/* A read of all that the listing touches, so that it lies in L1D. */
static void warm(struct run *r, const struct x86_block *b)
{
	static const uint8_t read[] = {0x8b, 0x00, 0xeb, 0xfc}; /* l: mov eax,[eax]; jmp l */
	uint64_t value[X86_MAX_SLOTS];
	const struct x86_block *reader;

	memcpy(r->page + PAGE, read, sizeof(read));
	reader = build(r, CODE + PAGE);
	fill_slots(b, value);
	for (unsigned k = 0; k < b->n_ref; k++) {
		const uint64_t lin = reader_address(b, k, (const uint8_t *)value, 0);

		assert_int_equal(reader->n_slot, 1);
		stream_exec(&r->s, reader->id, &lin);
	}
}

static void on_line(void *ctx, const struct mdl_line *l)
{
	struct run *r = ctx;

	if (l->pc == CODE) {
		r->last_first_clk = r->first_clk;
		r->first_clk = l->clk;
	}
	/* NOT EBP */
	if (l->block->code[l->pc - l->block->pc] == 0xf7 &&
	    l->block->code[l->pc - l->block->pc + 1] == 0xd5)
		r->probe_clk = l->clk;
}

/* The blocks of a straight listing in order of execution, JZ not taken. */
static void straight(struct run *r)
{
	uint64_t pc = CODE;

	do {
		const struct x86_block *b = build(r, pc);

		execute(r, b);
		pc = b->term == X86_TERM_JCC ? b->fall : b->target;
	} while (pc != CODE);
}

static void run_case(const struct timing_case *c, const char *cpu)
{
	struct run r = {.c = c};
	struct mdl_config cfg;
	struct wires w;
	unsigned clk;

	stream_open(&r.s);
	r.builder = malloc(sizeof(*r.builder));
	assert_non_null(r.builder);
	x86_builder_init(r.builder, X86_MODE_32);
	memset(r.page, 0x90, sizeof(r.page));
	memcpy(r.page, c->bytes, c->n);
	for (uint64_t pc = CODE;;) {
		const struct x86_block *b = build(&r, pc);

		warm(&r, b);
		pc = b->term == X86_TERM_JCC ? b->fall : b->target;
		if (c->shape == LOOP || pc == CODE)
			break;
	}
	for (unsigned i = 0; i < TIMES; i++) {
		if (c->shape == LOOP)
			execute(&r, build(&r, CODE));
		else
			straight(&r);
	}
	cfg = stream_config(&r.s, cpu);
	cfg.on_line = on_line;
	cfg.line_ctx = &r;
	stream_run(&r.s, &cfg, &w);
	clk = (unsigned)(c->shape == STRAIGHT ? r.probe_clk - r.first_clk
					      : r.first_clk - r.last_first_clk);
	if (c->shape == REPEATED) /* and the jump */
		clk = (clk - 1) / 8;
	if (clk != c->clk)
		print_message("%s on %s: %u clocks, not %u: %s\n", c->name, cpu, clk, c->clk,
			      c->listing);
	assert_int_equal(clk, c->clk);
	free(r.builder);
	stream_close(&r.s);
}

static void listings(void **state)
{
	const struct timing_case *c = *state;

	if (c->cpus & PLAIN)
		run_case(c, "pentium");
	if (c->cpus & WITH_MMX)
		run_case(c, "pentium-mmx");
}

int main(void)
{
	enum { N = sizeof(cases) / sizeof(cases[0]) };
	struct CMUnitTest tests[N];

	for (unsigned i = 0; i < N; i++)
		tests[i] = (struct CMUnitTest){.name = cases[i].name,
					       .test_func = listings,
					       .initial_state = (void *)(uintptr_t)&cases[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
