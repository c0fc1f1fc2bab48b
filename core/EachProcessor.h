#pragma once

/// Placed before a function of plain loops, compiles it, with everything that it calls, for several
/// vector widths; the widest that the processor has is used. (clang does not support both
/// attributes together. A sanitizer's own functions do not exist yet when the choice is made.)
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define SOFTSCOPE_FOR_EACH_PROCESSOR \
  [[gnu::flatten, gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define SOFTSCOPE_FOR_EACH_PROCESSOR
#endif
