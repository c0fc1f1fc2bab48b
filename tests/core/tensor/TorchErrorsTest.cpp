#include "core/Error.h"
#include "core/tensor/TorchErrors.h"
#include "tests/core/ErrorMessage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace softscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string forwardMessageOf(const std::function<void()>& work) {
  return test::messageOf([&] { withReadableErrors("the forward pass", work); });
}

TEST(TorchErrors, LackOfMemorySaysWhatToDo) {
  const std::string message = forwardMessageOf([] { torch::empty({std::int64_t{1} << 50}); });
  EXPECT_EQ(message, "the forward pass: not enough memory; choose a smaller input size");
}

TEST(TorchErrors, LackOfMemoryNamesWhatCanBeSmaller) {
  try {
    withReadableErrors(
        "the training", [] { torch::empty({std::int64_t{1} << 50}); }, "batch");
    FAIL();
  } catch (const MemoryError& error) {
    EXPECT_STREQ(error.what(), "the training: not enough memory; choose a smaller batch");
  }
}

/// As CUDA's allocator throws it, which is in no LibTorch of a machine without a GPU.
TEST(TorchErrors, LackOfAGpusMemoryIsToldApart) {
  const auto exhaust = [] {
    TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate 20.00 GiB");
  };
  EXPECT_THROW(withReadableErrors("the forward pass", exhaust), GpuMemoryError);
  EXPECT_EQ(forwardMessageOf(exhaust),
            "the forward pass: the GPU has not enough free memory; run it on the CPU, or choose a "
            "smaller input size");
}

TEST(TorchErrors, WordsTellOfAGpusMemoryWhereTheTypeDoesNot) {
  for (const char* words : {"CUDA error: out of memory", "CUDA out of memory. Tried to allocate 2",
                            "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate"}) {
    EXPECT_THROW(withReadableErrors("x", [words] { TORCH_CHECK(false, words); }), GpuMemoryError)
        << words;
  }
}

/// The GPU is no way out of the CPU's memory.
TEST(TorchErrors, LackOfTheCpusMemoryIsNoGpus) {
  try {
    withReadableErrors("x", [] { torch::empty({std::int64_t{1} << 50}); });
    FAIL();
  } catch (const GpuMemoryError&) {
    FAIL();
  } catch (const MemoryError&) {
  }
}

TEST(TorchErrors, NotAllThatSpeaksOfMemoryLacksIt) {
  const std::string message = forwardMessageOf(
      [] { TORCH_CHECK(false, "CUDA error: an illegal memory access was encountered"); });
  EXPECT_THAT(message, HasSubstr("illegal memory access"));
}

TEST(TorchErrors, OthersKeepTheirMessageWithoutTheBacktrace) {
  const std::string message = forwardMessageOf([] {
    at::matmul(torch::zeros({2, 3}), torch::zeros({4, 5}));
  });
  EXPECT_THAT(message, StartsWith("the forward pass: "));
  EXPECT_THAT(message, HasSubstr("2x3"));
  EXPECT_THAT(message, Not(HasSubstr("frame #")));
}

TEST(TorchErrors, ResultsAndOurOwnErrorsPass) {
  EXPECT_EQ(withReadableErrors("x", [] { return 7; }), 7);
  EXPECT_THROW(withReadableErrors("x", [] { throw Cancelled(); }), Cancelled);
}

TEST(TorchErrors, FaultsOfADeviceSayNothingAboutTheInput) {
  const auto fail = [](const char* words) {
    withReadableErrors("x", [words] { TORCH_CHECK(false, words); });
  };
  for (const char* words : {"CUDA error: an illegal memory access was encountered",
                            "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling cublasSgemm",
                            "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"}) {
    EXPECT_THROW(fail(words), ComputeError) << words;
  }
  for (const char* words : {"The size of tensor a (5) must match the size of tensor b (4)",
                            "cuDNN error: CUDNN_STATUS_NOT_SUPPORTED",
                            "CUDA error: CUBLAS_STATUS_INVALID_VALUE when calling cublasSgemm",
                            "CUDA error: invalid configuration argument"}) {
    try {
      fail(words);
      FAIL();
    } catch (const ComputeError&) {
      FAIL() << "another picture may fit: " << words;
    } catch (const InspectionError&) {
    }
  }
}

}  // namespace
}  // namespace softscope
