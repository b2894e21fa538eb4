/* call_page.c -- the page through which a 32-bit program may enter the kernel (AT_SYSINFO),
 * where the kernel's old vdso lay. Its code belongs to the program and is translated and
 * counted.
 *
 * MODELLED       int 80h; the place where SYSENTER comes back; both ways out of a signal
 *                handler.
 * NOT MODELLED   everything else in a vdso: clocks are system calls.
 */
#include "guest/gst.h"

void gst_call_page_map(struct gst *g)
{
	static const uint8_t code[] = {
	    [GST_CALL_INT80] = 0xcd,
	    0x80,
	    0xc3,
	    /* a call that starts again does so by the INT in front of the landing place */
	    [GST_CALL_LANDING - 2] = 0xcd,
	    0x80,
	    0x5d,
	    0x5a,
	    0x59,
	    0xc3,
	    [GST_CALL_SIGRETURN] = 0x58,
	    0xb8,
	    119,
	    0,
	    0,
	    0,
	    0xcd,
	    0x80,
	    [GST_CALL_RT_SIGRETURN] = 0xb8,
	    173,
	    0,
	    0,
	    0,
	    0xcd,
	    0x80,
	};
	uint64_t at = SHR_CALL_PAGE_32;
	long ret;

	g->layout.end += GST_PAGE; /* for this page only */
	ret = gst_map(g, at, GST_PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0, GST_VMA_PLAIN);
	if (ret == (long)at) {
		memcpy((void *)at, code, sizeof(code));
		gst_vma_find(&g->vmas, at)->name = gst_name(g, "[vdso]");
		ret = gst_protect(g, at, GST_PAGE, PROT_READ | PROT_EXEC);
	}
	g->layout.end -= GST_PAGE;
	if (gst_is_error(ret))
		gst_refuse_error(g, "cannot map the page of system calls", NULL, ret);
}
