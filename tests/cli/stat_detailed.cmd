# perf's habit: more events beside the usual ones, or beside those that are named
softpmu stat --env clean -d -x, -- true 2>&1 | cut -d, -f3 | grep -v '^$'
softpmu stat --env clean -dd -x, -e instructions -- true 2>&1 | cut -d, -f1,3 | sed 's/^[0-9]\+/N/'
softpmu stat --env clean --detailed -d -ddd --cpu p5 -x, -e instructions -- true 2>&1 | cut -d, -f1,3 | sed 's/^[0-9]\+/N/'
softpmu stat -d --cpu p5,p6 -- true
