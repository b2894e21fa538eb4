/* control.c -- opens the descriptors of --control, keeps --delay and --region. Rules are in
 * control.h. */
#include "cli/stat/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

#define MOST_DELAY_MS 86400000l

static void want(struct cli_control *c)
{
	if (!c->is_wanted)
		c->gate.commands = c->gate.answers = -1;
	c->is_wanted = true;
}

/* One descriptor by its number. Returns it, or -1. */
static int numbered(const char *text)
{
	char *end;
	const long n = strtol(text, &end, 10);

	return end == text || *end || n < 0 || n > 1 << 20 || fcntl((int)n, F_GETFD) < 0 ? -1
											 : (int)n;
}

int cli_control_option(struct cli_control *c, const char *value)
{
	const bool is_fifo = !strncmp(value, "fifo:", 5);
	char text[2048], *second;
	int fd[2] = {-1, -1};

	want(c);
	if ((!is_fifo && strncmp(value, "fd:", 3)) || strlen(value) >= sizeof(text)) {
		cli_fail("--control %s: write fd:IN, fd:IN,OUT, fifo:IN or fifo:IN,OUT", value);
		return -1;
	}
	strcpy(text, strchr(value, ':') + 1);
	second = strchr(text, ',');
	if (second)
		*second++ = 0;
	for (int i = 0; i < (second ? 2 : 1); i++) {
		const char *one = i ? second : text;

		/* a fifo that is open for both never blocks and never ends */
		fd[i] = is_fifo ? open(one, O_RDWR | O_NONBLOCK | O_CLOEXEC) : numbered(one);
		if (fd[i] < 0) {
			cli_fail("--control %s: %s: %s", value, one,
				 is_fifo ? strerror(errno) : "no such descriptor is open");
			return -1;
		}
	}
	c->gate.commands = fd[0];
	c->gate.answers = fd[1];
	c->is_own = is_fifo;
	return 1;
}

int cli_control_delay(struct cli_control *c, const char *value)
{
	char *end;
	const long n = strtol(value, &end, 10);

	want(c);
	if (end == value || *end || n < -1 || n > MOST_DELAY_MS) {
		cli_fail("--delay %s: milliseconds, or -1, are wanted", value);
		return -1;
	}
	c->gate.delay_ms = (int)n;
	return 1;
}

int cli_control_region(struct cli_control *c, const char *value)
{
	want(c);
	if (!*value || strlen(value) >= CLI_FUNCTION_NAME) {
		cli_fail("--region %s: a name of 1 to %u bytes is wanted", value,
			 CLI_FUNCTION_NAME - 1u);
		return -1;
	}
	c->gate.region = value;
	return 1;
}

int cli_control_check(const struct cli_control *c)
{
	if (!c->gate.region || (c->gate.commands < 0 && !c->gate.delay_ms))
		return 0;
	return cli_fail(
	    "--region %s and %s: one of the two says when the run counts; leave the other "
	    "away",
	    c->gate.region, c->gate.delay_ms ? "--delay" : "--control");
}

/* The program was never in the region. met: what it marked. */
static void say_nothing(const struct cli_control *c, const char *met, uint64_t n_calls)
{
	char why[CLI_FUNCTION_NAME + 512] = "";

	if (c->function)
		cli_function_explain(c->function, n_calls, why, sizeof(why));
	fprintf(stderr,
		"softpmu: the program was never in the region '%s', so nothing is recorded%s%s",
		c->gate.region, *why ? ": " : "", why);
	if (*met)
		fprintf(stderr, " (it marked: %s)", met);
	else if (!c->function || !*c->function->found)
		fputs(" (it marked none; man softpmu-record says how)", stderr);
	fputc('\n', stderr);
}

int cli_control_regions(const struct cli_control *c, struct ses_result *run)
{
	char met[256] = "";
	size_t n = 0, n_met = run->n_region, kept = 0;

	if (!c->gate.region)
		return 0;
	for (size_t i = 0; i < n_met; i++) {
		struct ses_region *one = &run->region[i];

		if (n < sizeof(met) - SES_REGION_NAME - 2)
			n += (size_t)snprintf(met + n, sizeof(met) - n, "%s%s", n ? ", " : "",
					      one->name);
		if (strcmp(one->name, c->gate.region))
			free(one->count);
		else
			run->region[kept++] = *one;
	}
	run->n_region = kept;
	if (kept && c->function && *c->function->found)
		fprintf(stderr,
			"softpmu: '%s' is a mark of the program and a function of %s: the mark was "
			"counted\n",
			c->gate.region, c->function->found);
	if (kept || run->instructions)
		return 0;
	say_nothing(c, met, run->n_function_calls);
	return CLI_FAILED;
}

const struct ses_gate_config *cli_control_gate(const struct cli_control *c)
{
	return c->is_wanted ? &c->gate : NULL;
}

void cli_control_close(struct cli_control *c)
{
	for (int i = 0; c->is_own && i < 2; i++)
		if ((i ? c->gate.answers : c->gate.commands) >= 0)
			close(i ? c->gate.answers : c->gate.commands);
	c->is_own = false;
}
