for o in -a '-p 1' -n -B -Bv '-C 0' --per-core --metric-only --topdown; do
	softpmu stat $o -- true
done
softpmu list -a
softpmu stat -e inst_retired,mul -e '{flops,uops_retired}' -x, -- true 2>&1 | cut -d, -f3
