// copies.cpp -- a string that is passed by reference or, with BY_VALUE, copied for each of a thousand calls.
#include <cstdio>
#include <string>

#ifdef BY_VALUE
#define PASSED const std::string
#else
#define PASSED const std::string &
#endif

static unsigned sum;

__attribute__((noinline)) static void use(PASSED s)
{
	for (char c : s)
		sum += c;
}

int main()
{
	const std::string s(200, 'x');

	for (int i = 0; i < 1000; i++)
		use(s);
	printf("%u\n", sum);
	return 0;
}
