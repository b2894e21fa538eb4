/* diagram.c -- writes the block diagram of stat --diagram and of explain. Rules are in diagram.h.
 *
 * Files are opened before the program runs, so that a wrong name costs no run, and are written
 * when the counts are there. What a file held stays until then.
 */
#include "cli/stat/diagram.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/screen.h"
#include "report/diagram/picture.h"

int cli_diagram_option(struct cli_diagram *d, const char *value)
{
	const size_t n = value ? strlen(value) : 0;

	if (value && (n < 5 || strcmp(value + n - 4, ".svg") != 0)) {
		cli_fail(
		    "--diagram=%s: the picture is written as SVG; name a file that ends in .svg",
		    value);
		return -1;
	}
	if (value)
		d->file = value;
	else
		d->is_wanted = true;
	return 1;
}

/* ---- files ------------------------------------------------------------ */

/* Opens FILE.svg, or FILE.NAME.svg for one of several machines, with dots for blanks. An old
 * content stays until there is a picture. */
static int open_file(struct cli_diagram *d, const char *name)
{
	char path[4096];
	int length = (int)strlen(d->file) - 4, at = length;

	if (name)
		length = snprintf(path, sizeof(path), "%.*s.%s.svg", length, d->file, name);
	else
		length = snprintf(path, sizeof(path), "%s", d->file);
	if (length >= (int)sizeof(path))
		return cli_fail("--diagram=%.60s...: the name is too long", d->file);
	for (; name && at < length; at++)
		if (path[at] == ' ')
			path[at] = '.';
	d->out[d->n_out] = fopen(path, "ae");
	if (!d->out[d->n_out])
		return cli_fail("--diagram=%s: cannot write it: %s", path, strerror(errno));
	d->n_out++;
	return 0;
}

void cli_diagram_close(struct cli_diagram *d)
{
	for (size_t i = 0; i < d->n_out; i++)
		fclose(d->out[i]);
	d->n_out = 0;
}

/* ---- stat ------------------------------------------------------------- */

static int refuse_picture(const struct cli_diagram *d, const struct ses_config *cfg, bool is_table,
			  const char *against)
{
	if (d->is_wanted && !is_table)
		return cli_fail(
		    "--diagram stands in the table's place, and -x, -j and --json have none; write "
		    "--diagram=FILE.svg, which goes beside them");
	if (d->is_wanted && (cfg->keeps_threads || cfg->keeps_processes || cfg->keeps_regions))
		return cli_fail("--diagram and --per-thread, --per-process or --per-region: the "
				"picture is of the whole "
				"program; leave one of them away, or write --diagram=FILE.svg");
	if (d->is_wanted && against)
		return cli_fail("--diagram and --against: the picture has no room for old counts; "
				"leave one of them "
				"away, or write --diagram=FILE.svg");
	return 0;
}

static int open_all(struct cli_diagram *d, const struct cat_cpu *cpu, const char *name)
{
	if (!cat_diagram_of(cpu))
		return cli_fail(
		    "--diagram: there is no picture of the %s; the P6 and the Pentium have one",
		    cpu->name);
	return d->file ? open_file(d, name) : 0;
}

int cli_diagram_open(struct cli_diagram *d, const struct ses_config *cfg, bool is_table,
		     const char *against, const struct cli_column *column, size_t n)
{
	int code = 0;

	if (!d->is_wanted && !d->file)
		return 0;
	code = refuse_picture(d, cfg, is_table, against);
	for (size_t i = 0; i < n && !code; i++)
		code = open_all(d, column[i].cpu, column[i].name);
	return code;
}

/* Writes the picture in place of the file's old content; a pipe or a device has none. Returns 0 or
 * -SPMU_ENOMEM. The caller checks ferror(). */
static int write_picture(const struct dgm_picture *p, const char *title, FILE *out)
{
	const bool is_empty = !ftruncate(fileno(out), 0);

	(void)is_empty;
	return dgm_svg(p, title, out);
}

static int write_one(const struct rpt_report *r, FILE *out)
{
	struct dgm_picture p;
	char title[512];
	size_t n = 0;
	int rc = dgm_of_report(r, &p);

	for (size_t i = 0; r->argv[i] && n < sizeof(title); i++)
		n += (size_t)snprintf(title + n, sizeof(title) - n, "%s%s", i ? " " : "",
				      r->argv[i]);
	if (!rc)
		rc = write_picture(&p, title, out);
	dgm_free(&p);
	return rc;
}

int cli_diagram_write(struct cli_diagram *d, const struct rpt_report *reports, size_t n)
{
	int code = 0;

	for (size_t i = 0; i < d->n_out && i < n && !code; i++) {
		if (write_one(&reports[i], d->out[i]))
			code = cli_fail("--diagram: out of memory for the picture");
		else if (fflush(d->out[i]) || ferror(d->out[i]))
			code = cli_fail("--diagram=%s: not everything could be written: %s",
					d->file, strerror(errno));
	}
	return code;
}

/* ---- explain ---------------------------------------------------------- */

int cli_diagram_explain(const struct cat_cpu *cpu, const char *file)
{
	struct cli_diagram d = {.is_wanted = !file, .file = file};
	const struct rpt_screen screen = cli_screen(stdout, CLI_COLOR_AUTO);
	const struct dgm_style style = {.has_bold = screen.has_bold, .is_ascii = screen.is_ascii};
	struct dgm_picture p = {0};
	int code = open_all(&d, cpu, NULL), rc;

	if (code)
		return code;
	rc = dgm_of_cpu(cpu, &p);
	if (!rc && !file) {
		printf("%s\n", cpu->text);
		rc = dgm_text(&p, &style, stdout);
	} else if (!rc) {
		rc = write_picture(&p, cpu->text, d.out[0]);
	}
	if (rc)
		code = cli_fail("--diagram: out of memory for the picture");
	else if (file && (fflush(d.out[0]) || ferror(d.out[0])))
		code = cli_fail("--diagram=%s: not everything could be written: %s", file,
				strerror(errno));
	dgm_free(&p);
	cli_diagram_close(&d);
	return code;
}
