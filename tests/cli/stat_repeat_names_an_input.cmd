# Repetitions that count differently say which input it was.
say() { softpmu stat -e instructions --env clean "$@" 2>&1 >/dev/null | grep -o 'run 2.*'; }
echo a >grows
say -r 3 -- sh -c 'while read a; do :; done <grows; echo a >>grows'
say -r 2 -- sh -c 'while read a; do :; done <grows'; echo alike
say -r 2 --counters 1 -- sh -c 'read a <once || true; echo a >once'
