#pragma once

#include "models/structure/TensorUnits.h"

#include <cstdint>
#include <string>

namespace softscope {

/// Throws ModelError for a parameter or buffer that is called a mask, which may hide tokens from
/// others.
void refuseMask(const TensorUnit& unit);

/// Throws ModelError for a tensor that has no place in `block`, within which it is named. The
/// message says what it may be, as far as name and shape tell.
[[noreturn]] void refuseUnit(const TensorUnit& unit, const std::string& block);

/// Throws ModelError for a bare matrix that has no place in `block`: a square one that is as wide
/// as tokens, or called as matrices of tokens are, mixes no maps.
[[noreturn]] void refuseBare(const TensorUnit& unit, const std::string& block,
                             std::int64_t channels);

}  // namespace softscope
