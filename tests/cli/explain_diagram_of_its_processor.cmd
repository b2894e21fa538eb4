# without --cpu the diagram is of a processor that has the event; a file is named
for word in AGI pipeline_agi_stalls inst_retired; do
	softpmu explain --diagram=x.svg $word 2>&1 | head -n 2
	grep -c 'PIPELINE_AGI_STALLS\|INST_RETIRED' x.svg
done
softpmu explain --diagram=x.svg --cpu pentiumpro AGI 2>&1 | head -n 2
