# Makes a program of the rows of p6_uops.tsv with the given width (-v bits=64): PROGRAM NNNN executes the snippet of row NNNN a hundred
# times, 0000 the same without a snippet.
BEGIN {
	FS = "\t"
	wide = bits == 64
	a = wide ? "r" : "e"
	size = wide ? ".quad" : ".long"
	print "\t.intel_syntax noprefix\n\t.globl _start\n\t.text"
	print "_start:"
	printf "\tmov %sbx,[%ssp+%d]\n\txor eax,eax\n\txor edx,edx\n", a, a, wide ? 16 : 8
	for (i = 0; i < 4; i++)
		printf "\tmov dl,[%sbx+%d]\n\timul eax,eax,10\n\tlea eax,[%sax+%sdx-48]\n", a, i, a, a
	printf "\tmov %sbp,%sax\n\tpush 0\n", a, a
	# SIGTRAP has a handler that returns
	if (wide)
		print "\tmov eax,13; mov edi,5; lea rsi,action[rip]; xor edx,edx; mov r10d,8; syscall"
	printf "\tlea %ssi,data%s\n\tlea %sdi,[%ssi+4096]\n\tlea %sbx,[%ssi+8192]\n", a, wide ? "[rip]" : "", a, a, a, a
	printf "\tmov dword ptr [%ssi],1\n\tmov dword ptr [%sbx+4],1000\n\tmov eax,1\n\tmov ecx,1\n\tmov edx,0\n\tfninit\n\tfld1\n\tfld1\n", a, a
	printf "\tlea %sbp,[%sbp*%d]\n\tjmp table[%sbp]\n", a, a, wide ? 8 : 4, a
	n = 0
	body(n, "")
}
/^#/ { next }
{
	n++
	if ($3 == bits)
		body(n, $5)
}
function body(n, snippet) {
	printf "row%d:\tmov dword ptr count%s,100\n7:\t%s\n\tdec dword ptr count%s\n\tjnz 7b\n\tjmp leave_it\n", n,
		wide ? "[rip]" : "", snippet, wide ? "[rip]" : ""
	has[n] = 1
}
END {
	print wide ? "leave_it:\tmov eax,60\n\txor edi,edi\n\tsyscall" : "leave_it:\tmov eax,1\n\txor ebx,ebx\n\tint 0x80"
	if (wide)
		print "handler:\tret\nrestore:\tmov eax,15\n\tsyscall"
	print "\t.data\n\t.balign 8\ntable:"
	for (i = 0; i <= n; i++)
		print "\t" size " " (has[i] ? "row" i : "leave_it")
	if (wide)
		print "action:\t.quad handler,0x4000000,restore,0"
	print "count:\t.long 0\n\t.bss\n\t.balign 64\ndata:\t.skip 16384\n\t.section .note.GNU-stack,\"\",@progbits"
}
