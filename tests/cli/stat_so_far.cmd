# SIGUSR1 prints the counts so far, and the run goes on; the program waits until they were printed
cat >asked <<'END'
i=0
echo begins >started
while [ ! -s "$1" ] && [ $i -lt 3000 ]; do sleep 0.02; i=$((i+1)); done
END
for how in "-e instructions" "-e instructions,cycles" "-e instructions -x," "-e instructions -j -o out"; do
	rm -f started told
	softpmu stat --env clean $how -- sh asked told 2>told & run=$!
	while [ ! -e started ]; do sleep 0.02; done
	kill -USR1 $run
	wait $run
	echo "status $?"
	grep -c "Counts so far for 'sh asked told', after [0-9.]* seconds:" told
	sed -n '/so far/,/stats for/s/^\(#\?\) *[0-9,]\+      \([a-z]\+\).*/\1 N \2/p' told
done
# before the program runs and behind it, it does no harm
softpmu stat -x, -e instructions -r 3 -- sh -c 'kill -USR1 $PPID' 2>/dev/null
echo "status $?"
