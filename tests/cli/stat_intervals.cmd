# each layout; intervals by instructions repeat to the digit, and each but the last is whole
p="expr 1 + 1"
softpmu stat --env clean -I 100000insn --interval-count 1 -e instructions -- $p >/dev/null
softpmu stat --env clean -I 100000insn --interval-count 1 -x, -e instructions -- $p >/dev/null
softpmu stat --env clean -I 100000insn --interval-count 1 -j -e instructions -- $p >/dev/null
softpmu stat --env clean -I 100000insn --interval-count 1 --json -e instructions -- $p >/dev/null
softpmu stat --env clean -I 100000insn --summary -x, -e instructions -o out -- $p >/dev/null
awk -F, '/summary/ { whole = $2 } !/summary/ { sum += $2 } END { print (sum == whole && sum > 100000 ? "sums" : "does not sum: " sum " " whole) }' out
# each line is an object by itself
softpmu stat --env clean -I 50000insn --summary --json -e instructions -o out -- $p >/dev/null
python3 -c 'import json; n = [json.loads(l) for l in open("out")]; print(n[0]["interval"], sum(i["events"][0]["value"] for i in n[:-1]) == n[-1]["events"][0]["value"])'
# by time the first column is seconds
softpmu stat --env clean -I 5 -x, -e instructions -o out -- $p >/dev/null
sed -E 's/^ *[0-9]+\.[0-9]{9},.*/SECONDS,.../' out | sort -u
