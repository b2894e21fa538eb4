seq 3000 >text
# small PROGRAM...: bytes of records per instruction, at most 5 on average
small() {
	softpmu stat --all --tier 2 -v -o out -- "$@" >/dev/null
	sed -nE 's/.*Engine: ([0-9]+) instructions.* ([0-9]+) bytes of trace.*/\1 \2/p' out |
		awk -v p="$1" '{ print p, ($2 > 0.5 * $1 && $2 <= 5 * $1 ? "at most 5" : $2 / $1) }'
}
small gzip -9 -c text
small sort -n text
small lua5.4 -e 'local t = {} for i = 1, 3000 do t[i] = tostring(i) end print(#table.concat(t))'
small sqlite3 -batch :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 300) select sum(x * x % 7) from c'
