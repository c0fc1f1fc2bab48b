#include "core/recording/RecordingPreview.h"
#include "tests/core/checkpoint/HostileFiles.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace softscope {
namespace {

bool isRecordingOf(const std::vector<std::string>& arrays) {
  const TemporaryFolder folder;
  const std::string path = folder.file("arrays.npz");
  ZipEntries entries;
  for (const std::string& name : arrays) entries.emplace_back(name + ".npy", "x");
  writeBytes(path, zipOf(entries));
  return isRecording(path);
}

TEST(IsRecording, AnArchiveOfWeightsIsNone) {
  const std::string block = "Transformer/encoderblock_0/MultiHeadDotProductAttention_1/query/";
  EXPECT_FALSE(isRecordingOf({"cls", block + "kernel", block + "bias"}));
  EXPECT_FALSE(isRecordingOf({"cls", block + "kernel"}));
  EXPECT_FALSE(isRecordingOf({"blocks.0.attn.qkv.weight", "pos_embed"}));
}

TEST(IsRecording, AnArchiveOfAttentionIsOne) {
  EXPECT_TRUE(isRecordingOf({"blocks.0/attn", "logits"}));
  EXPECT_TRUE(isRecordingOf({"encoder/bias/attn", "encoder/bias"}));
  // Opening it says what its arrays should be called.
  EXPECT_TRUE(isRecordingOf({"blocks.0/attention"}));
}

}  // namespace
}  // namespace softscope
