/* print.c -- fills text and groups digits. Rules are in print.h. */
#include "rabbit/print.h"

#include <inttypes.h>
#include <string.h>

#define LAST_COLUMN 80

void rbt_print_text(const char *text, int at, int column, FILE *out)
{
	if (at >= column) {
		fputc('\n', out);
		at = 0;
	}
	fprintf(out, "%*s", column - at, "");
	at = column;
	while (*text) {
		const int n = (int)strcspn(text, " \n");

		if (at > column && at + 1 + n > LAST_COLUMN) {
			fprintf(out, "\n%*s", column, "");
			at = column;
		}
		at += fprintf(out, "%s%.*s", at > column ? " " : "", n, text);
		text += n;
		text += strspn(text, " \n");
	}
	fputc('\n', out);
}

const char *rbt_number(uint64_t n, char out[32])
{
	char digits[24];
	const int length = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	int at = 0;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = 0;
	return out;
}
