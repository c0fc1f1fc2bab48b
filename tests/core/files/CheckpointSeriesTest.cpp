#include "core/Error.h"
#include "core/files/CheckpointSeries.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace softscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CheckpointSeriesTest : public testing::Test {
 protected:
  std::string made(const std::string& name) {
    const std::string path = folder_.file(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    writeBytes(path, "");
    return path;
  }

  TemporaryFolder folder_;
};

TEST_F(CheckpointSeriesTest, AFolderOfNumberedCheckpointsIsOne) {
  const std::string ninth = made("run/epoch_9.pth");
  const std::string tenth = made("run/epoch_10.pth");
  made("run/best.pth");
  made("run/log.csv");
  for (const char* path : {"run", "run/"}) {
    const auto found = findSeries(folder_.file(path));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].name, "run");
    ASSERT_EQ(found[0].steps.size(), 2u);
    EXPECT_EQ(found[0].steps[0].number, 9);
    EXPECT_TRUE(std::filesystem::equivalent(found[0].steps[0].path, ninth));
    EXPECT_TRUE(std::filesystem::equivalent(found[0].steps[1].path, tenth));
  }
}

TEST_F(CheckpointSeriesTest, OtherFoldersAndFilesAreNone) {
  EXPECT_THAT(findSeries(made("one/epoch_1.pth")), IsEmpty()) << "a file";
  EXPECT_THAT(findSeries(folder_.file("one")), IsEmpty()) << "a single checkpoint";
  made("hub/model.safetensors");
  made("hub/model_1.bin");
  made("hub/model_2.bin");
  EXPECT_THAT(findSeries(folder_.file("hub")), IsEmpty()) << "a folder of a hub";
  made("shards/model-00001-of-00002.bin");
  made("shards/model-00002-of-00002.bin");
  EXPECT_THAT(findSeries(folder_.file("shards")), IsEmpty());
  EXPECT_THAT(findSeries(folder_.file("nowhere")), IsEmpty());
}

TEST_F(CheckpointSeriesTest, WildcardsStandForFiles) {
  const std::string second = made("a/e2.pth");
  const std::string tenth = made("a/e10.pth");
  EXPECT_THAT(filesMatching(folder_.file("a/e*.pth")), ElementsAre(second, tenth));
  EXPECT_THAT(filesMatching(second), ElementsAre(second));
  EXPECT_THAT(filesMatching("no/such.pth"), ElementsAre("no/such.pth"));
  EXPECT_THROW(filesMatching(folder_.file("a/x*.pth")), FileError);
  const auto found = findSeries(folder_.file("a/e*.pth"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "e*");
}

TEST_F(CheckpointSeriesTest, AFileMayHaveWildcardsInItsName) {
  const std::string odd = made("a/e[1].pth");
  made("a/e1.pth");
  EXPECT_THAT(filesMatching(odd), ElementsAre(odd));
  EXPECT_THAT(findSeries(odd), IsEmpty());
}

}  // namespace
}  // namespace softscope
