// prog.cpp -- counts words; the new version asks by value.
#include <cstdio>
#include <map>
#include <string>

static std::map<std::string, int> words;

__attribute__((noinline)) static int count(const std::string &word) /* SLOWER: const std::string word */
{
	return ++words[word];
}

int main()
{
	const std::string word(40, 'w');

	for (int i = 0; i < 2000; i++)
		count(word);
	printf("%d\n", words[word]);
	return 0;
}
