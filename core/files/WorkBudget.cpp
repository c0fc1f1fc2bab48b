#include "core/files/WorkBudget.h"

#include "core/files/Malformed.h"

#include <algorithm>
#include <limits>

namespace softscope {

namespace {

/// Takes a tenth of a second or two.
constexpr std::uint64_t workOfSmallFile = std::uint64_t{64} << 20;
constexpr std::uint64_t bytesPerEntry = 16;
constexpr std::uint64_t largestSizedFile = std::uint64_t{1} << 50;

thread_local std::uint64_t workOfThread = 0;

}  // namespace

WorkBudget::WorkBudget(std::uint64_t fileSize)
    : left_(workOfSmallFile + std::min(fileSize, largestSizedFile)) {}

void WorkBudget::visit(std::size_t entries) {
  constexpr std::size_t most = std::numeric_limits<std::uint64_t>::max() / bytesPerEntry;
  spend(bytesPerEntry * std::min(entries, most));
}

void WorkBudget::touch(std::size_t bytes) {
  spend(bytes);
}

std::uint64_t WorkBudget::spentByThread() {
  return workOfThread;
}

void WorkBudget::spend(std::uint64_t bytes) {
  workOfThread += bytes;
  if (bytes > left_) {
    throw Malformed(
        "asks for far more work than its size: it refers to the same values over and over; save "
        "only the state_dict");
  }
  left_ -= bytes;
}

}  // namespace softscope
