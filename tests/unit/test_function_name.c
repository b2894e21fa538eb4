/* test_function_name.c -- names of functions taken apart: where parameters begin, what a name can
 * be asked for by, and how it is shortened and folded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/function_name.h"
#include "report/screen.h"

/* A name of the demangler's; its result and name without parameters; as people ask for it; as a
 * narrow table shows it. */
static const struct {
	const char *name, *bytes, *is, *folded;
} row[] = {
    {"main", "main", "main", "main"},
    {"f(int)", "f", "f", "f(...)"},
    {"(anonymous namespace)::work(long)", "(anonymous namespace)::work", "work",
     "(anonymous namespace)::work(...)"},
    {"a::(anonymous namespace)::B::c()", "a::(anonymous namespace)::B::c", "a::B::c",
     "a::(anonymous namespace)::B::c()"},
    {"f((anonymous namespace)::A)", "f", "f", "f(...)"},
    {"void f<int>(int)", "void f<int>", "f", "void f<...>(...)"},
    {"void a::(anonymous namespace)::f<int>(int)", "void a::(anonymous namespace)::f<int>", "a::f",
     "void a::(anonymous namespace)::f<...>(...)"},
    {"int (anonymous namespace)::f<int>(int)", "int (anonymous namespace)::f<int>", "f",
     "int (anonymous namespace)::f<...>(...)"},
    {"std::function<void (int)>::operator()(int) const", "std::function<void (int)>::operator()",
     "std::function::operator()", "std::function<...>::operator()(...) const"},
    {"A::operator()(int, char) const", "A::operator()", "A::operator()",
     "A::operator()(...) const"},
    {"A::operator->()", "A::operator->", "A::operator->", "A::operator->()"},
    {"A::operator bool() const", "A::operator bool", "A::operator bool",
     "A::operator bool() const"},
    {"operator<(A const&, A const&)", "operator<", "operator<", "operator<(...)"},
    {"bool operator< <int>(A<int>)", "bool operator< <int>", "operator<",
     "bool operator< <...>(...)"},
    {"f<&A::operator> >(int)", "f<&A::operator> >", "f", "f<...>(...)"},
    {"main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()",
     "main::{lambda(int)#1}::operator()", "main::{lambda(...)#1}::operator()(...) const"},
    {"f(int)::{lambda(long)#2}::operator()(long) const", "f(int)::{lambda(long)#2}::operator()",
     "f(int)::{lambda(long)#2}::operator()", "f(...)::{lambda(...)#2}::operator()(...) const"},
    {"A::f(int) const::{lambda()#1}::operator()() const",
     "A::f(int) const::{lambda()#1}::operator()", "A::f(int) const::{lambda()#1}::operator()",
     "A::f(...) const::{lambda()#1}::operator()() const"},
    {"f(int)::'lambda'(long)::operator()(long) const", "f(int)::'lambda'(long)::operator()",
     "f(int)::'lambda'(long)::operator()", "f(...)::'lambda'(...)::operator()(...) const"},
    {"decltype (({parm#1})+({parm#2})) add<int, int>(int, int)",
     "decltype (({parm#1})+({parm#2})) add<int, int>", "add", "decltype (...) add<...>(...)"},
    {"void (*pick<int>(int))(char)", "void (*pick<int>", "pick", "void (*pick<...>(...))(...)"},
    {"f(int) [clone .part.0]", "f", "f", "f(...) [clone .part.0]"},
    {"main.(*Tree).Insert", "main.(*Tree).Insert", "main.(*Tree).Insert", "main.(*Tree).Insert"},
    {"<alloc::vec::Vec<T> as core::clone::Clone>::clone",
     "<alloc::vec::Vec<T> as core::clone::Clone>::clone",
     "<alloc::vec::Vec<T> as core::clone::Clone>::clone", "<...>::clone"},
    {"core::ops::FnOnce::call_once{{vtable.shim}}", "core::ops::FnOnce::call_once{{vtable.shim}}",
     "core::ops::FnOnce::call_once{{vtable.shim}}", "core::ops::FnOnce::call_once{{vtable.shim}}"},
    {"f (inlined)", "f (inlined)", "f (inlined)", "f (...)"},
    {"[machine]", "[machine]", "[machine]", "[machine]"},
    {"broken<(", "broken<", "broken<", "broken<..."},
};

static void parameters_begin_behind_the_name(void **state)
{
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char bytes[256] = "", folded[RPT_FOLDED], is[256];

		memcpy(bytes, row[i].name, function_name_bytes(row[i].name));
		assert_string_equal(bytes, row[i].bytes);
		function_name_short(row[i].name, is, sizeof(is));
		assert_string_equal(is, row[i].is);
		assert_string_equal(rpt_fold_arguments(row[i].name, folded), row[i].folded);
	}
}

static void a_name_answers_to_all_its_forms(void **state)
{
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_true(function_name_is(row[i].name, row[i].name));
		assert_true(function_name_is(row[i].name, row[i].bytes));
		assert_true(function_name_is(row[i].name, row[i].is));
		assert_false(function_name_is(row[i].name, "mai"));
		assert_false(function_name_is(row[i].name, ""));
	}
	assert_true(function_name_is("a::(anonymous namespace)::B<int>::c(long)", "a::B::c"));
	assert_true(function_name_is("a::(anonymous namespace)::B<int>::c(long)", "a::B<int>::c"));
	assert_true(function_name_is("a::(anonymous namespace)::B<int>::c(long)",
				     "a::(anonymous namespace)::B<...>::c(...)"));
	assert_true(function_name_is("void f<int>(int)", "f<int>(int)"));
	assert_false(function_name_is("void f<int>(int)", "f<long>"));
	assert_false(function_name_is("f(int)", "f(long)"));
	assert_false(function_name_is("f(int)::{lambda()#1}::operator()() const", "f"));
	assert_false(function_name_is("virtual thunk to A::f()", "A::f"));
	assert_false(function_name_is("(anonymous namespace)::work(long)", "anonymous"));
}

static void what_is_short_stays_within_its_room(void **state)
{
	char out[8];

	assert_int_equal(function_name_short("eight_ch(int)", out, sizeof(out)), 0);
	assert_int_equal(function_name_short("seven_c(int)", out, sizeof(out)), 7);
	assert_int_equal(function_name_short("(anonymous namespace)::f()", out, sizeof(out)), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(parameters_begin_behind_the_name),
	    cmocka_unit_test(a_name_answers_to_all_its_forms),
	    cmocka_unit_test(what_is_short_stays_within_its_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
