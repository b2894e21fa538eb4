#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}
int main(int argc, char **argv)
{
	char *words[] = {"the", "quick", "brown", "fox", "jumps"};
	double x = 1;

	qsort(words, 5, sizeof(*words), compare);
	for (int i = 0; i < 5; i++)
		printf("%s ", words[i]);
	for (int i = 1; i < 20; i++)
		x = x * 1.5 + 1.0 / i;
	printf("%.10g %d %s\n", x, argc, getenv("HOME") ? "home" : "none");
	return argc > 1 ? atoi(argv[1]) : 0;
}
