/* fuzz_perfev.c -- attributes of perf_event_open from any bytes: accepted ones name an event of the
 * processor and come out as they went in, the others have an error number; nothing else happens.
 *
 * First byte: processor. Second and third: the size that the program says. The rest: the struct,
 * then zeros.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perfev/attr.h"
#include "perfev/what.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static int is_known_error(int rc)
{
	return rc == -EINVAL || rc == -E2BIG || rc == -EACCES || rc == -ENOENT || rc == -EOPNOTSUPP;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const char *const name[] = {"pentium", "pentium-mmx", "pentiumpro", "pentium2",
					   "pentium3"};
	uint8_t bytes[4096] = {0};
	struct perf_event_attr a;
	struct pev_what w;
	uint32_t size;
	int rc;

	if (n < 3)
		return 0;
	size = (uint32_t)p[1] | (uint32_t)p[2] << 8;
	memcpy(bytes, p + 3, n - 3 < sizeof(bytes) ? n - 3 : sizeof(bytes));
	rc = pev_attr_read(bytes, size, &a);
	if (rc) {
		if (!is_known_error(rc))
			abort();
		return 0;
	}
	if (a.size < PERF_ATTR_SIZE_VER0 || a.size > sizeof(bytes) ||
	    memcmp(&a.config, bytes + 8, 8))
		abort();
	rc = pev_attr_check(&a, p[0] & 0x80);
	if (rc && !is_known_error(rc))
		abort();
	rc = pev_what(cat_find_cpu(name[p[0] % 5]), &a, &w);
	if (rc ? !is_known_error(rc)
	       : w.kind == PEV_HARDWARE && (!w.event.event || !w.counters || w.counters > 3))
		abort();
	return 0;
}
