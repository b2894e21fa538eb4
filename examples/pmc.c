/* pmc.c -- rabbit's library: the command line says which pairs of events count a loop, which is
 * measured twice.
 *
 *     softpmu run --clock model -- ./pmc --e 0xc0,0xc2 --e DATA_MEM_REFS,DCU_LINES_IN -S 2 */
#include <softpmu/pmc_lib.h>

static int number[65536];

static void loop(void)
{
	for (int i = 0; i < 65536; i++)
		number[i] += i;
}

int main(int argc, char **argv)
{
	pmc_control_t ctl = pmc_control_null;
	pmc_counter_t c;
	int is_good;

	is_good = pmc_getargs(stderr, argv[0], &argc, &argv, &ctl);
	if (is_good && !(is_good = pmc_open(FALSE)))
		fprintf(stderr, "%s: %s\n", argv[0], pmc_message());
	for (int i = 0; is_good && i < ctl.event_pairs; i++) {
		is_good = pmc_select(&ctl, i);
		if (!is_good) {
			fprintf(stderr, "%s: %s\n", argv[0], pmc_message());
			break;
		}
		pmc_counter_init(&c);
		for (int twice = 0; twice < 2; twice++) {
			pmc_counter_start(&c);
			loop();
			pmc_counter_stop(&c);
		}
		pmc_print_results(stdout, &ctl, &c);
	}
	pmc_close();
	pmc_control_free(&ctl);
	return !is_good;
}
