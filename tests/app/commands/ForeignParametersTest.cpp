#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::contentOf;
using test::data;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The bytes of a .safetensors file with a tensor of zeros more for each of the names.
std::string withTensors(const std::string& bytes, const std::vector<std::string>& names) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  nlohmann::json header = nlohmann::json::parse(bytes.substr(sizeof length, length));
  std::string values = bytes.substr(sizeof length + length);
  for (const std::string& name : names) {
    const std::size_t begin = values.size();
    values += std::string(16, '\0');
    header[name] = {{"dtype", "F32"}, {"shape", {4}}, {"data_offsets", {begin, values.size()}}};
  }
  const std::string text = header.dump();
  length = text.size();
  std::string lengthBytes(sizeof length, '\0');
  std::memcpy(lengthBytes.data(), &length, sizeof length);
  return lengthBytes + text + values;
}

/// DeiT's golden checkpoint with the parameters of InLine attention beside its own.
class ForeignFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string plain = folder_ / "plain.safetensors";
    ASSERT_EQ(
        test::softscope("convert " + data("golden/deit/checkpoint.pth") + " -o " + plain).exitCode,
        0);
    std::vector<std::string> names;
    for (const char* block : {"blocks.0", "blocks.1"}) {
      for (const char* name : {"0.weight", "0.bias", "2.weight", "2.bias"}) {
        names.push_back(std::string(block) + ".attn.residual." + name);
      }
    }
    std::ofstream(file_, std::ios::binary) << withTensors(contentOf(plain), names);
  }

  /// Command lines that write one file or folder each.
  std::vector<std::string> opening() const {
    const std::string model = "-m " + file_ + " ";
    const std::string tensor = data("golden/deit/input.npy");
    const std::string picture =
        std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/chelsea.png --size 64x96";
    return {"dump " + model + tensor + " -o " + result_,
            "figure heads " + model + picture + " -o " + result_ + ".png",
            "figure overview " + model + tensor + " -o " + result_ + ".pdf",
            "figure compare " + model + model + picture + " -o " + result_ + ".svg"};
  }

  /// Files and folders that a command has left beside the checkpoints.
  long written() const {
    const std::filesystem::directory_iterator all(std::filesystem::path(file_).parent_path());
    return std::distance(begin(all), end(all)) - 2;
  }

  TemporaryFolder folder_;
  const std::string file_ = folder_ / "inline_deit.safetensors";
  const std::string result_ = folder_ / "result";
};

TEST_F(ForeignFileTest, IsRefusedInOneLineAndNothingIsWritten) {
  std::vector<std::string> commands = opening();
  const TemporaryFolder pictures;
  for (const std::string name : {"cat", "dog"}) {
    std::filesystem::create_directories(pictures / "val" + ("/" + name));
    std::filesystem::copy(std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/chelsea.png",
                          pictures / "val" + ("/" + name) + "/1.png");
  }
  commands.push_back("evaluate -m " + file_ + " " + (pictures / ""));
  commands.push_back("linescores -m " + file_ + " " + (pictures / "") + " --data " + result_ +
                     ".csv");
  for (const std::string& command : commands) {
    SCOPED_TRACE(command);
    const Outcome outcome = test::softscope(command);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
    EXPECT_THAT(outcome.errors,
                StartsWith("softscope: " + file_ +
                           ": looks like deit, but has 8 parameters that deit does not have: "
                           "'blocks.0.attn.residual.0."));
    EXPECT_THAT(outcome.errors, HasSubstr("; and 5 more"));
    EXPECT_THAT(outcome.errors, HasSubstr("docs/python.md"));
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(written(), 0);
  }
}

TEST_F(ForeignFileTest, IsOpenedByThoseWhoKnow) {
  long files = 0;
  for (const std::string& command : opening()) {
    const Outcome outcome = test::softscope(command + " --ignore-unexpected");
    EXPECT_EQ(outcome.exitCode, 0) << command << '\n' << outcome.errors;
    EXPECT_EQ(written(), ++files) << command;
  }
}

TEST_F(ForeignFileTest, InspectTellsWhatIsForeign) {
  const Outcome outcome = test::softscope("inspect --json " + file_);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json["family"], "deit");
  EXPECT_EQ(json["foreign"].size(), 8u);
  EXPECT_EQ(json["unexpected"], json["foreign"]);
  const Outcome text = test::softscope("inspect " + file_);
  EXPECT_THAT(text.output, HasSubstr("of another network (8):\n  blocks.0.attn.residual."));
  EXPECT_THAT(text.output,
              HasSubstr("softmax, assumed (it may be sima: --attention), not what was trained"));
}

TEST_F(ForeignFileTest, ConvertDoesNotCallItDeit) {
  const std::string converted = folder_ / "converted.safetensors";
  const Outcome careful = test::softscope("convert " + file_ + " -o " + converted);
  EXPECT_EQ(careful.exitCode, 0);
  EXPECT_EQ(careful.errorLines(), 1) << careful.errors;
  EXPECT_THAT(careful.errors, HasSubstr("'blocks.0.attn.residual.0."));
  const auto metadataOf = [](const std::string& path) {
    return nlohmann::json::parse(test::softscope("inspect --json " + path).output)["metadata"];
  };
  EXPECT_FALSE(metadataOf(converted).contains("architecture"));
  const Outcome sure = test::softscope("convert " + file_ + " -o " + converted +
                                       " --set mechanism=softmax --ignore-unexpected");
  EXPECT_EQ(sure.exitCode, 0) << sure.errors;
  EXPECT_EQ(metadataOf(converted)["architecture"], "deit");
}

}  // namespace
}  // namespace softscope
