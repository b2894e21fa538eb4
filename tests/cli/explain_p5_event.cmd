softpmu explain --cpu pentium data_write_miss | sed -n '1,/How it is counted/p'
softpmu explain --cpu pentium code_read | grep softpmu
