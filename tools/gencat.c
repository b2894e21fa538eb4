/* gencat.c -- catalog/ to C: checks the tables and writes gen/wire*.h, gen/p5_params.h and
 * gen/catalog_tables.c.
 *
 * usage: gencat CATALOG OUTPUT     read the folder CATALOG, write into the folder OUTPUT
 *        gencat --check CATALOG    only check
 *        gencat --dump CATALOG     print one line per (event, counter, unit mask), for tests
 *
 * A bad row is one line on standard error, "file:line: what", and exit status 1; nothing is
 * written.
 */
#include "gencat.h"

#include <stdio.h>
#include <string.h>

/* One line per (event, counter, unit mask): what tests compare with other tables. An event without
 * choice of mask has mask 00, on the P5, which has no masks, "-". */
static void dump(const struct catalog *c)
{
	static const char *const kind[] = {"occ", "dur", "weighted"};

	for (size_t i = 0; i < c->n_event; i++) {
		const struct event *e = &c->event[i];

		for (int ctr = 0; ctr < 2; ctr++) {
			if (!(e->counters >> ctr & 1))
				continue;
			for (int k = N_CLASS - 1; k >= 0; k--) {
				if (!(e->cpus >> k & 1))
					continue;
				if (!e->n_umask)
					printf("%s\t%02XH\t%d\t%s\t%s\t%s\n", gen_class[k],
					       (unsigned)e->code, ctr,
					       strcmp(gen_family[e->family].name, "p5") == 0 ? "-"
											     : "00",
					       e->name, kind[e->kind]);
				for (int u = 0; u < e->n_umask; u++)
					printf("%s\t%02XH\t%d\t%02X\t%s\t%s\n", gen_class[k],
					       (unsigned)e->code, ctr, (unsigned)e->umask[u].value,
					       e->name, kind[e->kind]);
			}
		}
	}
}

int main(int argc, char **argv)
{
	bool is_check = argc == 3 && strcmp(argv[1], "--check") == 0;
	bool is_dump = argc == 3 && strcmp(argv[1], "--dump") == 0;
	struct catalog c = {.root = is_check || is_dump ? argv[2] : argv[1]};

	if (argc != 3) {
		fprintf(stderr,
			"usage: gencat [--check | --dump] CATALOG | gencat CATALOG OUTPUT\n");
		return 1;
	}
	gen_read_tables(&c);
	if (!c.n_complaint)
		gen_build(&c);
	if (!c.n_complaint)
		gen_check(&c);
	if (c.n_complaint) {
		fprintf(stderr, "gencat: %d complaint%s about %s\n", c.n_complaint,
			c.n_complaint == 1 ? "" : "s", c.root);
		return 1;
	}
	if (is_dump)
		dump(&c);
	bool is_good = is_check || is_dump ||
		       (gen_emit_wires(&c, argv[2]) && gen_emit_params(&c, argv[2]) &&
			gen_emit_tables(&c, argv[2]));
	gen_free_all();
	return is_good ? 0 : 1;
}
