#pragma once

namespace softscope {

/// True if this build draws figures. Without Qt it only writes the numbers behind them; code that
/// only draws is then not compiled, and may be named in a branch that `if constexpr` discards.
#ifdef SOFTSCOPE_HAS_GUI
inline constexpr bool drawsFigures = true;
#else
inline constexpr bool drawsFigures = false;
#endif

}  // namespace softscope
