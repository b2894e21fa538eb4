/* maxrss.c -- run a program and write the largest memory of itself and its waited-for children, in
 * KiB.
 *
 *   maxrss FILE PROGRAM ARGS...
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage use;
	FILE *f;
	int status;

	if (argc < 3)
		return 125;
	if (fork() == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (wait4(-1, &status, 0, &use) < 0 || !(f = fopen(argv[1], "w")))
		return 125;
	fprintf(f, "%ld\n", use.ru_maxrss);
	fclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
