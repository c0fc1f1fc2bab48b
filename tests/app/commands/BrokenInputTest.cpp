#include "core/array/Npy.h"
#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace softscope {
namespace {

using test::contentOf;
using test::data;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A broken file: how it is made, and what the message must say.
struct Broken {
  const char* name;
  std::function<std::string()> content;
  const char* phrase;

  friend void PrintTo(const Broken& broken, std::ostream* stream) { *stream << broken.name; }
};

std::string softPath() {
  return contentOf(data("golden/soft/checkpoint.pth"));
}

std::string with(std::string content, std::size_t position, const std::string& bytes) {
  return content.replace(position, bytes.size(), bytes);
}

std::string safetensors(const std::string& header, std::size_t values) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return bytes + header + std::string(values, '\0');
}

const std::vector<Broken>& brokenCheckpoints() {
  static const std::vector<Broken> all{
      {"empty.pth", [] { return std::string(); }, "empty"},
      {"text.pth", [] { return std::string("hello, world\n"); }, "not a checkpoint"},
      {"page.pth", [] { return std::string("<!DOCTYPE html><html>404</html>"); }, ""},
      {"pointer.pth",
       [] {
         return std::string("version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 9\n");
       },
       ""},
      {"zeros.pth", [] { return std::string(4096, '\0'); }, ""},
      {"half.pth", [] { return softPath().substr(0, softPath().size() / 2); }, ""},
      {"headless.pth", [] { return softPath().substr(100); }, ""},
      {"start.pth", [] { return softPath().substr(0, 30); }, ""},
      {"scrambled.pth", [] { return with(softPath(), 100, std::string(2000, '\xff')); }, ""},
      {"short.safetensors", [] { return std::string("\x08\0\0\0", 4); }, ""},
      {"long_header.safetensors", [] { return std::string("\xff\xff\xff\xff\xff\xff\xff\x7f{}"); },
       ""},
      {"no_json.safetensors", [] { return safetensors("not json", 0); }, ""},
      {"list.safetensors", [] { return safetensors("[1, 2]", 0); }, ""},
      {"beyond.safetensors",
       [] { return safetensors(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", 8); },
       ""},
      {"huge.safetensors",
       [] {
         return safetensors(
             R"({"a":{"dtype":"F32","shape":[1099511627776,1099511627776],"data_offsets":[0,16]}})",
             16);
       },
       ""},
      {"unknown_type.safetensors",
       [] { return safetensors(R"({"a":{"dtype":"F7","shape":[4],"data_offsets":[0,16]}})", 16); },
       ""},
      {"giant.safetensors",
       [] {
         return safetensors(
             R"({"blocks.0.attn.qkv.weight":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},)"
             R"("pos_embed":{"dtype":"F32","shape":[0,1048576,1048576],"data_offsets":[0,0]}})",
             0);
       },
       "may be damaged"},
      {"no_network.safetensors",
       [] { return safetensors(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", 16); },
       "no network"},
  };
  return all;
}

class BrokenCheckpointTest : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenCheckpointTest, GivesOneClearLine) {
  const TemporaryFolder folder;
  const std::string path = folder / GetParam().name;
  std::ofstream(path, std::ios::binary) << GetParam().content();
  const Outcome outcome = test::softscope("inspect " + path);
  EXPECT_EQ(outcome.exitCode, 1) << outcome.output << outcome.errors;
  EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  EXPECT_THAT(outcome.errors, StartsWith("softscope: " + path + ": "));
  EXPECT_THAT(outcome.errors, HasSubstr(GetParam().phrase));
  EXPECT_EQ(outcome.output, "");
}

std::string nameOf(const ::testing::TestParamInfo<Broken>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, BrokenCheckpointTest, ::testing::ValuesIn(brokenCheckpoints()),
                         nameOf);

TEST(BrokenCheckpoint, MissingFilesAndFoldersAreNamed) {
  const test::TemporaryFolder empty;
  for (const std::string& path : {std::string("/no/such/file.pth"), empty / "."}) {
    const Outcome outcome = test::softscope("inspect " + path);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr(path));
  }
}

TEST(BrokenCheckpoint, APickleThatWouldRunACommandRunsNothing) {
  // The fixture's reduce calls os.system; loading it in Python leaves a file behind.
  const TemporaryFolder folder;
  for (const char* name : {"malicious.pth", "malicious_legacy.pth"}) {
    const Outcome outcome = test::softscope("inspect " + data("checkpoint/") + name);
    EXPECT_EQ(outcome.exitCode, 1) << "its tensors are no network";
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  }
}

class BrokenInputTest : public ::testing::TestWithParam<Broken> {};

const std::vector<Broken>& brokenInputs() {
  static const std::vector<Broken> all{
      {"empty.npy", [] { return std::string(); }, ""},
      {"text.npy", [] { return std::string("1 2 3"); }, ""},
      {"short.npy", [] { return contentOf(data("golden/soft/input.npy")).substr(0, 5000); }, ""},
      {"flat.npy",
       [] {
         return encodeNpy({{12}, std::vector<float>(12)});
       },
       "[1, 3, H, W]"},
      {"four_channels.npy",
       [] {
         return encodeNpy({{1, 4, 64, 64}, std::vector<float>(4 * 64 * 64)});
       },
       "[1, 3, H, W]"},
      {"tiny.npy",
       [] {
         return encodeNpy({{1, 3, 8, 8}, std::vector<float>(3 * 64)});
       },
       "too small"},
#ifdef SOFTSCOPE_HAS_IMAGE
      {"empty.jpg", [] { return std::string(); }, "empty"},
      {"text.png", [] { return std::string("not a picture"); }, "picture"},
      {"truncated.jpg",
       [] {
         const std::string whole = contentOf(data("image/rgb.jpg"));
         return whole.substr(0, whole.size() * 2 / 3);
       },
       ""},
      {"truncated.png",
       [] {
         const std::string whole = contentOf(data("image/rgb.png"));
         return whole.substr(0, whole.size() / 2);
       },
       ""},
      {"truncated.webp",
       [] {
         const std::string whole = contentOf(data("image/rgb.webp"));
         return whole.substr(0, whole.size() / 2);
       },
       ""},
      {"truncated.tif",
       [] {
         const std::string whole = contentOf(data("image/rgb.tif"));
         return whole.substr(0, whole.size() / 2);
       },
       ""},
      {"truncated.bmp",
       [] {
         const std::string whole = contentOf(data("image/rgb.bmp"));
         return whole.substr(0, whole.size() / 2);
       },
       ""},
      {"animation.gif", [] { return contentOf(data("image/refused.gif")); }, "GIF"},
      {"drawing.svg", [] { return std::string("<svg xmlns='http://www.w3.org/2000/svg'/>"); },
       "SVG"},
      {"huge.png",
       [] {
         // 60 000 x 60 000 in the header of a small file.
         return with(contentOf(data("image/rgb.png")), 16,
                     std::string("\0\0\xea\x60\0\0\xea\x60", 8));
       },
       ""},
#endif
  };
  return all;
}

TEST_P(BrokenInputTest, GivesOneClearLineAndWritesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder / GetParam().name;
  std::ofstream(path, std::ios::binary) << GetParam().content();
  const std::string out = folder / "dump";
  const Outcome outcome =
      test::softscope("dump -m " + data("golden/soft/checkpoint.pth") + " " + path + " -o " + out);
  EXPECT_EQ(outcome.exitCode, 1) << outcome.errors;
  EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  EXPECT_THAT(outcome.errors, StartsWith("softscope: "));
  EXPECT_THAT(outcome.errors, HasSubstr(GetParam().phrase));
  EXPECT_FALSE(std::filesystem::exists(out));
}

INSTANTIATE_TEST_SUITE_P(Files, BrokenInputTest, ::testing::ValuesIn(brokenInputs()), nameOf);

}  // namespace
}  // namespace softscope
