/* error.c -- writes the sentence of a failure. Rules are in error.h. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

int spmu_fail(struct spmu_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -code;
}
