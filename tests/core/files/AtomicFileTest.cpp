#include "core/Error.h"
#include "core/files/AtomicFile.h"
#include "core/files/PartFile.h"
#include "tests/core/files/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
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
  std::string content() const { return test::contentOf(log_); }

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

// In containers, two programs that write the same file may have the same number.
TEST_F(AtomicFileTest, APartThatAnotherProcessOfThisNumberFillsIsLeftToIt) {
  const std::string number = std::to_string(getpid());
  const std::string other = (folder_ / (".out." + number + ".softscope-part.csv")).string();
  std::ofstream(other) << "theirs";
  const int file = ::open(other.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(file, LOCK_EX | LOCK_NB), 0);
  const std::string out = (folder_ / "out.csv").string();
  writeFileAtomically(out, "ours");
  EXPECT_EQ(test::contentOf(out), "ours");
  EXPECT_EQ(test::contentOf(other), "theirs");
  close(file);
  writeFileAtomically(out, "new");
  EXPECT_EQ(test::contentOf(out), "new");
  EXPECT_FALSE(fs::exists(other)) << "what nobody fills any more is taken";
}

// Whoever may write into a shared folder can guess the name.
TEST_F(AtomicFileTest, NothingIsWrittenThroughWhatHasTheNameOfAPart) {
  const std::string number = std::to_string(getpid());
  const auto part = [&](const char* which) {
    return folder_ / (".out" + std::string(which) + "." + number + ".softscope-part.csv");
  };
  fs::create_symlink(log_, part(""));
  fs::create_hard_link(log_, part("-1"));
  ASSERT_EQ(mkfifo(part("-2").c_str(), 0600), 0);
  fs::create_symlink(folder_ / "none", part("-3"));
  fs::create_directory(part("-4"));
  fs::permissions(log_, fs::perms::owner_all);
  const std::string out = (folder_ / "out.csv").string();
  std::ofstream(out) << "before\n";
  writeFileAtomically(out, "ours");
  EXPECT_EQ(test::contentOf(out), "ours");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(out)));
  EXPECT_EQ(content(), "before\n");
  EXPECT_EQ(fs::status(log_).permissions(), fs::perms::owner_all);
  EXPECT_FALSE(fs::exists(folder_ / "none"));
  EXPECT_TRUE(fs::is_symlink(part("")) && fs::is_fifo(part("-2"))) << "they are somebody else's";
  EXPECT_EQ(fs::hard_link_count(log_), 2u);
}

TEST_F(AtomicFileTest, ANameIsNotCutOffAtANullCharacter) {
  const std::string path = (folder_ / "x").string() + std::string("\0y", 2);
  EXPECT_THROW(writeFileAtomically(path, "after"), FileError);
  EXPECT_THROW(checkWritable(path), FileError);
  EXPECT_FALSE(fs::exists(folder_ / "x"));
}

TEST_F(AtomicFileTest, ALongNameLeavesRoomForThatOfItsPart) {
  for (const std::string& name : {std::string(255, 'n'), "n." + std::string(253, 'e')}) {
    const std::string path = (folder_ / name).string();
    writeFileAtomically(path, "after");
    EXPECT_EQ(test::contentOf(path), "after");
  }
}

TEST_F(AtomicFileTest, AFileThatIsReplacedHandsItsPermissionsOn) {
  const auto permissions = [](const fs::path& file) { return fs::status(file).permissions(); };
  constexpr auto secret = fs::perms::owner_read | fs::perms::owner_write;
  fs::permissions(log_, secret);
  writeFileAtomically(log_, [&](const std::string& temporary) {
    EXPECT_EQ(permissions(temporary), secret) << "nor may others read it meanwhile";
    std::ofstream(temporary) << "after\n";
  });
  EXPECT_EQ(content(), "after\n");
  EXPECT_EQ(permissions(log_), secret);
}

TEST_F(AtomicFileTest, WriteProtectedFilesAreRefused) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write them";
  fs::permissions(log_, fs::perms::owner_read);
  EXPECT_THROW(checkWritable(log_), FileError);
  EXPECT_THROW(writeFileAtomically(log_, "after\n"), FileError);
  EXPECT_EQ(content(), "before\n");
}

TEST_F(AtomicFileTest, TemporaryFilesGoWhereThereIsAFolderForThem) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? std::string() : before;
  setenv("TMPDIR", folder_.c_str(), 1);
  EXPECT_EQ(temporaryFolder(), folder_.string());
  setenv("TMPDIR", (folder_ / "gone").c_str(), 1);
  EXPECT_TRUE(fs::is_directory(temporaryFolder()));
  const int file = opened(O_WRONLY | O_APPEND);
  writeFileAtomically("/dev/fd/" + std::to_string(file), "after\n");
  close(file);
  EXPECT_EQ(content(), "before\nafter\n");
  if (before == nullptr) {
    unsetenv("TMPDIR");
  } else {
    setenv("TMPDIR", kept.c_str(), 1);
  }
}

TEST(WriteFailure, AdvisesToRaiseALimitWhereThatIsAtFault) {
  EXPECT_NE(writeFailure(EMFILE).find("ulimit -n"), std::string::npos);
  EXPECT_NE(writeFailure(EFBIG).find("ulimit -f"), std::string::npos);
  for (const int error : {EMFILE, ENFILE, EFBIG}) {
    EXPECT_EQ(writeFailure(error).find("another place"), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace softscope
