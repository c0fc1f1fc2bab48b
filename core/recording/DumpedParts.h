#pragma once

#include <array>

namespace softscope {

/// Arrays of a layer that softscope dump writes beside its attention, `STEM.PART.npy` beside
/// `STEM.npy`, and that the recording it is read as has by the same names, `LAYER/PART`.
inline constexpr const char* dumpedQueryL1 = "q_l1";
inline constexpr const char* dumpedKeyL1 = "k_l1";
inline constexpr const char* dumpedBlockRows = "rows";
inline constexpr const char* dumpedBlockColumns = "cols";
inline constexpr const char* dumpedBottleneck = "A";
inline constexpr const char* dumpedInverse = "A_inv";

/// All of these.
inline constexpr std::array dumpedParts{dumpedQueryL1,      dumpedKeyL1,      dumpedBlockRows,
                                        dumpedBlockColumns, dumpedBottleneck, dumpedInverse};

}  // namespace softscope
