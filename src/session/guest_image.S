/* guest_image.S -- the guest runtime, built by itself, carried inside softpmu. */
	.section .rodata
	.globl ses_guest_image, ses_guest_image_end
	.balign 16
ses_guest_image:
	.incbin GUEST_IMAGE
ses_guest_image_end:
	.section .note.GNU-stack,"",@progbits
