#pragma once

#include <cstdint>

namespace softscope {

/// Bytes that this process holds in memory now, and the most it has ever held (Linux; 0 elsewhere).
std::int64_t residentBytes();
std::int64_t highWaterBytes();
/// Resets the high water mark to what is held now, if the system allows it.
void forgetHighWater();

/// Total memory of the machine in bytes, or the container's limit if that is less (Linux; 0
/// elsewhere).
std::int64_t machineBytes();

/// Bytes that the machine can still give this process without swapping (Linux; 0 elsewhere): the
/// memory that is free, and no more than a container's limit leaves.
std::int64_t availableBytes();
/// Bytes that the machine can still give this process if it may swap (Linux; 0 elsewhere).
std::int64_t availableBytesWithSwap();

/// Returns memory that was freed but kept by the allocator to the system.
void giveBackFreedMemory();

/// From now on, keeps freed memory in the process. Work that frees and allocates the same large
/// blocks again and again, as training does, otherwise spends a fifth of its time while the system
/// zeroes their pages.
void reuseFreedMemory();

}  // namespace softscope
