softpmu stat -x, --all --env clean -o a -- cat /dev/null
softpmu stat -x, --all --env clean -o b -- cat /dev/null
cut -d, -f1-3 a >a1; cut -d, -f1-3 b >b1
cmp a1 b1 && test "$(grep -c '^[0-9]' a1)" -gt 40
