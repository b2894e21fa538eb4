/* function_name.h -- the parts of a function's name as people write it: result, name, parameters.
 *
 *   void room::(anonymous namespace)::Box<int>::operator()(long) const [clone .part.0]
 *   result  name                                            parameters
 *
 * RULE            parameters are the last pair of parentheses that no :: follows (those of
 *                 "f(int)::{lambda(int)#1}" belong to the name). Neither "(anonymous namespace)"
 * nor the () of "operator()", parentheses within <>, {} or other parentheses, those of decltype,
 * nor those of Go ("main.(*T).f") are parameters. NOT MODELLED    functions of D within functions;
 * results that are pointers to functions are cut behind the name of the function.
 */
#ifndef SOFTPMU_BASE_FUNCTION_NAME_H
#define SOFTPMU_BASE_FUNCTION_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Returns how many characters at `at`, a place in `name`, are one word whose brackets open and
 * close nothing: "(anonymous namespace)", "operator<<", "operator()", "->". 0: there is none. */
size_t function_name_word(const char *name, const char *at);

/* Returns the bytes of result and name, without parameters and what follows them. */
size_t function_name_bytes(const char *name);

/* Returns true if the function can be called `wanted`: its whole name, without parameters, without
 * result, without "(anonymous namespace)::" or without template arguments. */
bool function_name_is(const char *name, const char *wanted);

/* The name as people ask for it, into `out`: without result, parameters, template arguments and
 * "(anonymous namespace)::". Returns its bytes; 0 when there is no room. */
size_t function_name_short(const char *name, char *out, size_t room);

#endif
