# perf record inside of run finds a kernel without symbols, and says nothing of kptr_restrict and relocation; README and the tour name its package.
perf=$(command -v perf || echo true)
for how in "-e instructions:u" "-e cycles" "-g" ""; do
	softpmu run --env clean --tier 2 $perf record $how -o data true 2>&1 | grep -v '^\[ perf record: \(Woken up\|Captured\)'
	echo "${how:-by default}: $(test -s data -o "$perf" = true && echo recorded)"
	rm -f data
done
for page in README docs/TOUR; do grep -q 'package linux-perf' "$MAN/../../../$page.md" && echo $page; done
