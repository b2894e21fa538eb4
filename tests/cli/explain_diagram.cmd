softpmu explain --diagram
softpmu explain --diagram --cpu pentium-mmx
