#include "tests/fuzz/RuleWatch.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SOFTSCOPE_COUNTS_MEMORY
#include <sanitizer/allocator_interface.h>
#endif
#endif

namespace softscope::fuzz {

namespace {

std::atomic<std::int64_t> allowance{INT64_MAX / 2};

[[noreturn]] void breaks(const char* what) {
  std::fprintf(stderr, "the rule for all readers is broken: %s\n", what);
  std::abort();
}

#ifdef SOFTSCOPE_COUNTS_MEMORY

void countTaken(const volatile void* block, std::size_t) {
  const auto bytes = __sanitizer_get_allocated_size(const_cast<const void*>(block));
  if (allowance.fetch_sub(static_cast<std::int64_t>(bytes)) < static_cast<std::int64_t>(bytes)) {
    allowance = INT64_MAX / 2;
    breaks("it takes more memory than 64 MB and four times the input");
  }
}

void countGiven(const volatile void* block) {
  if (!block) return;
  allowance +=
      static_cast<std::int64_t>(__sanitizer_get_allocated_size(const_cast<const void*>(block)));
}

#endif

}  // namespace

RuleWatch::RuleWatch(std::size_t size) : start_(std::clock()) {
#ifdef SOFTSCOPE_COUNTS_MEMORY
  [[maybe_unused]] static const int installed =
      __sanitizer_install_malloc_and_free_hooks(countTaken, countGiven);
  allowance = (std::int64_t{64} << 20) + 4 * static_cast<std::int64_t>(size);
#else
  static_cast<void>(size);
#endif
}

RuleWatch::~RuleWatch() {
  allowance = INT64_MAX / 2;
  constexpr std::clock_t mostSeconds = 10;
  if (std::clock() - start_ > mostSeconds * CLOCKS_PER_SEC) breaks("it takes longer than a second");
}

}  // namespace softscope::fuzz
