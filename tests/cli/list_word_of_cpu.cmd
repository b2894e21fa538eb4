# with --cpu a word shows events of that processor alone, and says that there are others
softpmu list branch --cpu pentium | grep -cE '\((pentiumpro|pentium2|pentium3|pentium-mmx)\)$'
softpmu list branch --cpu pentium | grep -E '\(pentium\)$|without --cpu|^  BRANCHES'
softpmu list agi --cpu pentium3 | tail -n 1
softpmu list mispredicted --cpu pentium3 | grep -cE '\(pentium(-mmx|)\)$'
# without it all processors' are shown, as before
softpmu list agi | tail -n 2
softpmu list branch | grep -c 'without --cpu'
