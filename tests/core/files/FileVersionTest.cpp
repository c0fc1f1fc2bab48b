#include "core/Error.h"
#include "core/files/FileVersion.h"
#include "tests/core/files/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace softscope {
namespace {

using ::testing::HasSubstr;

void writeText(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// File systems keep time in steps that a test may not outlast.
void writeLater(const std::string& path, const std::string& bytes) {
  const auto before = std::filesystem::last_write_time(path);
  writeText(path, bytes);
  std::filesystem::last_write_time(path, before + std::chrono::seconds(1));
}

FileVersion versionNow(const std::vector<std::string>& files) {
  return {files, stampOf(files), fileFingerprint(files.front())};
}

std::string complaintOf(const FileVersion& version) {
  try {
    requireUnchanged(version);
  } catch (const FileError& error) {
    return error.what();
  }
  return {};
}

TEST(FileVersion, AFingerprintFollowsTheContent) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.bin";
  std::string bytes(9'000'000, 'a');
  writeText(path, bytes);
  const std::string first = fileFingerprint(path);
  EXPECT_EQ(first.size(), 64u);
  bytes.back() = 'b';
  writeText(path, bytes);
  EXPECT_NE(fileFingerprint(path), first);
  EXPECT_EQ(fileFingerprint(folder / "none"), "");
}

/// Workspaces hold fingerprints that earlier versions made.
TEST(FileVersion, AFingerprintIsTheChecksumOfTheSizeAndThePieces) {
  const test::TemporaryFolder folder;
  writeText(folder / "a.bin", "bc");
  EXPECT_EQ(fileFingerprint(folder / "a.bin"),
            "9eccd722ed4f6295036722081acd4077e45f7ac3564ed070b0ab18e2630ad301");
}

TEST(FileVersion, AFileWithTheSameContentIsUnchanged) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.png";
  writeText(path, "one");
  const FileVersion version = versionNow({path});
  EXPECT_EQ(complaintOf(version), "");
  writeLater(path, "one");
  EXPECT_EQ(complaintOf(version), "");
}

TEST(FileVersion, OtherContentIsToldByName) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.png";
  writeText(path, "one");
  const FileVersion version = versionNow({path});
  writeLater(path, "two");
  EXPECT_THAT(complaintOf(version), HasSubstr("a.png: was written since it was opened"));
  std::filesystem::remove(path);
  EXPECT_THAT(complaintOf(version), HasSubstr("a.png: is no longer there"));
}

TEST(FileVersion, AnotherFileThatIsWrittenIsTold) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.safetensors";
  const std::string beside = folder / "config.json";
  writeText(path, "weights");
  writeText(beside, "{}");
  const FileVersion version = versionNow({path, beside});
  writeLater(beside, "[]");
  EXPECT_THAT(complaintOf(version), HasSubstr("a.safetensors: was written since"));
}

/// A fingerprint samples such a file, so that it may be the same for other content.
TEST(FileVersion, ALargeFileThatIsWrittenIsTold) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.safetensors";
  std::string bytes(9'000'000, 'a');
  writeText(path, bytes);
  const FileVersion version = versionNow({path});
  bytes[100'000] = 'b';
  writeLater(path, bytes);
  EXPECT_EQ(fileFingerprint(path), version.fingerprint);
  EXPECT_NE(complaintOf(version), "");
}

TEST(FileVersion, NothingIsAskedOfWhatWasNoFile) {
  EXPECT_EQ(complaintOf({}), "");
  EXPECT_EQ(complaintOf({{"nowhere"}, "", ""}), "");
}

}  // namespace
}  // namespace softscope
