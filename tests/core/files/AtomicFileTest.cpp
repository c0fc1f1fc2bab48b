#include "core/Error.h"
#include "core/files/AtomicFile.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace softscope {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(log_) << "before\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Opens the file as a shell does for `>> log`, and returns its descriptor.
  int opened(int flags) const { return open(log_.c_str(), flags | O_CLOEXEC); }
  std::string content() const {
    std::ifstream file(log_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "AtomicFileTest";
  const std::string log_ = (folder_ / "log").string();
};

TEST_F(AtomicFileTest, AnOpenFileKeepsWhatItHolds) {
  const int file = opened(O_WRONLY | O_APPEND);
  ASSERT_GE(file, 0);
  const std::string number = std::to_string(file);
  // A link to such a path leads there, too.
  const std::string link = (folder_ / "link.csv").string();
  fs::create_symlink("/dev/fd/" + number, link);
  std::string expected = "before\n";
  for (const std::string& path :
       {"/dev/fd/" + number, "/proc/self/fd/" + number, "/proc/thread-self/fd/" + number,
        "/proc/" + std::to_string(getpid()) + "/fd/" + number, link}) {
    EXPECT_TRUE(isStreamPath(path)) << path;
    checkWritable(path);
    writeFileAtomically(path, "after\n");
    expected += "after\n";
    EXPECT_EQ(content(), expected) << path;
  }
  EXPECT_TRUE(fs::is_symlink(link));
  // The open file is the one of that name still.
  ASSERT_EQ(write(file, "last\n", 5), 5);
  close(file);
  EXPECT_EQ(content(), expected + "last\n");
}

TEST_F(AtomicFileTest, WritingGoesOnWhereAFileIsOpen) {
  const int file = opened(O_WRONLY | O_TRUNC);
  ASSERT_EQ(write(file, "one\n", 4), 4);
  writeFileAtomically("/dev/fd/" + std::to_string(file), "two\n");
  ASSERT_EQ(write(file, "three\n", 6), 6);
  close(file);
  EXPECT_EQ(content(), "one\ntwo\nthree\n");
}

TEST_F(AtomicFileTest, DescriptorsThatTakeNothingAreRefused) {
  const int file = opened(O_RDONLY);
  const std::string path = "/dev/fd/" + std::to_string(file);
  EXPECT_THROW(checkWritable(path), FileError);
  EXPECT_THROW(writeFileAtomically(path, "after\n"), FileError);
  close(file);
  EXPECT_THROW(checkWritable(path), FileError) << "it is open no longer";
  EXPECT_THROW(writeFileAtomically(path, "after\n"), FileError);
  EXPECT_EQ(content(), "before\n");
}

TEST_F(AtomicFileTest, OrdinaryFilesAreNoStreams) {
  EXPECT_FALSE(isStreamPath(log_));
  EXPECT_FALSE(isStreamPath((folder_ / "none").string()));
  EXPECT_TRUE(isStreamPath("/dev/null"));
  writeFileAtomically(log_, "after\n");
  EXPECT_EQ(content(), "after\n");
}

}  // namespace
}  // namespace softscope
