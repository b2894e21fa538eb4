# words that mean other things on a Pentium than on a P6: --cpu says which is meant; a stage is explained before an event of another family whose code is spelt so
for word in pipeline stalls speculation store-path out-of-order D2 bank misprediction; do softpmu explain --cpu pentium $word | head -n 4; done
for word in pipeline stalls speculation store-path out-of-order D2; do softpmu explain --cpu pentium3 $word | head -n 2; done
