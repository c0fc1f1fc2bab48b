#include "core/Error.h"
#include "core/attention/BlockMap.h"
#include "core/network/MapBuilder.h"
#include "core/recording/Recording.h"
#include "core/recording/RecordingPreview.h"
#include "core/recording/RecordingWriter.h"
#include "tests/core/files/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

constexpr int recordedHeads = 2;
constexpr int recordedTokens = 12;
constexpr int recordedLandmarks = 3;

torch::Tensor random(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  torch::manual_seed(seed);
  return torch::randn({recordedHeads, rows, columns});
}

AttentionDescription described(const std::string& mechanism) {
  AttentionDescription description;
  description.mechanism = mechanism;
  description.queryGrid = TokenGrid{3, 4};
  description.keyGrid = TokenGrid{3, 4};
  return description;
}

/// As SOFT's, with everything that a record may have.
AttentionRecord softRecord() {
  const torch::Tensor left = random(recordedTokens, recordedLandmarks, 1);
  const torch::Tensor landmarks = random(recordedLandmarks, recordedLandmarks, 2);
  // Symmetric but for rounding, as the result of SOFT's iteration.
  const torch::Tensor middle = landmarks + landmarks.transpose(1, 2) + 1e-5 * landmarks;
  AttentionRecord record;
  record.layer = "block1.0.attn";
  record.description = described("soft");
  record.description.landmarks = recordedLandmarks;
  record.description.landmarkTokens = {{0, 1}, {5}, {11, 2}};
  record.map = FactorTensors{left, middle, left};
  record.queryL1 = random(recordedTokens, 1, 3).squeeze(2);
  record.keyL1 = record.queryL1;
  record.bottleneck = random(recordedLandmarks, recordedLandmarks, 4);
  record.bottleneckInverse = random(recordedLandmarks, recordedLandmarks, 5);
  record.convolution = random(3, 3, 6);
  const torch::Tensor query = random(recordedTokens, 5, 7);
  record.exactKernel = KernelTensors{KernelTensors::Kernel::Gaussian, query, query, 1};
  record.precise = PreciseTensors{random(recordedLandmarks, recordedLandmarks, 8).to(at::kDouble),
                                  random(recordedLandmarks, recordedLandmarks, 9).to(at::kDouble),
                                  {}};
  return record;
}

AttentionRecord softmaxRecord() {
  AttentionRecord record;
  record.layer = "block2/attn";
  record.description = described("softmax");
  record.description.beside = "a convolution, 1.3 times as large as attention times values";
  record.description.keyGrid = TokenGrid{2, 3};
  record.map = KernelTensors{KernelTensors::Kernel::Softmax, random(recordedTokens, 5, 10),
                             random(6, 5, 11), 0.1234567890123};
  return record;
}

/// Of channels, which lie nowhere on the picture.
AttentionRecord channelRecord() {
  AttentionRecord record;
  record.layer = "channels";
  record.description.mechanism = "xca_channel";
  record.map = DenseTensors{random(9, 9, 12)};
  return record;
}

/// Two windows of a grid of 2 x 3, the second with padding.
AttentionRecord windowRecord() {
  AttentionRecord record;
  record.layer = "windows";
  record.description.mechanism = "softmax_window";
  record.description.queryGrid = record.description.keyGrid = TokenGrid{2, 3};
  record.description.parameters["window_height"] = record.description.parameters["window_width"] =
      2;
  record.map = BlockTensors{.values = random(8, 4, 13).view({recordedHeads, 2, 4, 4}),
                            .rows = torch::tensor({{0, 1, 3, 4}, {2, -1, 5, -1}}, torch::kInt64),
                            .columns = torch::tensor({{0, 1, 3, 4}, {2, -1, 5, -1}}, torch::kInt64),
                            .queries = 6,
                            .keys = 6};
  return record;
}

class RecordingWriterTest : public ::testing::TestWithParam<const char*> {
 protected:
  Recording writtenAndRead() {
    RecordingWriter writer({1, 2, 2});
    for (const AttentionRecord& record : {softRecord(), softmaxRecord(), channelRecord()}) {
      writer.record(record);
    }
    writer.file().add("logits", torch::tensor({0.5f, 2.0f}));
    writer.file().add("classes", RecordingFile::Texts{"cat", "dög 🐕"});
    writer.file().add("note", RecordingFile::Texts{"a what-if"});
    const std::string path = folder_ / (std::string("recording") + GetParam());
    writeRecording(path, writer.file());
    EXPECT_TRUE(isRecording(path));
    return readRecording(path);
  }

  const test::TemporaryFolder folder_;
};

// The name is what titles call it; the numbers are the recording's own.
TEST_P(RecordingWriterTest, FactorsCalledByTheNameOfSoftNeedNotBeSymmetric) {
  AttentionRecord record = softRecord();
  auto& factors = std::get<FactorTensors>(record.map);
  factors.middle = random(recordedLandmarks, recordedLandmarks, 2);
  RecordingWriter writer({1, 2, 2});
  writer.record(record);
  const std::string path = folder_ / (std::string("other") + GetParam());
  writeRecording(path, writer.file());
  const Recording recording = readRecording(path);
  const auto& found = std::get<FactorTensors>(recording.layers[0].record.map);
  EXPECT_FALSE(found.right.is_same(found.left));
  EXPECT_TRUE(torch::equal(found.right, factors.right));
}

TEST_P(RecordingWriterTest, FactorsAndWhatBelongsToThemComeBack) {
  const Recording recording = writtenAndRead();
  ASSERT_EQ(recording.layers.size(), 3u);
  const AttentionRecord expected = softRecord();
  const AttentionRecord& found = recording.layers[0].record;
  EXPECT_EQ(found.layer, expected.layer);
  EXPECT_EQ(recording.layers[0].stage, 1);
  EXPECT_EQ(found.description.mechanism, "soft");
  EXPECT_EQ(found.description.queryGrid, expected.description.queryGrid);
  EXPECT_EQ(found.description.landmarks, recordedLandmarks);
  EXPECT_EQ(found.description.landmarkTokens, expected.description.landmarkTokens);
  const auto& factors = std::get<FactorTensors>(found.map);
  const auto& given = std::get<FactorTensors>(expected.map);
  EXPECT_TRUE(torch::equal(factors.left, given.left));
  EXPECT_TRUE(torch::equal(factors.middle, given.middle));
  EXPECT_TRUE(factors.right.is_same(factors.left)) << "symmetric, as SOFT's are";
  EXPECT_TRUE(torch::equal(found.queryL1, expected.queryL1));
  EXPECT_TRUE(torch::equal(found.bottleneck, expected.bottleneck));
  EXPECT_TRUE(torch::equal(found.bottleneckInverse, expected.bottleneckInverse));
  EXPECT_TRUE(torch::equal(found.convolution, expected.convolution));
  ASSERT_TRUE(found.exactKernel && found.precise);
  EXPECT_EQ(found.exactKernel->kernel, KernelTensors::Kernel::Gaussian);
  EXPECT_TRUE(torch::equal(found.exactKernel->query, expected.exactKernel->query));
  EXPECT_TRUE(found.exactKernel->key.is_same(found.exactKernel->query));
  EXPECT_EQ(found.precise->bottleneck.scalar_type(), torch::kFloat64);
  EXPECT_TRUE(torch::equal(found.precise->left, expected.precise->left));
  EXPECT_FALSE(found.precise->right.defined());
}

TEST_P(RecordingWriterTest, KernelsComeBack) {
  const Recording recording = writtenAndRead();
  const AttentionRecord expected = softmaxRecord();
  const RecordedLayer& layer = recording.layers[1];
  EXPECT_EQ(layer.record.layer, "block2/attn");
  EXPECT_EQ(layer.stage, 2);
  EXPECT_EQ(layer.record.description.keyGrid, expected.description.keyGrid);
  EXPECT_EQ(layer.record.description.beside, expected.description.beside);
  EXPECT_EQ(recording.layers[0].record.description.beside, "");
  const auto& tokens = std::get<KernelTensors>(layer.record.map);
  const auto& given = std::get<KernelTensors>(expected.map);
  EXPECT_EQ(tokens.scale, given.scale);
  EXPECT_TRUE(torch::equal(tokens.query, given.query));
  EXPECT_TRUE(torch::equal(tokens.key, given.key));
  EXPECT_TRUE(torch::equal(layer.record.keyL1, given.key.abs().sum(-1)));
}

TEST_P(RecordingWriterTest, WindowsComeBack) {
  RecordingWriter writer({1});
  writer.record(windowRecord());
  const std::string path = folder_ / (std::string("windows") + GetParam());
  writeRecording(path, writer.file());
  const AttentionRecord found = readRecording(path).layers.front().record;
  const AttentionRecord expected = windowRecord();
  EXPECT_EQ(found.description.mechanism, "softmax_window");
  EXPECT_EQ(found.description.parameters, expected.description.parameters);
  EXPECT_EQ(found.description.queryGrid, expected.description.queryGrid);
  const auto& blocks = std::get<BlockTensors>(found.map);
  const auto& given = std::get<BlockTensors>(expected.map);
  EXPECT_TRUE(torch::equal(blocks.values, given.values));
  EXPECT_TRUE(torch::equal(blocks.rows, given.rows));
  EXPECT_TRUE(torch::equal(blocks.columns, given.columns));
  EXPECT_EQ(blocks.queries, 6);
  EXPECT_EQ(blocks.keys, 6);
}

TEST_P(RecordingWriterTest, WindowsAreCutOutOfAWholeMatrix) {
  const AttentionRecord expected = windowRecord();
  const auto& given = std::get<BlockTensors>(expected.map);
  const auto whole = buildLayerInspection(expected).attention;
  torch::Tensor matrices = torch::zeros({whole->description().heads, 6, 6});
  for (int head = 0; head < whole->description().heads; ++head) {
    Eigen::Map<Matrix>(matrices[head].data_ptr<float>(), 6, 6) = whole->block(head, 0, 0, 6, 6);
  }
  RecordingFile file;
  file.add("a/attn", matrices);
  file.add("a/rows", given.rows);
  const std::string path = folder_ / (std::string("whole") + GetParam());
  writeRecording(path, file);
  const AttentionRecord found = readRecording(path).layers.front().record;
  const auto read = buildLayerInspection(found).attention;
  ASSERT_TRUE(dynamic_cast<const BlockMap*>(read.get()));
  EXPECT_EQ(read->block(0, 0, 0, 6, 6), whole->block(0, 0, 0, 6, 6));
}

TEST_P(RecordingWriterTest, WhatLiesNowhereAndWordsComeBack) {
  const Recording recording = writtenAndRead();
  const AttentionRecord& channels = recording.layers[2].record;
  EXPECT_FALSE(channels.description.queryGrid || channels.description.keyGrid);
  EXPECT_TRUE(torch::equal(std::get<DenseTensors>(channels.map).values,
                           std::get<DenseTensors>(channelRecord().map).values));
  EXPECT_THAT(recording.classNames, ::testing::ElementsAre("cat", "dög 🐕"));
  EXPECT_EQ(recording.note, "a what-if");
  EXPECT_EQ(recording.mechanism, "xca_channel") << "the last layer's";
  EXPECT_FALSE(recording.picture->isInFile);
  EXPECT_EQ(recording.picture->width, 64) << "sixteen pixels for each of four patches";
}

TEST_P(RecordingWriterTest, MoreBlocksThanQueriesAreRefused) {
  RecordingFile file;
  file.add("a/attn", torch::zeros({1, 512, 512}));
  file.add("a/rows", torch::zeros({1 << 20, 1}, torch::kInt64));
  const std::string path = folder_ / (std::string("blocks") + GetParam());
  writeRecording(path, file);
  EXPECT_THAT([&] { readRecording(path); },
              ::testing::ThrowsMessage<FileError>(::testing::HasSubstr(
                  "'a/rows' is of 1048576 blocks, more than the 512 queries of 'a/attn'")));
}

// Each side is possible for itself, and their product is a multiple of 2^32.
TEST_P(RecordingWriterTest, AGridOfTooManyLandmarksIsRefused) {
  RecordingFile file;
  file.add("a/attn", random(4, 4, 1));
  file.add("a/landmarks", torch::tensor({1 << 16, 1 << 16}, torch::kInt64));
  const std::string path = folder_ / (std::string("landmarks") + GetParam());
  writeRecording(path, file);
  EXPECT_THAT([&] { readRecording(path); },
              ::testing::ThrowsMessage<FileError>(
                  ::testing::HasSubstr("'a/landmarks' is a grid of 65536 x 65536")));
}

INSTANTIATE_TEST_SUITE_P(Formats, RecordingWriterTest, ::testing::Values(".npz", ".safetensors"));

TEST(IsRecording, ChecksContentNotNames) {
  const std::string data = SOFTSCOPE_TEST_DATA;
  EXPECT_FALSE(isRecording(data + "/checkpoint/plain.pkl"));
  EXPECT_FALSE(isRecording(data + "/checkpoint/wrapped.pth"));
  EXPECT_FALSE(isRecording(data + "/checkpoint/types.safetensors"));
  EXPECT_FALSE(isRecording(data + "/image/small.png"));
  EXPECT_FALSE(isRecording(data));
  EXPECT_FALSE(isRecording(data + "/nothing"));
}

TEST(RecordingWriter, RefusesOtherEndings) {
  EXPECT_THROW(writeRecording("recording.json", {}), FileError);
}

TEST(RecordingWriter, SaysThatAGateFollowsTheFiltersOfChannels) {
  AttentionRecord record = softmaxRecord();
  record.description.beside.clear();
  record.description.filtersChannels = record.description.gated = true;
  RecordingWriter writer({1});
  writer.record(record);
  EXPECT_EQ(writer.file().text("block2/attn/beside"),
            "a convolution of V with a filter for each channel, and a gate multiplies the sum of "
            "both");
  EXPECT_FALSE(writer.file().has("block2/attn/mean_of_channels"));
}

}  // namespace
}  // namespace softscope
