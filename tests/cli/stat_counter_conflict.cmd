softpmu stat --counters 2 -e "{flops,fp_comp_ops_exe}" -- true; softpmu stat --counters 2 -e "{inst_retired,uops_retired,l2_ld}" -- true
