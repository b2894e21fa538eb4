/* sources.c -- --prefix, --source-dir and --inline: from the command line to nm_open(). */
#include "cli/where/sources.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/options.h"

static int take_prefix(struct cli_sources *s, const char *value)
{
	const char *is = strchr(value, '=');

	if (!is || is == value)
		cli_fail("--prefix %s: write OLD=NEW, as /build/prog=src", value);
	else if (s->n_prefix == NM_MOST_PREFIXES)
		cli_fail("--prefix %s: %u of them are the most", value, NM_MOST_PREFIXES);
	else
		s->prefix[s->n_prefix++] = value;
	return is && is > value && s->prefix[s->n_prefix - 1] == value ? 1 : -1;
}

static int take_directory(struct cli_sources *s, const char *value)
{
	struct stat st;

	if (stat(value, &st) || !S_ISDIR(st.st_mode)) {
		cli_fail("--source-dir %s: there is no such directory", value);
		return -1;
	}
	s->directory = value;
	return 1;
}

int cli_source_option(struct cli_sources *s, int option, const char *value)
{
	if (option == OPT_inline) {
		s->shows_inlined = true;
		return 1;
	}
	if (option == OPT_prefix)
		return take_prefix(s, value);
	return option == OPT_source_dir ? take_directory(s, value) : 0;
}

struct nm *cli_names(const struct cli_sources *s)
{
	struct nm *names = nm_open();

	for (unsigned i = 0; i < s->n_prefix && names; i++)
		nm_prefix(names, s->prefix[i]);
	if (names && s->shows_inlined)
		nm_show_inlined(names);
	if (names && s->directory)
		nm_source_dir(names, s->directory);
	return names;
}
