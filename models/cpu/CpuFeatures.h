#pragma once

namespace softscope {

// Register widths of the processor that runs the program.

/// True for sixteen registers of eight floats, with fused multiply-add.
inline bool hasAvx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

/// True for thirty-two registers of sixteen floats.
inline bool hasAvx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

}  // namespace softscope
