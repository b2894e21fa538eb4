echo in | softpmu stat -o out -- cat
