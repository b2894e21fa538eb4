/* screen.c -- bold text, shortened names, filled lines. Rules are in screen.h. */
#include "report/screen.h"

#include <string.h>

#include "base/function_name.h"

#define LEAST_COLUMNS 40

const char *rpt_bold(const struct rpt_screen *s, bool is_bold)
{
	return s->has_bold && is_bold ? "\033[1m" : "";
}

const char *rpt_plain(const struct rpt_screen *s, bool is_bold)
{
	return s->has_bold && is_bold ? "\033[m" : "";
}

const char *rpt_fold(const char *name, int room, char out[128])
{
	if (room <= 0 || (int)strlen(name) <= room)
		return name;
	room = room < 127 ? room : 127;
	snprintf(out, 128, "..%s", name + strlen(name) - (room > 2 ? room - 2 : 0));
	return out;
}

const char *rpt_fold_arguments(const char *name, char out[RPT_FOLDED])
{
	size_t n = 0;
	int depth = 0;

	for (const char *s = name; *s && n + 5 < RPT_FOLDED; s++) {
		const size_t whole = function_name_word(name, s);
		/* Go: (*T).f has a name in them */
		const bool opens = *s == '<' || (*s == '(' && (depth || s[1] != '*'));
		const bool closes = *s == '>' || *s == ')';

		if (whole) {
			if (!depth && n + whole + 5 < RPT_FOLDED) {
				memcpy(out + n, s, whole);
				n += whole;
			}
			s += whole - 1;
			continue;
		}
		if (closes && depth)
			depth--;
		if (!depth)
			out[n++] = *s;
		if (opens && !depth++ && s[1] != '>' && s[1] != ')') {
			memcpy(out + n, "...", 3);
			n += 3;
		}
	}
	out[n] = 0;
	return out;
}

int rpt_indent(const struct rpt_screen *s, int indent)
{
	return s->columns && indent > s->columns / 2 ? s->columns / 2 : indent;
}

void rpt_wrap(const struct rpt_screen *s, const char *text, int indent, FILE *out)
{
	const int columns = s->columns && s->columns < LEAST_COLUMNS ? LEAST_COLUMNS : s->columns;
	int at = 0;

	while (columns && *text) {
		const int blanks = (int)strspn(text, " "), n = (int)strcspn(text + blanks, " ");
		/* a long word begins further left */
		const int most = n < columns ? columns - n : 0;

		if (at > indent && at + blanks + n > columns) {
			at = indent < most ? indent : most;
			fprintf(out, "\n%*s", at, "");
			text += blanks;
		} else {
			const int gap = at || blanks <= most ? blanks : most;

			fprintf(out, "%*s%.*s", gap, "", n, text + blanks);
			at += gap + n;
			text += blanks + n;
		}
	}
	fprintf(out, "%s\n", text);
}
