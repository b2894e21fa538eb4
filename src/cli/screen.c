/* screen.c -- asks for the terminal's width, colour and character set. Rules are in screen.h. */
#include "cli/screen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"

int cli_color_option(const char *value, enum cli_color *out)
{
	static const char *const names[] = {"auto", "always", "never"};

	for (int i = 0; i < 3; i++) {
		if (strcmp(value, names[i]))
			continue;
		*out = (enum cli_color)i;
		return 1;
	}
	cli_fail("--color %s: auto, always or never is wanted", value);
	return -1;
}

int cli_columns_given(void)
{
	const char *given = getenv("COLUMNS");
	const long n = given ? strtol(given, NULL, 10) : 0;

	return n > 0 && n < 10000 ? (int)n : 0;
}

static int columns_of(int fd)
{
	const int given = cli_columns_given();
	struct winsize size;

	if (given)
		return given;
	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

/* NO_COLOR counts when it is set and not empty (no-color.org). */
static bool wants_color(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no && *no) && term && *term && strcmp(term, "dumb");
}

/* The first of these that is set names the character set. When none is, the text is UTF-8:
 * terminals of today take it. */
static bool is_ascii(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (int i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return !strcasestr(value, "utf-8") && !strcasestr(value, "utf8");
	}
	return false;
}

struct rpt_screen cli_screen(FILE *out, enum cli_color color)
{
	const int fd = fileno(out), why = errno;
	const bool is_terminal = fd >= 0 && isatty(fd);

	errno = why; /* of what was written before */
	return (struct rpt_screen){
	    .has_bold = color == CLI_COLOR_ALWAYS ||
			(color == CLI_COLOR_AUTO && is_terminal && wants_color()),
	    .is_ascii = is_ascii(),
	    .columns = is_terminal ? columns_of(fd) : 0,
	};
}

struct rpt_screen cli_log_screen(FILE *out, enum cli_color color)
{
	struct rpt_screen screen = cli_screen(out, color);

	if (!screen.columns)
		screen.columns = cli_columns_given();
	return screen;
}
