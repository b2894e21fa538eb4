/* narrow_request.c -- ioctl of i386 programs on a kernel without INT 80h. Rules: narrow.h.
 *
 * LIMITS  Requests whose structure has one layout in both widths, as far as they are listed here,
 *         and those of network interfaces without further pointers. Others answer ENOTTY.
 */
#include "guest/narrow/narrow.h"

#include "guest/memory/copy.h"

#define TERMINALS	   0x54u
#define SOCKETS		   0x89u
#define INTERFACES	   0x8910u /* to 0x8960: struct ifreq */
#define INTERFACES_END	   0x8960u
#define INTERFACES_LIST	   0x8912u /* a pointer in the structure */
#define INTERFACES_TOOL	   0x8946u
#define OLD_STAMP	   0x8906u /* a time, and one behind it */
#define INTERFACE_BYTES_32 32u
#define INTERFACE_BYTES	   40u
#define F_GETFD_CODE	   1u

static long make(const struct gst_narrow *n, uint64_t request, uint64_t third)
{
	return gst_narrow_make(n, __NR_ioctl, n->a[0], request, third, 0, 0, 0);
}

static long interface(const struct gst_narrow *n)
{
	uint8_t request[INTERFACE_BYTES] = {0};
	long ret;

	if (gst_copy_in(request, n->a[2], INTERFACE_BYTES_32))
		return -EFAULT;
	ret = make(n, n->a[1], (uint64_t)request);
	if (ret < 0)
		return ret;
	return gst_copy_out(n->a[2], request, INTERFACE_BYTES_32) ? -EFAULT : ret;
}

static long not_known(const struct gst_narrow *n)
{
	const long ret = gst_narrow_make(n, __NR_fcntl, n->a[0], F_GETFD_CODE, 0, 0, 0, 0);

	return ret < 0 ? ret : -ENOTTY;
}

/* Returns the request's number in x86-64, or 0. The number has the size of a long in it where the
 * kernel's own name says so. */
static uint32_t of_files(uint32_t request)
{
	static const struct {
		uint32_t narrow, wide;
	} known[] = {
	    {0x80046601, 0x80086601}, /* FS_IOC_GETFLAGS */
	    {0x40046602, 0x40086602}, /* FS_IOC_SETFLAGS */
	    {0x80047601, 0x80087601}, /* FS_IOC_GETVERSION */
	    {0xc020660b, 0xc020660b}, /* FS_IOC_FIEMAP */
	    {0x801c581f, 0x801c581f}, /* FS_IOC_FSGETXATTR */
	    {0x401c5820, 0x401c5820}, /* FS_IOC_FSSETXATTR */
	    {0x40049409, 0x40049409}, /* FICLONE */
	    {0x4020940d, 0x4020940d}, /* FICLONERANGE */
	    {0xc0189436, 0xc0189436}, /* FIDEDUPERANGE */
	    {0x80045200, 0x80045200}, /* RNDGETENTCNT */
	    {0x00000001, 0x00000001}, /* FIBMAP */
	    {0x00000002, 0x00000002}, /* FIGETBSZ */
	    {0x80041272, 0x80081272}, /* BLKGETSIZE64 */
	    {0x0000125e, 0x0000125e}, /* BLKROGET */
	    {0x00001261, 0x00001261}, /* BLKFLSBUF */
	    {0x00001268, 0x00001268}, /* BLKSSZGET */
	    {0x0000127b, 0x0000127b}, /* BLKPBSZGET */
	};

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].narrow == request)
			return known[i].wide;
	return 0;
}

long gst_narrow_request(const struct gst_narrow *n)
{
	const uint32_t request = (uint32_t)n->a[1], wide = of_files(request);

	if (wide)
		return make(n, wide, n->a[2]);
	if ((request >> 8 & 0xff) == TERMINALS)
		return make(n, request, n->a[2]);
	if ((request >> 8 & 0xff) != SOCKETS || request == INTERFACES_LIST ||
	    request == INTERFACES_TOOL || (request | 1) == (OLD_STAMP | 1) ||
	    (request >= INTERFACES_END && request <= 0xffff))
		return not_known(n);
	if (request >= INTERFACES && request < INTERFACES_END)
		return interface(n);
	return make(n, request, n->a[2]);
}
