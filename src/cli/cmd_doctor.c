/* cmd_doctor.c -- softpmu doctor: what this machine allows, what will not work, what to do. */
#include <stdbool.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/layout.h"
#include "session/machine/limits.h"
#include "session/machine/probes.h"

int cmd_doctor(int argc, char **argv)
{
	static const char *const words[] = {"ok  ", "note", "FAIL"};
	const struct ses_probe *probe;
	struct spmu_error err;
	char text[256];
	bool can_run = true;
	size_t n;

	if (argc > 1)
		return cli_fail("doctor: takes no arguments, but got %s", argv[1]);
	if (ses_limits_check_time(&err))
		return cli_complain(&err);
	probe = ses_probes(&n);
	for (size_t i = 0; i < n; i++) {
		enum ses_verdict_of_host v = probe[i].try(text, sizeof(text));

		layout_line(33, "%s  %-26s %s", words[v], probe[i].name, text);
		if (v != SES_HOST_FAILS)
			continue;
		can_run = false;
		if (probe[i].is_needed) {
			layout_line(0, "The rest was not tried, for want of this.");
			break;
		}
	}
	printf("\nsoftpmu %s run programs here.\n", can_run ? "can" : "cannot");
	return cli_close_stdout(can_run ? 0 : CLI_FAILED);
}
