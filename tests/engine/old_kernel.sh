#!/bin/bash
# old_kernel.sh -- softpmu under Linux 4.15, as far as a filter can tell: the calls that came later answer ENOSYS. Programs of
# both widths, threads, processes, records and the other commands give the counts that they give without the filter.
. "$(dirname "$0")/lib.sh"
$CC -O1 -o "$work/dockerlike" "$src/dockerlike.c" || exit 1
old="$work/dockerlike -k --"
$old true || { skip "an old kernel: no filter can be installed here"; finish; }
cat >"$work/count.c" <<-'END'
	int test_main(long argc, char **argv)
	{
		volatile int a[4096], s = 0;

		for (int i = 0; i < 20000; i++)
			s += a[i * 61 & 4095] = i;
		return s == 7;
	}
END

# same TITLE COMMAND...: standard output without the filter and with it
same() {
	local title=$1 status
	shift
	timeout 300 "$@" >"$work/want" 2>"$work/err"
	status=$?
	timeout 300 $old "$@" >"$work/got" 2>"$work/err"
	set -- $? "$@"
	sed -i -E 's/,[0-9]+,100\.00,/,TIME,100.00,/' "$work/want" "$work/got"
	[ "$1" = $status ] && cmp -s "$work/want" "$work/got" && [ -s "$work/got" ] && ok ||
		bad "$title: $(diff "$work/want" "$work/got" | head -n 4 | tr '\n' ' ') $(head -n 2 "$work/err")"
}
stat="$SOFTPMU stat -x, --log-fd 1 -e instructions,dcu_lines_in"

# A static program, a dynamic one, threads, processes: 7, with 32 bits 8.
bare "$work/count" "$work/count.c" && same "a static program" $stat -- "$work/count"
same "a dynamic program" $stat --env clean -- /bin/true
cat >"$work/threads.c" <<-'END'
	#include <pthread.h>

	static void *count(void *sum)
	{
		for (int i = 0; i < 100000; i++)
			*(volatile int *)sum += i;
		return NULL;
	}

	int main(void)
	{
		pthread_t thread;
		int a = 0, b = 0;

		return pthread_create(&thread, NULL, count, &a) || !count(&b) || pthread_join(thread, NULL) || a != b;
	}
END
$CC -O1 -pthread -o "$work/threads" "$work/threads.c" && same "threads" $stat --env clean -- "$work/threads"
# Not their counts: they move with the moment at which a child's signal comes.
same "processes" "$SOFTPMU" stat -o /dev/null -- sh -c 'for i in 1 2 3; do /bin/true; done; ls / | wc -l'
same "clocks" "$SOFTPMU" stat -x, --log-fd 1 -e cycles -- "$work/count"
if has_32_bit; then
	$CC -m32 $BARE -o "$work/count32" "$work/count.c" "$src/start.S" && same "a 32-bit program" $stat -- "$work/count32"
else
	skip "a 32-bit program: none can be built or run here"
fi
same "a record" sh -c "'$SOFTPMU' record -q -o '$work/r' -- '$work/count' && '$SOFTPMU' report '$work/r'"
same "a lesson" "$SOFTPMU" lab 1
finish
