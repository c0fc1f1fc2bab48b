#include "widgets/figure/FigureCommandText.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <unistd.h>

namespace softscope {
namespace {

namespace fs = std::filesystem;

/// A folder, FOLDER/far/inner, and FOLDER/near, a link to it.
class AbsolutePathTest : public testing::Test {
 protected:
  AbsolutePathTest() {
    fs::create_directories(folder_ / "far" / "inner");
    fs::create_directory_symlink(folder_ / "far" / "inner", folder_ / "near");
    fs::current_path(folder_);
  }
  ~AbsolutePathTest() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  const fs::path before_ = fs::current_path();
  const fs::path folder_ =
      fs::canonical(fs::temp_directory_path()) / ("softscope-paths-" + std::to_string(::getpid()));
};

TEST_F(AbsolutePathTest, IsOneHoweverItIsWritten) {
  const std::string path = (folder_ / "a.pth").string();
  for (const std::string written : {"a.pth", "./a.pth", ".//a.pth", "far/../a.pth"}) {
    EXPECT_EQ(absolutePath(written), path) << written;
  }
  EXPECT_EQ(absolutePath(folder_.string() + "/./a.pth"), path);
}

TEST_F(AbsolutePathTest, KeepsTheNamesOfLinksAndLeadsWhereTheSystemDoes) {
  EXPECT_EQ(absolutePath("near/a.pth"), (folder_ / "near" / "a.pth").string());
  EXPECT_EQ(absolutePath("near/../a.pth"), (folder_ / "far" / "a.pth").string());
}

}  // namespace
}  // namespace softscope
