#include "core/Error.h"
#include "core/survey/PictureList.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace softscope {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class PictureListTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text = "x") const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  static std::vector<std::string> pathsOf(const PictureList& list) {
    std::vector<std::string> paths;
    for (const auto& entry : list.entries) paths.push_back(entry.path);
    return paths;
  }

  const fs::path root_ = fs::path(testing::TempDir()) / "PictureListTest";
};

TEST_F(PictureListTest, ListsClassFoldersByPath) {
  for (const char* name :
       {"dog/b.JPEG", "cat/2.png", "cat/1.bmp", "cat/notes.txt", "dog/.hidden.jpg"}) {
    write(name);
  }
  const PictureList list = listPictures(root_.string(), std::nullopt);
  EXPECT_THAT(pathsOf(list), ElementsAre("cat/1.bmp", "cat/2.png", "dog/b.JPEG"));
  EXPECT_THAT(list.classes, ElementsAre("cat", "dog"));
  EXPECT_EQ(list.entries[2].classIndex, 1);
  EXPECT_EQ(list.passedOver, 1);
  EXPECT_EQ(list.folder, root_.string());
  EXPECT_EQ(list.pathOf(list.entries[0]), (root_ / "cat/1.bmp").string());
}

TEST_F(PictureListTest, TakesTheSplitOfADataSet) {
  for (const char* name : {"train/a/1.png", "val/a/2.png", "val/b/3.png"}) write(name);
  const PictureList val = listPictures(root_.string(), std::nullopt);
  EXPECT_THAT(pathsOf(val), ElementsAre("a/2.png", "b/3.png"));
  EXPECT_EQ(val.folder, (root_ / "val").string());
  EXPECT_THAT(pathsOf(listPictures(root_.string(), "train")), ElementsAre("a/1.png"));
  EXPECT_THROW(listPictures(root_.string(), "test"), DataSetError);
}

TEST_F(PictureListTest, KnowsNoClassesInPlainAndNestedFolders) {
  for (const char* name : {"1.png", "deep/er/2.png", "deep/3.png"}) write(name);
  const PictureList list = listPictures(root_.string(), std::nullopt);
  EXPECT_THAT(pathsOf(list), ElementsAre("1.png", "deep/3.png", "deep/er/2.png"));
  EXPECT_TRUE(list.classes.empty());
  EXPECT_FALSE(list.entries[1].classIndex);
}

TEST_F(PictureListTest, ReadsATextFile) {
  write("list.txt", "  b/2.jpg \n\n./a/1.jpg\r\n");
  const PictureList list = listPictures((root_ / "list.txt").string(), std::nullopt);
  EXPECT_THAT(pathsOf(list), ElementsAre("a/1.jpg", "b/2.jpg"));
  EXPECT_EQ(list.pathOf(list.entries[0]), (root_ / "a/1.jpg").string());
  write("twice.txt", "a.jpg\na.jpg\n");
  EXPECT_THROW(listPictures((root_ / "twice.txt").string(), std::nullopt), DataSetError);
}

TEST_F(PictureListTest, SpreadsALimitEvenly) {
  for (int i = 0; i < 10; ++i) write((i < 5 ? "a/" : "b/") + std::to_string(i) + ".png");
  const PictureList list = listPictures(root_.string(), std::nullopt, 4);
  EXPECT_THAT(pathsOf(list), ElementsAre("a/0.png", "a/2.png", "b/5.png", "b/7.png"));
  EXPECT_EQ(listPictures(root_.string(), std::nullopt, 99).entries.size(), 10U);
}

TEST_F(PictureListTest, HasAChecksumOfNamesAndOneOfSizesToo) {
  const auto list = [&] { return listPictures(root_.string(), std::nullopt); };
  write("1.png");
  write("2.png");
  const std::string names = list().checksum;
  const std::string sizes = list().checksumWithSizes();
  EXPECT_EQ(list().checksum, names);
  EXPECT_EQ(list().checksumWithSizes(), sizes);
  write("2.png", "longer");
  EXPECT_EQ(list().checksum, names) << "a picture that is repaired is the same one";
  EXPECT_NE(list().checksumWithSizes(), sizes);
  write("2.png");
  write("3.png");
  EXPECT_NE(list().checksum, names);
  EXPECT_NE(list().checksumWithSizes(), sizes);
}

TEST_F(PictureListTest, RefusesWhatHoldsNoPicture) {
  EXPECT_THROW(listPictures((root_ / "nowhere").string(), std::nullopt), DataSetError);
  EXPECT_THROW(listPictures(root_.string(), std::nullopt), DataSetError);
  write("binary", std::string("a\0b", 3));
  EXPECT_THROW(listPictures((root_ / "binary").string(), std::nullopt), DataSetError);
}

TEST_F(PictureListTest, WaitsForNoPipeAndReadsNothingWithoutEnd) {
  write("1.png");
  const fs::path pipe = root_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(listPictures(pipe.string(), std::nullopt), DataSetError);
  EXPECT_THROW(listPictures("/dev/zero", std::nullopt), DataSetError);
  write("long.txt", std::string(5000, 'x'));
  EXPECT_THROW(listPictures((root_ / "long.txt").string(), std::nullopt), DataSetError);
  write("huge.txt", "1.png\n");
  fs::resize_file(root_ / "huge.txt", std::uintmax_t{1} << 40);
  EXPECT_THROW(listPictures((root_ / "huge.txt").string(), std::nullopt), DataSetError);
  write("last.txt", "1.png");
  EXPECT_THAT(pathsOf(listPictures((root_ / "last.txt").string(), std::nullopt)),
              ElementsAre("1.png"));
}

TEST_F(PictureListTest, TakesPicturesFromTheirFolderAndNotFromALinkToIt) {
  // Folders are listed in an order of the file system's own, so that one order of making them could
  // be right by chance.
  for (const char* link : {"a", "z", "n"}) {
    fs::remove_all(root_);
    write("m/1.png");
    fs::create_directory_symlink(root_ / "m", root_ / link);
    for (const char* name : {"b/2.png", "y/3.png"}) write(name);
    EXPECT_THAT(pathsOf(listPictures(root_.string(), std::nullopt)),
                ElementsAre("b/2.png", "m/1.png", "y/3.png"))
        << link;
  }
}

TEST_F(PictureListTest, OfSeveralLinksTakesTheFirstByName) {
  const fs::path target = fs::path(testing::TempDir()) / "PictureListTestTarget";
  for (const bool backwards : {false, true}) {
    fs::remove_all(root_);
    write("1.png");
    fs::create_directories(target);
    std::ofstream(target / "2.png") << "x";
    for (const char letter : {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}) {
      const char name = backwards ? static_cast<char>('a' + 'h' - letter) : letter;
      fs::create_directory_symlink(target, root_ / std::string(1, name));
    }
    EXPECT_THAT(pathsOf(listPictures(root_.string(), std::nullopt)),
                ElementsAre("1.png", "a/2.png"));
  }
  fs::remove_all(target);
}

TEST_F(PictureListTest, ListsWhatIsNamedLikeAPictureAndCannotBeRead) {
  write("b.png");
  fs::create_symlink("nowhere", root_ / "a.png");
  fs::create_symlink("c.png", root_ / "c.png");
  ASSERT_EQ(mkfifo((root_ / "d.jpg").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((root_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink("/nowhere/cat", root_ / "cat");
  fs::create_directory_symlink(root_, root_ / "folder.png");
  const PictureList list = listPictures(root_.string(), std::nullopt);
  EXPECT_THAT(pathsOf(list), ElementsAre("a.png", "b.png", "c.png", "d.jpg"));
  EXPECT_THAT(list.brokenLinks, ElementsAre("cat"));
  EXPECT_EQ(list.passedOver, 0);
}

TEST_F(PictureListTest, ReadsATextFileWithAByteOrderMark) {
  write("list.txt",
        "\xEF\xBB\xBF"
        "b.jpg\r\na.jpg\r\n");
  EXPECT_THAT(pathsOf(listPictures((root_ / "list.txt").string(), std::nullopt)),
              ElementsAre("a.jpg", "b.jpg"));
}

}  // namespace
}  // namespace softscope
