softpmu stt
