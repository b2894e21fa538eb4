#include "guest/areas.h"

#include "guest/bytes.h"
#include "guest/sys.h"
#include "trace/share.h"

void gst_fail(const char *text)
{
	SYS3(write, 2, "softpmu-guest: ", 15);
	SYS3(write, 2, text, gst_length(text));
	SYS3(write, 2, "\n", 1);
	for (;;)
		SYS1(exit_group, REQ_GAVE_UP);
}

void gst_areas_map(int fd, uint64_t shift, int is_over)
{
	const struct {
		uint64_t at, bytes, off;
		uint32_t prot;
	} area[] = {
		{ SHR_CODE_BASE + shift, SHR_CODE_BYTES, SHR_CODE_OFF, PROT_READ | PROT_EXEC },
		{ SHR_COUNT_BASE + shift, SHR_COUNT_BYTES, SHR_COUNT_OFF, PROT_READ | PROT_WRITE },
		{ SHR_TAB_BASE, SHR_TAB_BYTES, SHR_TAB_OFF, PROT_READ },
		{ SHR_CTL_BASE, SHR_CTL_BYTES, SHR_CTL_OFF, PROT_READ | PROT_WRITE },
		{ SHR_RING_BASE, SHR_RING_BYTES, SHR_RING_OFF, PROT_READ | PROT_WRITE },
	};
	uint32_t flags = MAP_SHARED | MAP_NORESERVE | (is_over ? MAP_FIXED : MAP_FIXED_NOREPLACE);

	for (unsigned i = 0; i < sizeof(area) / sizeof(area[0]); i++) {
		long ret = SYS6(mmap, area[i].at, area[i].bytes, area[i].prot, flags, fd, area[i].off);

		if (ret != (long)area[i].at)
			gst_fail("cannot map the memory shared with softpmu; is the address space limited (ulimit -v)?");
	}
}
