#include "core/Error.h"
#include "core/checkpoint/Safetensors.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gmock/gmock.h>

namespace softscope {
namespace {

using testing::HasSubstr;

StateDict smallState() {
  StateDict state;
  state.insert("z.weight", torch::arange(6, torch::kFloat).view({2, 3}));
  state.insert("a.flag", torch::tensor({true, false, true}));
  state.insert("half", torch::tensor({1.5f, -2.0f}).to(torch::kHalf));
  state.insert("scalar", torch::tensor(7, torch::kLong));
  state.insert("empty", torch::empty({0, 4}));
  state.insert("transposed", torch::arange(6, torch::kFloat).view({2, 3}).t());
  return state;
}

TEST(Safetensors, ReadsBackWhatItWrote) {
  const TemporaryFolder folder;
  const std::string path = folder.file("state.safetensors");
  const StateDict state = smallState();
  writeSafetensors(path, state, {{"family", "soft"}, {"note", "gr\u00f6\u00dfer \"x\"\n"}});
  const Checkpoint checkpoint = readSafetensors(path);
  EXPECT_EQ(checkpoint.metadata.at("note"), "gr\u00f6\u00dfer \"x\"\n");
  ASSERT_EQ(checkpoint.state.size(), state.size());
  for (std::size_t index = 0; index < state.size(); ++index) {
    const StateDict::Entry& read = checkpoint.state.entries()[index];
    EXPECT_EQ(read.name, state.entries()[index].name);
    EXPECT_EQ(read.tensor.scalar_type(), state.entries()[index].tensor.scalar_type());
    EXPECT_TRUE(torch::equal(read.tensor, state.entries()[index].tensor)) << read.name;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Safetensors, WritesTheFormat) {
  const TemporaryFolder folder;
  const std::string path = folder.file("state.safetensors");
  StateDict state;
  state.insert("b", torch::tensor({1.0f}));
  state.insert("a", torch::tensor({true}));
  writeSafetensors(path, state, {{"k", "v"}});
  const std::string header =
      R"({"__metadata__":{"k":"v"},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
      R"("a":{"dtype":"BOOL","shape":[1],"data_offsets":[4,5]}})";
  const std::string bytes = contentOf(path);
  const std::size_t length = (header.size() + 7) / 8 * 8;
  ASSERT_EQ(bytes.size(), 8 + length + 5);
  EXPECT_EQ(static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])), length);
  EXPECT_EQ(bytes.substr(8, header.size()), header);
  EXPECT_EQ(bytes.substr(8 + length), std::string("\x00\x00\x80\x3f\x01", 5));
}

TEST(Safetensors, ReadsWhatPythonWrote) {
  const Checkpoint checkpoint = readSafetensors(fixture("types.safetensors"));
  EXPECT_EQ(checkpoint.metadata.at("family"), "soft");
  EXPECT_EQ(checkpoint.metadata.at("note"), "gr\u00f6\u00dfer");
  EXPECT_EQ(checkpoint.state.find("float64")->data_ptr<double>()[0], 0.1);
}

TEST(Safetensors, TakesPrefixesOffOnlyAsACheckpoint) {
  // Its header is 128 bytes long, so it begins with the byte that pickles begin with.
  EXPECT_TRUE(readSafetensors(fixture("prefixed.safetensors")).state.contains("module.a"));
  const Checkpoint checkpoint = readCheckpoint(fixture("prefixed.safetensors"));
  EXPECT_EQ(checkpoint.prefix, "module.");
  EXPECT_TRUE(checkpoint.state.contains("a"));
}

TEST(Safetensors, RemembersWhichCopyItHolds) {
  const TemporaryFolder folder;
  const std::string path = folder.file("state.safetensors");
  writeSafetensors(path, smallState(), {{"weights", "ema"}});
  EXPECT_EQ(readCheckpoint(path, WeightsChoice::Ema).weights, "ema");
  EXPECT_THROW(readCheckpoint(path, WeightsChoice::Raw), CheckpointError);
}

TEST(Safetensors, ReadsAnEmptyState) {
  const TemporaryFolder folder;
  const std::string path = folder.file("state.safetensors");
  writeSafetensors(path, StateDict(), {});
  EXPECT_TRUE(readSafetensors(path).state.empty());
}

TEST(Safetensors, SaysWhyItCannotWrite) {
  const TemporaryFolder folder;
  const auto refusal = [](const std::string& path, const StateDict& state) -> std::string {
    return test::messageOf<FileError>([&] { writeSafetensors(path, state, {}); });
  };
  StateDict complex;
  complex.insert("c", torch::zeros({2}, torch::kComplexFloat));
  EXPECT_THAT(refusal(folder.file("c.safetensors"), complex), HasSubstr("tensor 'c'"));
  StateDict unnamed;
  unnamed.insert("\xff", torch::zeros({2}));
  EXPECT_THAT(refusal(folder.file("u.safetensors"), unnamed), HasSubstr("UTF-8"));
  EXPECT_THAT(refusal(folder.file("missing/x.safetensors"), smallState()), HasSubstr("folder"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace softscope
