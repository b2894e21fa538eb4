softpmu stat --cpu pentum -- true
softpmu stat --colour -- true
softpmu stat --region main -- true
softpmu stat --by line -- true
softpmu stat -Z -- true
softpmu stat -e
softpmu stat -r 0 -- true
softpmu stat -M ipx -- true
softpmu stat -g defalt -- true
softpmu stat --isa v9 -- true
softpmu stat --env dirty -- true
softpmu stat --phys moon -- true
softpmu stat --walks maybe -- true
softpmu stat --tier 2 -e cycles -- true
softpmu stat --cpuid pentum -- true
softpmu stat --cpus 0 -- true
softpmu stat --cpus 9 -- true
softpmu stat --cpus two -- true
softpmu stat --quantum 0 -- true
softpmu stat --l1d 12Q -- true
softpmu stat --l1d 33K -- true
softpmu stat -x '' -- true
softpmu stat -o /nonexistent/file -- true
softpmu stat --log-fd 99 -- true
softpmu stat -o a --log-fd 2 -- true
