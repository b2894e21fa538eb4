# A 64-bit program that asks PAPI for counters is told why it finds none; one that is only linked with it is not.
cat >papi.c <<'EOF'
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
int PAPI_library_init(void)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .type = PERF_TYPE_HARDWARE, .exclude_kernel = 1};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0;
}
EOF
printf 'int PAPI_library_init(void); int main(int n, char **v) { return n > 1 && PAPI_library_init(); }\n' >prog.c
cc -shared -fPIC -Wl,-soname,libpapi.so.7.0 -o libpapi.so.7.0 papi.c && cc -o prog prog.c ./libpapi.so.7.0 -Wl,-rpath,"$PWD" || exit
softpmu run ./prog ask
softpmu run ./prog
softpmu run sh -c './prog ask; true'
softpmu run perf --version >/dev/null 2>&1
for arguments in ask ''; do softpmu stat -e instructions ./prog $arguments 2>&1 | grep -c 'finds no counters'; done
