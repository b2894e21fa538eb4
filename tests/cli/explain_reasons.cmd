# explain knows the reasons of asm, says which event counts each, and falls through to the words of the glossary
softpmu explain 'V only'
softpmu explain --cpu pentium prefix | head -n 3
softpmu explain prefix-in-v | head -n 1
softpmu explain AGI | sed -n 1,3p
softpmu explain --cpu pentium3 'station full'
softpmu explain --cpu pentium3 no room
softpmu explain 'tier 2'
softpmu explain 'input digest'
softpmu explain --cpu pentium cpi-stack | head -n 2
softpmu explain blurb
softpmu list metrics | tail -n 1
softpmu stat --cpu pentium -M cpi-stack -- true
softpmu stat --cpu pentium -e agi -- true
softpmu explain --cpu pentium pipeline_agi_stalls | sed -n '/discrep/,/^$/p;/Source/,$p'
