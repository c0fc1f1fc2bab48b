#pragma once

#include <cstdint>

namespace softscope {

/// What this process holds in memory now, and the most it ever held (Linux; 0 elsewhere).
std::int64_t residentBytes();
std::int64_t highWaterBytes();
/// Lets the high water begin anew at what is held now, where the system allows that.
void forgetHighWater();

}  // namespace softscope
