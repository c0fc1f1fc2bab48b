#include "core/Error.h"
#include "core/files/Sha256.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace softscope {
namespace {

/// The examples of FIPS 180-2.
TEST(Sha256, IsWhatItsStandardSays) {
  EXPECT_EQ(Sha256().digest(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Sha256 inParts;
  inParts.add("a");
  inParts.add("bc");
  EXPECT_EQ(inParts.digest(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, ReadsFilesWhole) {
  const std::string path = (std::filesystem::path(testing::TempDir()) / "Sha256Test").string();
  std::ofstream(path, std::ios::binary) << std::string(1'000'000, 'a');
  Sha256 ofFile;
  addFile(path, ofFile);
  EXPECT_EQ(ofFile.digest(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  std::filesystem::remove(path);
  EXPECT_THROW(addFile(path, ofFile), FileError);
}

TEST(Sha256, StopsWithinAFile) {
  const std::string path = (std::filesystem::path(testing::TempDir()) / "Sha256Stops").string();
  std::ofstream(path, std::ios::binary) << std::string(5'000'000, 'a');
  std::vector<double> reported;
  Progress* running = nullptr;
  Progress progress([&](double fraction, const std::string&) {
    reported.push_back(fraction);
    if (fraction > 0.3) running->cancel();
  });
  running = &progress;
  Sha256 ofFile;
  EXPECT_THROW(addFile(path, ofFile, progress), Cancelled);
  ASSERT_GE(reported.size(), 2u);
  EXPECT_EQ(reported.front(), 0);
  EXPECT_LT(reported.back(), 0.6);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace softscope
