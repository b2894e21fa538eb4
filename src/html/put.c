/* put.c -- writes numbers and texts of strangers so that they are text in HTML and in JSON. */
#include <inttypes.h>
#include <string.h>

#include "html/parts.h"

enum { MOST_TEXT = 4096, MOST_PERCENT = 1000 /* more is said as a multiple */ };

/* ---- paths ----------------------------------------------------------------------------------- */

/* Does a directory's name with a slash behind it begin at `at`? Its length, else 0. */
static size_t begins(const char *at, const char *directory)
{
	const size_t n = strlen(directory);

	return n > 1 && !strncmp(at, directory, n) && at[n] == '/' ? n + 1 : 0;
}

const char *htm_path(const struct htm *h, const char *text, char *out, size_t room)
{
	size_t n = 0;

	while (*text && n + 3 < room) {
		size_t skip = begins(text, h->in->base);

		if (!skip && (skip = begins(text, h->in->home)) != 0) {
			out[n++] = '~';
			out[n++] = '/';
		}
		if (!skip)
			out[n++] = *text++;
		text += skip;
	}
	out[n] = 0;
	return out;
}

const char *htm_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void htm_put_path(const struct htm *h, const char *text)
{
	char out[MOST_TEXT];

	htm_put(h, htm_path(h, text, out, sizeof(out)));
}

void htm_put_name(const struct htm *h, const char *name)
{
	char part[128];

	while (*name) {
		size_t n = strcspn(name, "_");

		n += name[n] == '_';
		n = n < sizeof(part) ? n : sizeof(part) - 1;
		snprintf(part, sizeof(part), "%.*s", (int)n, name);
		htm_put(h, part);
		name += n;
		fputs(*name ? "<wbr/>" : "", h->out);
	}
}

/* ---- numbers --------------------------------------------------------------------------------- */

const char *htm_number(int64_t n, char out[40])
{
	char digits[24];
	const int length =
	    snprintf(digits, sizeof(digits), "%" PRIu64, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
	int at = 0;

	if (n < 0)
		out[at++] = '-';
	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = 0;
	return out;
}

const char *htm_signed(int64_t n, char out[40])
{
	char plain[40];

	snprintf(out, 40, "%s%s", n > 0 ? "+" : "", htm_number(n, plain));
	return out;
}

const char *htm_share(int64_t part, uint64_t whole, char out[16])
{
	const double share = whole ? 100.0 * (double)part / (double)whole : 0;

	*out = 0;
	if (part && share < 0.05 && share > -0.05)
		snprintf(out, 16, "<0.1 %%");
	else if (part)
		snprintf(out, 16, "%.1f %%", share);
	return out;
}

const char *htm_change(int64_t old, int64_t new, char out[16])
{
	const double share = old ? 100.0 * (double)(new - old) / (double)old : 0;

	if (share >= MOST_PERCENT)
		snprintf(out, 16, "x%.0f", share / 100 + 1);
	else if (old)
		snprintf(out, 16, "%+.2f %%", share);
	else
		snprintf(out, 16, "%s", new ? "new" : "");
	return out;
}

int64_t htm_old_total(const struct htm *h, uint32_t e)
{
	return h->in->old ? (int64_t)h->in->old->event[e].total : 0;
}

/* ---- sections -------------------------------------------------------------------------------- */

void htm_begin(const struct htm *h, const char *id, const char *title)
{
	fprintf(h->out,
		"<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n",
		id, id, id, title);
}

void htm_begin_cell(const struct htm *h, const char *class, uint32_t e, int64_t value)
{
	fprintf(h->out, "<td class=\"%s\" data-event=\"", class);
	htm_put(h, h->in->rec->event[e].name);
	fprintf(h->out, "\" data-value=\"%" PRId64 "\"", value);
}

void htm_end(const struct htm *h)
{
	fputs("</section>\n", h->out);
}
