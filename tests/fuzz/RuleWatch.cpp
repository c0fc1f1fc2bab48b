#include "tests/fuzz/RuleWatch.h"

#include "core/files/WorkBudget.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SOFTSCOPE_COUNTS_BY_SANITIZER
#include <sanitizer/allocator_interface.h>
#endif
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SOFTSCOPE_INSTRUMENTED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SOFTSCOPE_INSTRUMENTED
#endif

namespace softscope::fuzz {

namespace {

constexpr std::int64_t unwatched = INT64_MAX / 2;

/// What may be there at once, and what may be allocated all in all.
std::atomic<std::int64_t> allowance{unwatched};
std::atomic<std::int64_t> allowanceInAll{unwatched};

[[noreturn]] void breaks(const char* what) {
  std::fprintf(stderr, "the rule for all readers is broken: %s\n", what);
  std::abort();
}

[[maybe_unused]] void countTaken(std::int64_t bytes) {
  if (allowance.fetch_sub(bytes) < bytes) {
    allowance = unwatched;
    breaks("it takes more memory than 64 MB and four times the input");
  }
  if (allowanceInAll.fetch_sub(bytes) < bytes) {
    allowanceInAll = unwatched;
    breaks("it takes far more work than its size: it allocates again and again");
  }
}

[[maybe_unused]] void countGiven(std::int64_t bytes) {
  allowance += bytes;
}

#ifdef SOFTSCOPE_COUNTS_BY_SANITIZER

void sanitizerTook(const volatile void* block, std::size_t) {
  countTaken(
      static_cast<std::int64_t>(__sanitizer_get_allocated_size(const_cast<const void*>(block))));
}

void sanitizerGave(const volatile void* block) {
  if (!block) return;
  countGiven(
      static_cast<std::int64_t>(__sanitizer_get_allocated_size(const_cast<const void*>(block))));
}

#endif

}  // namespace

RuleWatch::RuleWatch(std::size_t size)
    : start_(std::clock()),
      spentBefore_(WorkBudget::spentByThread()),
      // Twice what one file may spend: its budget ends a reader where that is reached.
      mostSpent_((std::uint64_t{128} << 20) + 2 * std::uint64_t{size}) {
#ifdef SOFTSCOPE_COUNTS_BY_SANITIZER
  [[maybe_unused]] static const int installed =
      __sanitizer_install_malloc_and_free_hooks(sanitizerTook, sanitizerGave);
#endif
  allowance = (std::int64_t{64} << 20) + 4 * static_cast<std::int64_t>(size);
  allowanceInAll = (std::int64_t{1} << 30) + 64 * static_cast<std::int64_t>(size);
}

RuleWatch::~RuleWatch() {
  allowance = unwatched;
  allowanceInAll = unwatched;
#if defined(SOFTSCOPE_INSTRUMENTED) || !defined(__OPTIMIZE__)
  constexpr std::clock_t mostSeconds = 10;
#else
  constexpr std::clock_t mostSeconds = 1;
#endif
  if (std::clock() - start_ > mostSeconds * CLOCKS_PER_SEC) breaks("it takes longer than a second");
  if (WorkBudget::spentByThread() - spentBefore_ > mostSpent_) {
    breaks("it takes far more work than its size: it visits the same entries again and again");
  }
}

#ifndef SOFTSCOPE_INSTRUMENTED

/// What the program's own operators below do.
void* allocateCounted(std::size_t size) {
  void* block = std::malloc(size > 0 ? size : 1);
  if (!block) throw std::bad_alloc();
  countTaken(static_cast<std::int64_t>(malloc_usable_size(block)));
  return block;
}

void freeCounted(void* block) {
  if (!block) return;
  countGiven(static_cast<std::int64_t>(malloc_usable_size(block)));
  std::free(block);
}

#endif

}  // namespace softscope::fuzz

#ifndef SOFTSCOPE_INSTRUMENTED

void* operator new(std::size_t size) {
  return softscope::fuzz::allocateCounted(size);
}
void* operator new[](std::size_t size) {
  return softscope::fuzz::allocateCounted(size);
}
void operator delete(void* block) noexcept {
  softscope::fuzz::freeCounted(block);
}
void operator delete[](void* block) noexcept {
  softscope::fuzz::freeCounted(block);
}
void operator delete(void* block, std::size_t) noexcept {
  softscope::fuzz::freeCounted(block);
}
void operator delete[](void* block, std::size_t) noexcept {
  softscope::fuzz::freeCounted(block);
}

#endif
