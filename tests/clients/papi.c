/* papi.c -- a program that measures itself by PAPI's low-level interface; exit status 0 when the
 * counts are right. */
/* With an argument: the counts of one measurement; "long": one of more than 2^31 events. */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int n_wrong;
static volatile unsigned n_over;

/* 2n instructions, n branches. */
static __attribute__((noinline)) void spin(unsigned long n)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

static void on_overflow(int set, void *address, long long which, void *context)
{
	n_over++;
}

static void is_near(const char *what, long long is, long long wanted, long long slack)
{
	if (is >= wanted && is <= wanted + slack)
		return;
	n_wrong++;
	printf("%s: %lld, not %lld\n", what, is, wanted);
}

static void must(int rc, const char *what)
{
	if (rc >= PAPI_OK)
		return;
	printf("%s: %s\n", what, PAPI_strerror(rc));
	exit(1);
}

/* One measurement, printed: softpmu counts the same from outside. */
static int once(int set)
{
	long long v[2];

	must(PAPI_start(set), "start");
	spin(1000000);
	must(PAPI_stop(set, v), "stop");
	printf("instructions : %lld\nbranches : %lld\n", v[0], v[1]);
	return 0;
}

/* More references to data than 31 bits hold, in few instructions. */
static int long_one(void)
{
	static char room[65536];
	const long long turns = 34000, wanted = turns * (long long)sizeof(room);
	int set = PAPI_NULL;
	long long v[1];

	must(PAPI_create_eventset(&set), "create");
	must(PAPI_add_named_event(set, "DATA_MEM_REFS"), "add");
	must(PAPI_start(set), "start");
	for (long long i = 0; i < turns; i++) {
		void *to = room;
		unsigned n = sizeof(room);

		__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(0) : "memory");
	}
	must(PAPI_stop(set, v), "stop");
	is_near("references", v[0], wanted, 6 * turns + 10000);
	return n_wrong != 0;
}

/* Three events on two counters: each has its share of the time, and the estimates are near. */
static void multiplexed(void)
{
	static const int event[] = {PAPI_TOT_INS, PAPI_BR_INS, PAPI_BR_TKN};
	int set = PAPI_NULL;
	long long v[3];

	must(PAPI_multiplex_init(), "multiplex_init");
	must(PAPI_create_eventset(&set), "create");
	must(PAPI_assign_eventset_component(set, 0), "component");
	must(PAPI_set_multiplex(set), "set_multiplex");
	for (int i = 0; i < 3; i++)
		must(PAPI_add_event(set, event[i]), "a third event");
	must(PAPI_start(set), "start of three");
	spin(10000000);
	must(PAPI_stop(set, v), "stop of three");
	is_near("instructions, multiplexed", v[0], 19000000, 2000000);
	is_near("branches, multiplexed", v[1], 9500000, 1000000);
	is_near("taken branches, multiplexed", v[2], 9500000, 1000000);
}

/* A child that works when it is told to. */
static void attached(void)
{
	int set = PAPI_NULL, go[2], done[2];
	long long v[1];
	pid_t child;
	char byte = 0;

	if (pipe(go) || pipe(done))
		exit(1);
	child = fork();
	if (!child) {
		close(go[1]);
		while (read(go[0], &byte, 1) == 1) {
			spin(1000000);
			if (write(done[1], &byte, 1) != 1)
				break;
		}
		_exit(0);
	}
	close(go[0]);
	must(PAPI_create_eventset(&set), "create");
	must(PAPI_assign_eventset_component(set, 0), "component");
	must(PAPI_attach(set, child), "attach");
	must(PAPI_add_event(set, PAPI_TOT_INS), "add to what is attached");
	must(PAPI_start(set), "start what is attached");
	if (write(go[1], &byte, 1) != 1 || read(done[0], &byte, 1) != 1)
		exit(1);
	must(PAPI_stop(set, v), "stop what is attached");
	is_near("instructions of a child", v[0], 2000000, 3000);
	close(go[1]);
	wait(NULL);
}

int main(int argc, char **argv)
{
	int set = PAPI_NULL, code;
	long long a[2], b[2];

	must(PAPI_library_init(PAPI_VER_CURRENT), "init");
	if (argc > 1 && !strcmp(argv[1], "long"))
		return long_one();
	is_near("counters", PAPI_num_cmp_hwctrs(0), 2, 0);
	must(PAPI_create_eventset(&set), "create");
	must(PAPI_add_event(set, PAPI_TOT_INS), "PAPI_TOT_INS");
	must(PAPI_add_event(set, PAPI_BR_INS), "PAPI_BR_INS");
	if (argc > 1)
		return once(set);
	must(PAPI_start(set), "start");
	PAPI_read(set, a); /* the first call binds */
	PAPI_read(set, a);
	spin(100000);
	PAPI_read(set, b);
	is_near("instructions", b[0] - a[0], 200000, 5000);
	is_near("branches", b[1] - a[1], 100000, 1000);
	must(PAPI_stop(set, a), "stop");
	must(PAPI_cleanup_eventset(set), "cleanup");
	must(PAPI_event_name_to_code("p6::L2_LD:M:E", &code), "name of a native event");
	must(PAPI_add_event(set, code), "native event");
	must(PAPI_start(set), "start a native event");
	must(PAPI_stop(set, a), "stop a native event");
	must(PAPI_cleanup_eventset(set), "cleanup");
	must(PAPI_add_event(set, PAPI_TOT_INS), "PAPI_TOT_INS again");
	must(PAPI_overflow(set, PAPI_TOT_INS, 100000, 0, on_overflow), "overflow");
	must(PAPI_start(set), "start with overflow");
	spin(1000000);
	must(PAPI_stop(set, a), "stop");
	is_near("overflows", n_over, a[0] / 100000, 0);
	is_near("instructions with overflow", a[0], 2000000, 200000);
	multiplexed();
	attached();
	return n_wrong != 0;
}
