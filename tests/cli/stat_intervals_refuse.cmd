softpmu stat -I 100 -r 3 -- true
softpmu stat -I 100 --cpu p5,p6 -- true
softpmu stat -I 100 --per-thread -- true
softpmu stat -I 100 --per-process -- true
softpmu stat -I 100 --no-inherit -- true
softpmu stat -I 100 --counters 1 -e instructions,branches -- true
softpmu stat -I 100 --backend hw -- true
softpmu stat -I 0 -- true
softpmu stat -I 10insn -- true
softpmu stat -I 10s -- true
softpmu stat -I -5 -- true
softpmu stat --interval-count 3 -- true
softpmu stat --summary -- true
softpmu stat -I 5 --interval-count 0 -- true
softpmu stat --timeout 1h -- true
