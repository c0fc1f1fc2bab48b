#pragma once

namespace softscope {

// Which registers the processor has that runs the program.

/// Sixteen of eight floats, with products and sums in one instruction.
inline bool hasAvx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

/// Thirty-two of sixteen floats.
inline bool hasAvx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

}  // namespace softscope
