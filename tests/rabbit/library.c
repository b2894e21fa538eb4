/* library.c -- <softpmu/pmc_lib.h> on loops whose instructions are counted beforehand; prints
 * what run.sh expects. */
#include <softpmu/pmc_events.h>
#include <softpmu/pmc_lib.h>
#include <string.h>

/* 2*N + 1 instructions, N of them branches. */
#define LOOP(n) __asm__ volatile("mov %0, %%ecx\n1:\tdec %%ecx\n\tjnz 1b" : : "i"(n) : "ecx", "cc")

static int fail(void)
{
	printf("FAIL %s\n", pmc_message());
	return 1;
}

static void measure_loop(void)
{
	pmc_counter_t c;

	pmc_counter_init(&c);
	for (int i = 0; i < 2; i++) {
		pmc_counter_start(&c);
		LOOP(1000);
		pmc_counter_stop(&c);
	}
	printf("loop %llu %llu, least %llu, most %llu\n", (unsigned long long)c.event[0],
	       (unsigned long long)c.event[1], (unsigned long long)c.least[0],
	       (unsigned long long)c.most[0]);
}

static void measure_nothing(void)
{
	pmc_counter_t c;

	pmc_counter_init(&c);
	for (int i = 0; i < 10; i++) {
		pmc_counter_start(&c);
		pmc_counter_stop(&c);
	}
	printf("nothing %lu %llu %llu\n", c.n, (unsigned long long)c.event[0],
	       (unsigned long long)c.event[1]);
}

static void read_twice(void)
{
	pmc_data_t a, b;

	pmc_read(&a);
	LOOP(100000);
	pmc_read(&b);
	printf("reads %d %d\n", (int)((pmc_event(&b, 1) - pmc_event(&a, 1)) / 1000),
	       (int)((pmc_cycle(&b) - pmc_cycle(&a)) / 1000));
}

static void sample(pmc_control_t *ctl)
{
	pmc_counter_t c;

	pmc_counter_init(&c);
	pmc_begin_sampling(ctl, &c);
	LOOP(10000000);
	pmc_end_sampling();
	printf("samples %lu, %d million\n", c.n, (int)(c.event[0] / 1000000));
	pmc_print_results(stdout, ctl, &c);
}

static int measure(pmc_control_t *ctl)
{
	ctl->event[0] = INST_RETIRED;
	ctl->event[1] = BR_INST_RETIRED;
	if (!pmc_open(FALSE) || !pmc_select(ctl, -1))
		return fail();
	measure_nothing();
	measure_loop();
	read_twice();
	ctl->event[0] = ctl->event[1] = FLOPS;
	printf("wrong pair %d: %s\n", pmc_select(ctl, -1), pmc_message());
	printf("no pair %d: %s\n", pmc_select(ctl, 9), pmc_message());
	if (!pmc_select(ctl, 0))
		return fail();
	sample(ctl);
	pmc_close();
	return 0;
}

int main(int argc, char **argv)
{
	pmc_control_t ctl = pmc_control_null;
	char *foo[] = {"./foo", NULL};
	int rc;

	if (!pmc_getargs(stdout, argv[0], &argc, &argv, &ctl))
		return 2;
	printf("rest %d %s\n", argc, argc > 1 ? argv[1] : "-");
	printf("pairs %d %x %x\n", ctl.event_pairs, ctl.list[0][0], ctl.list[0][1]);
	printf("valid %d %d %d\n", pmc_event_valid(FLOPS, 0), pmc_event_valid(FLOPS, 1),
	       pmc_event_valid(0xff, 0));
	printf("name %s %d\n", pmc_event_name(FLOPS, 0), pmc_event_description(FLOPS, 1) == NULL);
	rc = argc > 1 && !strcmp(argv[1], "command") ? pmc_run_command(&ctl, foo) : measure(&ctl);
	pmc_control_free(&ctl);
	return rc;
}
