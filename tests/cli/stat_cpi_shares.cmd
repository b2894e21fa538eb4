# shares of the clocks sum to 100.0, -g and -M are the same, clocks stay in -x, --json and -v
for o in "-g cpi-stack" "-M cpi-stack"; do
	softpmu stat --env clean $o -- expr 1 + 1 2>&1 >/dev/null | awk '$4 ~ /%$/ { sub("%", "", $4); n++; sum += $4 } END { printf "%d parts, %.1f %%\n", n, sum }'
done
softpmu stat --env clean -g cpi-stack -x, -- expr 1 + 1 2>&1 >/dev/null | awk -F, '{ n += $6 != "" } END { print n, "clocks" }'
softpmu stat --env clean -g cpi-stack -v -- expr 1 + 1 2>&1 >/dev/null | grep -c "# .* cpi_stack_"
softpmu stat --env clean -g cpi-stack --json -o shares.json -- expr 1 + 1 >/dev/null
jq -r '[.events[] | select(.name | startswith("RETIREMENT_SLOTS:"))] | [length, (map(.value) | add > 300000)] | join(" ")' shares.json
softpmu stat -g cpi-stacks true
