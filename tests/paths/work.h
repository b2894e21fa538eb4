/* work.h -- work(n) executes 2 n + 1 instructions. */
void work(long n);
__asm__(".type work, @function\nwork: dec %rdi\njnz work\nret\n.size work, . - work");
