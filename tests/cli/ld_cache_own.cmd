# What the loader finds: own lists the libraries of the program alone, hide has no file, host is the machine's.
show() { softpmu run "$@" -- cat /etc/ld.so.cache 2>&1 | tr '\0' '\n' | grep -ao 'libc.so.6$\|/.*libc.so.6$\|No such file.*' | sort -u; }
echo own; show --ld-cache own
echo clean; show --env clean
echo hide; show --env clean --ld-cache hide
echo "more in the machine's: $([ "$(softpmu run --ld-cache host -- cat /etc/ld.so.cache | wc -c)" -gt \
	"$(softpmu run --ld-cache own -- cat /etc/ld.so.cache | wc -c)" ] && echo yes)"
softpmu run --ld-cache host -- cat /etc/ld.so.cache | cmp - /etc/ld.so.cache && echo the same
softpmu run -- cat /etc/ld.so.cache | cmp - /etc/ld.so.cache && echo the same without --env clean
