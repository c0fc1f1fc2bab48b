#pragma once

namespace softscope {

/// Whether this build draws figures. Without Qt it writes the numbers behind them; what only draws
/// is then not compiled, and may be named where `if constexpr` leaves it out.
#ifdef SOFTSCOPE_HAS_GUI
inline constexpr bool drawsFigures = true;
#else
inline constexpr bool drawsFigures = false;
#endif

}  // namespace softscope
