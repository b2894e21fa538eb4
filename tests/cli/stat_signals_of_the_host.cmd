# The child's end comes where the host says: it is named where counts differ. What the program sends itself, and its timers, are not.
cat >p.c <<'end'
#define _GNU_SOURCE
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile sig_atomic_t n;
static void count(int sig) { n++; }
int main(int argc, char **argv)
{
	const struct itimerval soon = {{0, 0}, {0, 100}};
	signal(SIGCHLD, count);
	signal(SIGUSR1, count);
	signal(SIGALRM, count);
	if (argc > 1) {
		raise(SIGUSR1);
		kill(getpid(), SIGUSR1);
		setitimer(ITIMER_REAL, &soon, 0);
		while (n < 3)
			continue;
		return 0;
	}
	if (!fork())
		_exit(0);
	while (!n)
		continue;
	wait(0);
	return 0;
}
end
${CC:-gcc} -O1 -w -static -o p p.c
softpmu stat --env clean -r 4 -e instructions -- ./p 2>&1 | tr '\n' ' ' | grep -oE 'counted otherwise than run 1: [^.]*'
softpmu stat --env clean --json -o old.json -e instructions -- ./p >/dev/null 2>&1
jq -c '[.shares.signals, .shares.host_signals, .inputs.host_signals]' old.json
softpmu stat --env clean --against old.json -o new.txt -e instructions -- ./p >/dev/null 2>&1
tr '\n' ' ' <new.txt | grep -oE 'counts differ and no input does; [^;]*'
softpmu stat --env clean -v -e instructions -- ./p 2>&1 | tr '\n' ' ' | grep -oE '1 signal came[^.]*'
softpmu stat --env clean --json -o own.json -e instructions -- ./p own
jq -c '[.shares.signals, .shares.host_signals]' own.json
