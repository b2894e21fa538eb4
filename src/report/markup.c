/* markup.c -- escapes text for XML and HTML, character by character of UTF-8. */
#include "report/markup.h"

#include <stdint.h>

/* Bytes of the UTF-8 character at s, 0: it is none, or none that XML may have. */
static int utf8_length(const unsigned char *s)
{
	const int n = s[0] < 0x80		    ? 1
		      : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
		      : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
		      : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
						    : 0;
	uint32_t c = n == 1 ? s[0] : n ? s[0] & (0x7fu >> n) : 0;

	for (int i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if ((c < 0x20 && c != '\n' && c != '\t') || (n == 3 && c < 0x800) ||
	    (n == 4 && (c < 0x10000 || c > 0x10ffff)) || (c >= 0xd800 && c < 0xe000) ||
	    c == 0xfffe || c == 0xffff || c == 0x7f)
		return 0;
	return n;
}

void rpt_put_text(const char *text, FILE *out)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		const int n = utf8_length(s);

		if (*s == '&')
			fputs("&amp;", out);
		else if (*s == '<')
			fputs("&lt;", out);
		else if (*s == '>')
			fputs("&gt;", out);
		else if (*s == '"')
			fputs("&quot;", out);
		else if (!n)
			fputc('?', out);
		else
			fwrite(s, 1, (size_t)n, out);
		s += n ? n : 1;
	}
}
