#pragma once

/// Before a function of plain loops: compiles it, with all that it calls, for several widths of
/// vector, of which the widest that the processor has is taken. (clang cannot have both. A
/// sanitizer's own functions are not there yet when the choice is made.)
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define SOFTSCOPE_FOR_EACH_PROCESSOR \
  [[gnu::flatten, gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define SOFTSCOPE_FOR_EACH_PROCESSOR
#endif
