for o in -a '-p 1' -d -dd -n -B -Bv '-C 0' --per-core --metric-only --detailed --topdown; do
	softpmu stat $o -- true
done
softpmu list -a
softpmu stat -e inst_retired,mul -e '{flops,uops_retired}' -x, -- true 2>&1 | cut -d, -f3
