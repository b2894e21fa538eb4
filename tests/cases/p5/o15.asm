mov al,[esi+3]
mov bl,[esi+4]
