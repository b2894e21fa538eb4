softpmu stat -r 3 -x, -e instructions,uops_retired -- true 2>&1 | cut -d, -f4
