/* reasons.c -- texts of the reasons in reasons.def, for listings. */
#include "model/p5/p5.h"

static const struct {
	const char *name, *sentence;
} reasons[] = {
#define P5_WHY(id, name, text) {name, text},
#include "model/p5/clocks/reasons.def"
#undef P5_WHY
};

bool p5_reason(unsigned why, const char **name, const char **sentence)
{
	if (why >= sizeof(reasons) / sizeof(reasons[0]))
		return false;
	*name = reasons[why].name;
	*sentence = reasons[why].sentence;
	return true;
}
