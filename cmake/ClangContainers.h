#pragma once

// LibTorch 1.13's headers have vectors of types that are only declared at that point. In C++20
// clang instantiates all of such a vector at once, because libstdc++ makes it constexpr. Included
// before everything else, and with _GLIBCXX20_CONSTEXPR defined as nothing, this leaves strings and
// vectors as they were in C++17.
// clang-format off: the order of these lines matters.
#include <type_traits>
#undef __cpp_lib_is_constant_evaluated
#include <string>
#define __cpp_lib_is_constant_evaluated 201811L
