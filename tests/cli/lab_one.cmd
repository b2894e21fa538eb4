softpmu lab 1
