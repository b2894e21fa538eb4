softpmu lab | sed -n '1,3p;$p'
