#include "core/Error.h"
#include "core/files/CheckpointFiles.h"
#include "core/files/Overwriting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace softscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsSupersetOf;

class OverwritingTest : public testing::Test {
 protected:
  OverwritingTest() : folder_(fs::path(testing::TempDir()) / "overwriting") {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "below");
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text = "x") const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

  fs::path folder_;
};

TEST_F(OverwritingTest, AFileIsTheSameByEveryName) {
  const std::string file = write("file");
  fs::create_symlink("file", path("soft"));
  fs::create_symlink("soft", path("chain"));
  fs::create_hard_link(file, path("hard"));
  for (const char* name : {"soft", "chain", "hard", "below/../file", "./file"}) {
    EXPECT_TRUE(isSameFile(file, path(name))) << name;
  }
  EXPECT_FALSE(isSameFile(file, write("other")));
  EXPECT_FALSE(isSameFile(file, path("absent")));
}

TEST_F(OverwritingTest, FilesThatAreNotThereAreTheSameByTheirPlaces) {
  fs::create_directory_symlink("below", path("link"));
  EXPECT_TRUE(isSameFile(path("new"), path("below/../new")));
  EXPECT_TRUE(isSameFile(path("below/new"), path("link/new")));
  EXPECT_FALSE(isSameFile(path("below/new"), path("new")));
}

TEST_F(OverwritingTest, NamesTheInputThatWouldBeDestroyed) {
  const std::string input = write("input");
  fs::create_hard_link(input, path("hard"));
  try {
    checkOutputs({"", path("hard")}, {"", write("other"), input});
    FAIL();
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr(path("hard") + ": is the same file as " + input));
  }
  EXPECT_THROW(checkOutputs({path("below")}, {path("below")}), FileError);
  EXPECT_NO_THROW(checkOutputs({path("new"), path("newer")}, {input}));
}

TEST_F(OverwritingTest, RefusesTwoOutputsInOneFile) {
  EXPECT_THROW(checkOutputs({path("new"), path("below/../new")}, {}), FileError);
  EXPECT_NO_THROW(checkOutputs({path("new"), ""}, {}));
}

TEST_F(OverwritingTest, AModelIsAllItsFiles) {
  const std::string shard = write("model-00002-of-00002.safetensors");
  const std::string first = write("model-00001-of-00002.safetensors");
  const std::string index = write("model.safetensors.index.json",
                                  R"({"weight_map": {"a": "model-00001-of-00002.safetensors",)"
                                  R"( "b": "model-00002-of-00002.safetensors"}})");
  const std::string config = write("config.json", "{}");
  for (const std::string& model : {shard, index, folder_.string()}) {
    EXPECT_THAT(filesOfModel(model), IsSupersetOf({model, first, shard, index, config})) << model;
  }
}

TEST_F(OverwritingTest, AModelThatCannotBeReadIsItselfAtLeast) {
  const std::string index = write("broken.safetensors.index.json", "[");
  EXPECT_THAT(filesOfModel(index), testing::Contains(index));
  EXPECT_THAT(filesOfModel(path("absent")), testing::Contains(path("absent")));
}

}  // namespace
}  // namespace softscope
