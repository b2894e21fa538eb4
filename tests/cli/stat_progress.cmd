# a line a second, from the third second on, where it was asked for ...
softpmu stat --progress -e instructions -- sh -c 'sleep 3.5' 2>&1 | sed -n 's/[0-9]\+\( s,\)/N\1/; s/[0-9.]\+ million/N million/gp' | head -n 1
# ... or where standard error is a terminal and the program does not write there; gone before the result
t() { script -qec "$1" /dev/null </dev/null | tr '\r\033' '\n^' | grep -v '^$'; }
t "softpmu stat -e instructions -- sh -c 'sleep 3.5' >/dev/null" >seen & first=$!
t "softpmu stat -e instructions -- sh -c 'sleep 3.5'" >shared & second=$!
t "softpmu stat -x, -e instructions -- sh -c 'sleep 3.5' >/dev/null" >fields & third=$!
t "set -m; softpmu stat -e instructions -- sh -c 'sleep 3.5' >/dev/null & wait" >behind
wait $first $second $third
for f in seen shared fields behind; do grep -q "million a second, [0-9]* process" $f && echo "$f: a line" || echo "$f: none"; done
sed -n '/million/,/Performance/p' seen | tail -n 2 | sed "s/'.*//"
for o in -x, -j --json "-o out" "-I 100"; do softpmu stat --progress $o -- true; done
