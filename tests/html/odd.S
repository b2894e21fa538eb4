/* odd.S -- a function whose name is markup. */
	.globl _start
	.text
_start:
	call "<b>&'</script>"
	mov $60, %eax
	xor %edi, %edi
	syscall
	.type "<b>&'</script>", @function
"<b>&'</script>":
	mov $1000, %ecx
1:	dec %ecx
	jnz 1b
	ret
	.size "<b>&'</script>", . - "<b>&'</script>"
