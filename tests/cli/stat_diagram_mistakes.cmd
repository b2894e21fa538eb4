softpmu stat --diagram -x, -- true
softpmu stat --diagram=picture.png -- true
softpmu stat --diagram -I 2000insn -- true
softpmu stat --diagram --per-thread -- true
softpmu stat --diagram --cpu toy -- true
softpmu stat --diagram=/nowhere/a.svg -e cycles -- true
softpmu explain --diagram --cpu toy
