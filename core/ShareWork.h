#pragma once

#include <cstdint>
#include <functional>

namespace softscope {

/// Calls compute(i) for every i in [0, count), on several threads if there are enough values to go
/// through: reading those of many tokens dominates the time, and a single core does not use the
/// full memory bandwidth. `values` is their number in all. The threads are kept for the next call,
/// since starting one takes as long as going through some ten thousand values; a call while they
/// are busy computes alone. An exception of a call is rethrown once all have ended.
void shareWork(std::int64_t count, std::int64_t values,
               const std::function<void(std::int64_t)>& compute);

}  // namespace softscope
