/* gnuplot.c -- charts as scripts for gnuplot, with their numbers inside. Rules: chart.h. */
#include <math.h>
#include <string.h>

#include "plot/chart.h"

/* Between double quotes; what gnuplot would read otherwise is escaped or left out. */
static void put_string(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fputc('\\', out);
		fputc(c == '`' || c < 0x20 || c == 0x7f ? '?' : c, out);
	}
	fputc('"', out);
}

static void put_value(double value, FILE *out)
{
	if (isnan(value))
		fputs(" NaN", out);
	else
		fprintf(out, " %.15g", value);
}

static void put_head(const struct plt_chart *c, FILE *out)
{
	fputs("# gnuplot FILE.gp draws a window; "
	      "gnuplot -e \"set term svg size 900,500; set output 'x.svg'\" FILE.gp a picture\n"
	      "set title ",
	      out);
	put_string(c->title, out);
	fputs(" noenhanced\nset xlabel ", out);
	put_string(c->x_label, out);
	fputs(" noenhanced\nset ylabel ", out);
	put_string(c->kind == PLT_HEAT ? "" : c->y_label, out);
	fputs(" noenhanced\nset key outside noenhanced\nset xtics noenhanced\nset ytics "
	      "noenhanced\nset grid\n",
	      out);
	if (c->kind != PLT_HEAT && plt_axis_of(c, false).is_log)
		fputs("set logscale y\n", out);
	if (c->kind == PLT_FRONT && plt_axis_of(c, true).is_log)
		fputs("set logscale x\n", out);
}

/* A row for each place: its number, its name, the value of each series. */
static void put_places(const struct plt_chart *c, FILE *out)
{
	fputs("$data << EOD\n", out);
	for (size_t i = 0; i < c->n_place; i++) {
		fprintf(out, "%zu ", i);
		put_string(c->place[i], out);
		for (size_t k = 0; k < c->n_series; k++)
			put_value(c->series[k].value[i], out);
		fputc('\n', out);
	}
	fputs("EOD\nset xtics rotate by -30\nplot ", out);
	for (size_t k = 0; k < c->n_series; k++) {
		fprintf(out, "%s$data using 1:%zu:xtic(2) with linespoints title ",
			k ? ", \\\n     " : "", k + 3);
		put_string(c->series[k].name, out);
	}
	fputc('\n', out);
}

/* A row for each series, from the last one up. Values are shares of the largest of the row. */
static void put_rows(const struct plt_chart *c, FILE *out)
{
	fputs("$data << EOD\n", out);
	for (size_t k = c->n_series; k--;) {
		double most = 0;

		for (size_t i = 0; i < c->n_place; i++)
			most = c->series[k].value[i] > most ? c->series[k].value[i] : most;
		for (size_t i = 0; i < c->n_place; i++)
			put_value(most > 0 ? c->series[k].value[i] / most : c->series[k].value[i],
				  out);
		fputc('\n', out);
	}
	fputs("EOD\nset xtics (", out);
	for (size_t i = 0; i < c->n_place; i++) {
		fputs(i ? ", " : "", out);
		put_string(c->place[i], out);
		fprintf(out, " %zu", i);
	}
	fputs(")\nset ytics (", out);
	for (size_t k = 0; k < c->n_series; k++) {
		fputs(k ? ", " : "", out);
		put_string(c->series[c->n_series - 1 - k].name, out);
		fprintf(out, " %zu", k);
	}
	fputs(")\nset nokey\nset cblabel \"share of the largest of its row\"\n"
	      "set cbrange [0:1]\nset palette defined (0 \"#ebf2fa\", 1 \"#14468c\")\n"
	      "plot $data matrix with image pixels\n",
	      out);
}

static void put_points(const struct plt_chart *c, FILE *out)
{
	for (size_t k = 0; k < c->n_series; k++)
		for (int is_front = 0; is_front < 2; is_front++) {
			fprintf(out, "$%s%zu << EOD\n", is_front ? "front" : "all", k);
			for (size_t i = 0; i < c->n_place; i++) {
				if (isnan(c->series[k].value[i]) || isnan(c->x[i]) ||
				    (is_front && !plt_is_front(c, &c->series[k], i)))
					continue;
				fprintf(out, "%.15g %.15g ", c->x[i], c->series[k].value[i]);
				put_string(c->place[i], out);
				fputc('\n', out);
			}
			fputs("EOD\n", out);
		}
	fputs("plot ", out);
	for (size_t k = 0; k < c->n_series; k++) {
		fprintf(out, "%s$all%zu using 1:2 with points pt 6 lc %zu title ",
			k ? ", \\\n     " : "", k, k + 1);
		put_string(c->series[k].name, out);
		fprintf(out,
			", \\\n     $front%zu using 1:2 smooth unique with steps lc %zu notitle", k,
			k + 1);
	}
	fputc('\n', out);
}

void plt_gnuplot(const struct plt_chart *c, FILE *out)
{
	put_head(c, out);
	if (c->kind == PLT_LINES)
		put_places(c, out);
	else if (c->kind == PLT_HEAT)
		put_rows(c, out);
	else
		put_points(c, out);
}
