#include "core/Error.h"
#include "core/files/AtomicFolder.h"
#include "tests/core/files/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/file.h>
#include <unistd.h>

namespace softscope {
namespace {

namespace fs = std::filesystem;

class AtomicFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Writes a file `log` into the folder and returns its path.
  fs::path writtenLog() const {
    fs::path log = folder_ / "log";
    std::ofstream(log) << "before\n";
    return log;
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "AtomicFolderTest";
};

TEST_F(AtomicFolderTest, AFolderThatAnotherProcessOfThisNumberFillsIsLeftToIt) {
  const fs::path other = folder_ / (".dump." + std::to_string(getpid()) + ".softscope-part");
  fs::create_directories(other);
  std::ofstream(other / "theirs") << "theirs";
  const int file = ::open(other.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(file, LOCK_EX | LOCK_NB), 0);
  const auto write = [](const std::string& folder) { std::ofstream(folder + "/ours") << "ours"; };
  writeFolderAtomically((folder_ / "dump").string(), "ours", write);
  close(file);
  EXPECT_EQ(test::contentOf((folder_ / "dump/ours").string()), "ours");
  EXPECT_EQ(test::contentOf((other / "theirs").string()), "theirs");
  EXPECT_FALSE(fs::exists(folder_ / "dump/theirs"));
}

TEST_F(AtomicFolderTest, NoFolderIsFilledThroughALinkWithTheNameOfAPart) {
  const fs::path theirs = folder_ / "theirs";
  fs::create_directory(theirs);
  std::ofstream(theirs / "kept") << "theirs";
  fs::create_directory_symlink(theirs,
                               folder_ / (".dump." + std::to_string(getpid()) + ".softscope-part"));
  writeFolderAtomically((folder_ / "dump").string(), "ours", [](const std::string& folder) {
    std::ofstream(folder + "/ours") << "ours";
  });
  EXPECT_EQ(test::contentOf((folder_ / "dump/ours").string()), "ours");
  EXPECT_FALSE(fs::is_symlink(folder_ / "dump"));
  EXPECT_EQ(test::contentOf((theirs / "kept").string()), "theirs");
  EXPECT_FALSE(fs::exists(theirs / "ours"));
}

TEST_F(AtomicFolderTest, AFolderThatIsNotWrittenLeavesNoFoldersAboveIt) {
  const auto fail = [](const std::string&) { throw Error("no"); };
  EXPECT_THROW(writeFolderAtomically((folder_ / "a/b/c").string(), "last", fail), Error);
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  fs::create_directory(folder_ / "a");
  EXPECT_THROW(writeFolderAtomically((folder_ / "a/b/c").string(), "last", fail), Error);
  EXPECT_TRUE(fs::is_empty(folder_ / "a")) << "it was there before";
  writeFolderAtomically((folder_ / "a/b/c").string(), "last", [](const std::string&) {});
  EXPECT_TRUE(fs::is_directory(folder_ / "a/b/c"));
}

TEST_F(AtomicFolderTest, AFolderThatAnotherProcessMakesMeanwhileIsFilled) {
  const fs::path dump = folder_ / "dump";
  writeFolderAtomically(dump.string(), "last", [&](const std::string& folder) {
    fs::create_directory(dump);
    std::ofstream(dump / "theirs") << "theirs";
    std::ofstream(folder + "/ours") << "ours";
  });
  EXPECT_EQ(test::contentOf((dump / "ours").string()), "ours");
  EXPECT_EQ(test::contentOf((dump / "theirs").string()), "theirs");
}

TEST_F(AtomicFolderTest, FilesOfTwoProcessesAreNotMixedInOneFolder) {
  const auto fill = [](const fs::path& folder, const std::string& text) {
    for (const char* name : {"last", "array"}) std::ofstream(folder / name) << text;
  };
  for (const char* name : {"new", "old"}) {
    const fs::path dump = folder_ / name;
    if (dump.filename() == "old") {
      fs::create_directory(dump);
      fill(dump, "earlier");
    }
    const auto write = [&](const std::string& folder) {
      writeFolderAtomically(dump.string(), "last",
                            [&](const std::string& other) { fill(other, "theirs"); });
      fill(folder, "ours");
    };
    EXPECT_THROW(writeFolderAtomically(dump.string(), "last", write), FileError) << name;
    EXPECT_EQ(test::contentOf((dump / "last").string()), "theirs") << name;
    EXPECT_EQ(test::contentOf((dump / "array").string()), "theirs") << name;
    writeFolderAtomically(dump.string(), "last",
                          [&](const std::string& folder) { fill(folder, "later"); });
    EXPECT_EQ(test::contentOf((dump / "array").string()), "later") << name;
  }
}

TEST_F(AtomicFolderTest, AFileThatIsReplacedHandsItsPermissionsOn) {
  constexpr auto secret = fs::perms::owner_read | fs::perms::owner_write;
  const fs::path log = writtenLog();
  fs::permissions(log, secret);
  writeFolderAtomically(folder_.string(), "log", [](const std::string& folder) {
    std::ofstream(folder + "/log") << "of a folder\n";
  });
  EXPECT_EQ(test::contentOf(log.string()), "of a folder\n");
  EXPECT_EQ(fs::status(log).permissions(), secret);
}

TEST_F(AtomicFolderTest, WriteProtectedFilesAreRefused) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write them";
  const fs::path log = writtenLog();
  fs::permissions(log, fs::perms::owner_read);
  const auto write = [](const std::string& folder) {
    for (const char* name : {"/log", "/other"}) std::ofstream(folder + name) << "after\n";
  };
  EXPECT_THROW(writeFolderAtomically(folder_.string(), "log", write), FileError);
  EXPECT_EQ(test::contentOf(log.string()), "before\n");
  EXPECT_FALSE(fs::exists(folder_ / "other")) << "all or nothing";
}

}  // namespace
}  // namespace softscope
