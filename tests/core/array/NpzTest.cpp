#include "core/Error.h"
#include "core/array/Npz.h"
#include "core/array/NumbersFile.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gmock/gmock.h>

namespace softscope {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

NamedArrays someArrays() {
  return {{"panel 0", {{2, 2}, {1, 2, 3, 4}}}, {"line_score", {{3}, {0.5f, 0.25f, 0.125f}}}};
}

std::string npzRefusal(const std::string& path) {
  const std::string message = test::messageOf<FileError>([&] { readNpz(path); });
  EXPECT_THAT(message, StartsWith(path + ": "));
  return message;
}

TEST(Npz, ReadsBackWhatItWrote) {
  const TemporaryFolder folder;
  writeNpz(folder.file("a.npz"), someArrays());
  const NamedArrays arrays = readNpz(folder.file("a.npz"));
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays[0].first, "panel 0");
  EXPECT_EQ(arrays[0].second.shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(arrays[1].second.values, (std::vector<float>{0.5f, 0.25f, 0.125f}));
}

TEST(Npz, GivesTheSameBytesForTheSameArrays) {
  const TemporaryFolder folder;
  writeNpz(folder.file("a.npz"), someArrays());
  writeNpz(folder.file("b.npz"), someArrays());
  const std::string bytes = contentOf(folder.file("a.npz"));
  EXPECT_EQ(bytes, contentOf(folder.file("b.npz")));
  // The first member's time and date: midnight on 1 January 1980, whatever the clock says.
  EXPECT_EQ(bytes.substr(10, 4), std::string("\x00\x00\x21\x00", 4));
}

TEST(Npz, SaysWhatToDoAboutNamesThatItCannotHold) {
  const TemporaryFolder folder;
  for (const std::string& name : {std::string("x\0a", 3), std::string("a\x01")}) {
    try {
      writeNpz(folder.file("a.npz"), {{name, {{1}, {1}}}});
      ADD_FAILURE() << "was written";
    } catch (const FileError& error) {
      EXPECT_THAT(error.what(), HasSubstr("write a .safetensors"));
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Npz, NumbersOfLayersWithAnyNamesAreWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.npz");
  const std::string longName(300, 'y');
  writeNumbersFile(path, {{std::string("x\0a", 3), {{1}, {1}}},
                          {std::string("x\0b", 3), {{1}, {2}}},
                          {"x_a", {{1}, {3}}},
                          {longName + "1", {{1}, {4}}},
                          {longName + "2", {{1}, {5}}}});
  const NamedArrays arrays = readNpz(path);
  ASSERT_EQ(arrays.size(), 5u);
  const std::string shortened = longName.substr(0, 200);
  const char* const names[] = {"x_a", "x_b", "x_a_2"};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(arrays[i].first, names[i]);
  EXPECT_EQ(arrays[3].first, shortened);
  EXPECT_EQ(arrays[4].first, shortened + "_2");
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(arrays[i].second.values[0], float(i + 1));
}

TEST(Npz, CompressesItsMembers) {
  const TemporaryFolder folder;
  writeNpz(folder.file("a.npz"), {{"zeros", {{100'000}, std::vector<float>(100'000)}}});
  EXPECT_LT(contentOf(folder.file("a.npz")).size(), 2000u);
  EXPECT_EQ(readNpz(folder.file("a.npz"))[0].second.values.size(), 100'000u);
}

TEST(Npz, LeavesNothingWhereItCannotWrite) {
  const TemporaryFolder folder;
  EXPECT_THROW(writeNpz(folder.file("missing/a.npz"), someArrays()), FileError);
  EXPECT_THROW(writeNpz(folder.file("a.npz"), {}), FileError);
  EXPECT_THROW(writeNpz(folder.file("a.npz"), {{"a", {{1}, {1}}}, {"a", {{1}, {1}}}}), FileError);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Npz, RefusesWhatItCannotRead) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.npz");
  EXPECT_THAT(npzRefusal(path), HasSubstr("no such file"));
  EXPECT_THAT(npzRefusal(folder.path()), HasSubstr("folder"));
  writeBytes(path, "text");
  EXPECT_THAT(npzRefusal(path), HasSubstr("not a .npz archive"));
  writeNpz(path, someArrays());
  const std::string bytes = contentOf(path);
  writeBytes(path, bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(npzRefusal(path), HasSubstr("truncated or damaged"));
  std::string flipped = bytes;
  flipped[60] = static_cast<char>(flipped[60] ^ 0x10);
  writeBytes(path, flipped);
  EXPECT_THAT(npzRefusal(path), HasSubstr("damaged"));
  EXPECT_THAT(npzRefusal(std::string(SOFTSCOPE_TEST_DATA) + "/checkpoint/types.pth"),
              HasSubstr("not of .npy arrays"));
}

}  // namespace
}  // namespace softscope
