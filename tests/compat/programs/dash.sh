seq 1 100 | while read n; do echo $((n * n)); done | tail -n 2
for i in 1 2 3; do (exit $i); echo "status $?"; done
x=$(printf 'a\nb\n' | sort -r); echo $x
sleep 0 & wait $!; echo "waited $?"
trap 'echo bye' EXIT
sh -c 'kill -TERM $$'; echo "term $?"
