mov al,[esi]
mov bl,[esi+1]
