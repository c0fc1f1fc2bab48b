#pragma once

#include <cstdint>

namespace softscope {

/// What this process holds in memory now, and the most it ever held (Linux; 0 elsewhere).
std::int64_t residentBytes();
std::int64_t highWaterBytes();
/// Lets the high water begin anew at what is held now, where the system allows that.
void forgetHighWater();

/// What the machine has in all, or a container's limit where that is less (Linux; 0 elsewhere).
std::int64_t machineBytes();

/// What the machine can still give this process, without swapping (Linux; 0 elsewhere): what is
/// free, and no more than a container's limit leaves.
std::int64_t availableBytes();
/// The same where the machine may swap.
std::int64_t availableBytesWithSwap();

/// Gives back to the system what was freed and kept.
void giveBackFreedMemory();

/// Keeps freed memory in the process from now on. What frees and takes the same large blocks again
/// and again, as a training does, otherwise spends a fifth of its time on the system's zeroing of
/// their pages.
void reuseFreedMemory();

}  // namespace softscope
