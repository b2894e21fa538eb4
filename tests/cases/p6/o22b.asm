div bl
