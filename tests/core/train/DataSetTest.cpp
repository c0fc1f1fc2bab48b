#include "core/Error.h"
#include "core/image/PreparedPicture.h"
#include "core/train/Augmentation.h"
#include "core/train/ClassFolders.h"
#include "core/train/DataSet.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/TestFiles.h"
#include "tests/core/train/TinyDataSet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sys/stat.h>

namespace softscope::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> bothClasses{"cat", "dog"};

/// The message of the DataSetError that reading the split throws.
std::string dataSetComplaint(const std::string& folder, const std::string& split = "train") {
  return test::messageOf<DataSetError>([&] { readDataSet(folder, split, withShorterSide(8)); });
}

class DataSetTest : public testing::Test {
 protected:
  std::string root() const { return folder_.file("data"); }

  TemporaryFolder folder_;
};

TEST_F(DataSetTest, ReadsClassFoldersInOrder) {
  writeSplit(root(), "train", {"dog", "cat"}, 2, 16);
  const DataSet data = readDataSet(root(), "train", withShorterSide(8));
  EXPECT_THAT(data.classes, ElementsAre("cat", "dog"));
  ASSERT_EQ(data.pictures.size(), 4u);
  EXPECT_EQ(data.pictures[0].label, 0);
  EXPECT_EQ(data.pictures[3].label, 1);
  EXPECT_TRUE(data.unreadable.empty());
}

TEST_F(DataSetTest, ResizesTheShorterSideOfPicturesOfAnySize) {
  writeSplit(root(), "train", bothClasses, 1, 16);
  writePicture(root() + "/train/cat/wide.bmp", noisyPicture(40, 20, 1, 9, 9, 9));
  writePicture(root() + "/train/cat/x.bmp", noisyPicture(4, 6, 1, 9, 9, 9));
  const DataSet data = readDataSet(root(), "train", withShorterSide(8));
  ASSERT_EQ(data.pictures.size(), 4u);
  EXPECT_EQ(data.pictures[1].picture.width, 16);
  EXPECT_EQ(data.pictures[1].picture.height, 8);
  EXPECT_EQ(data.pictures[2].picture.width, 8);
  EXPECT_EQ(data.pictures[2].picture.height, 12);
}

TEST_F(DataSetTest, SaysWhatIsMissing) {
  EXPECT_THAT(dataSetComplaint(root()), HasSubstr("does not exist"));
  writeSplit(root(), "train", bothClasses, 1, 16);
  EXPECT_THAT(dataSetComplaint(root(), "val"), HasSubstr("has no folder val/"));
  EXPECT_THAT(dataSetComplaint(root() + "/train/cat/0.bmp"), HasSubstr("is a file"));
}

TEST_F(DataSetTest, RefusesOneClass) {
  writeSplit(root(), "train", {"cat"}, 1, 16);
  EXPECT_THAT(dataSetComplaint(root()), HasSubstr("only the class cat"));
  std::filesystem::remove_all(root() + "/train/cat");
  EXPECT_THAT(dataSetComplaint(root()), HasSubstr("no class"));
}

TEST_F(DataSetTest, RefusesAnEmptyClass) {
  writeSplit(root(), "train", bothClasses, 1, 16);
  std::filesystem::create_directory(root() + "/train/emu");
  EXPECT_THAT(dataSetComplaint(root()), HasSubstr("emu: is a class without pictures"));
  writeBytes(root() + "/train/emu/note.txt", "no picture");
  EXPECT_THAT(dataSetComplaint(root()), HasSubstr("emu: holds no readable picture"));
}

TEST_F(DataSetTest, CountsWhatItCannotRead) {
  writeSplit(root(), "train", bothClasses, 2, 16);
  writeBytes(root() + "/train/cat/broken.jpg", "\xff\xd8\xff not a picture");
  writeBytes(root() + "/train/dog/.hidden", "passed over without a word");
  writePicture(root() + "/train/dog/thread.bmp", noisyPicture(1, 200000, 1, 9, 9, 9));
  const DataSet data = readDataSet(root(), "train", withShorterSide(144));
  EXPECT_EQ(data.pictures.size(), 4u);
  ASSERT_EQ(data.unreadable.size(), 2u);
  EXPECT_THAT(data.unreadable[0], HasSubstr("broken.jpg"));
  EXPECT_THAT(data.unreadable[1], HasSubstr("thread.bmp: is too long and thin"));
}

TEST_F(DataSetTest, CountsLinksAndPipesThatCannotBeRead) {
  writeSplit(root(), "train", bothClasses, 2, 16);
  std::filesystem::create_symlink("nowhere", root() + "/train/cat/dead.jpg");
  ASSERT_EQ(mkfifo((root() + "/train/dog/pipe.jpg").c_str(), 0600), 0);
  const DataSet data = readDataSet(root(), "train", withShorterSide(8));
  EXPECT_EQ(data.pictures.size(), 4u);
  EXPECT_THAT(data.unreadable, ElementsAre(HasSubstr("dead.jpg: does not exist"),
                                           HasSubstr("pipe.jpg: is not an ordinary file")));
  std::filesystem::create_symlink("/nowhere/emu", root() + "/train/emu");
  EXPECT_THAT(dataSetComplaint(root()), HasSubstr("emu: is a link that cannot be followed"));
}

TEST_F(DataSetTest, HandsOnOnePictureAfterAnotherAndStopsAtTheFirstClassWithoutAny) {
  writeSplit(root(), "val", {"cat", "dog", "emu"}, 2, 16);
  writeBytes(root() + "/val/cat/broken.jpg", "\xff\xd8\xff not a picture");
  std::vector<int> labels;
  const PictureUse note = [&](const LabelledPicture& picture) { labels.push_back(picture.label); };
  const auto read = [&] {
    return forEachPicture(listClassFolders(root(), "val"), withShorterSide(8), note, "Looking");
  };
  EXPECT_EQ(read().size(), 1u);
  EXPECT_THAT(labels, ElementsAre(0, 0, 1, 1, 2, 2));
  labels.clear();
  for (const char* name : {"0.bmp", "1.bmp"}) {
    std::filesystem::remove(root() + "/val/dog/" + name);
  }
  writeBytes(root() + "/val/dog/note.txt", "no picture");
  try {
    read();
    ADD_FAILURE() << "a class without a picture";
  } catch (const DataSetError& error) {
    EXPECT_THAT(error.what(), HasSubstr("dog: holds no readable picture"));
    EXPECT_THAT(error.what(), HasSubstr("note.txt")) << "not what was wrong with another class";
  }
  EXPECT_THAT(labels, ElementsAre(0, 0)) << "the emus are not read any more";
}

TEST_F(DataSetTest, RequiresTheSameClassesInBothSplits) {
  const auto message = [&] {
    return test::messageOf<DataSetError>([&] { requireSameClasses(root()); });
  };
  writeSplit(root(), "train", {"cat", "dog", "emu"}, 1, 16);
  writeSplit(root(), "val", bothClasses, 1, 16);
  EXPECT_THAT(message(), HasSubstr("class emu in train/ and not in val/"));
  writeSplit(root(), "val", {"emu", "fox"}, 1, 16);
  EXPECT_THAT(message(), HasSubstr("class fox in val/ and not in train/"));
  writeSplit(root(), "train", {"fox"}, 1, 16);
  EXPECT_EQ(message(), "");
}

TEST_F(DataSetTest, KeptEvaluationPicturesNormaliseToTheVeryInputOfTheModel) {
  const Picture picture = noisyPicture(50, 41, 1, 120, 60, 200);
  InputTransform transform;
  transform.height = 24;
  transform.width = 24;
  const Picture kept = asEvaluated(transform)(picture);
  std::vector<float> planes(3 * 24 * 24);
  normalisePicture(kept, transform.mean, transform.deviation, planes.data());
  EXPECT_EQ(planes, preparePicture(picture, transform).input.values);
}

}  // namespace
}  // namespace softscope::test
