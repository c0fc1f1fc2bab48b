#include "core/survey/TransformJson.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/pages/survey/SurveyGallery.h"
#include "widgets/pages/survey/Thumbnails.h"

#include <QtGui/QPixmap>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

namespace softscope {
namespace {

TEST(Thumbnails, KeepTheLastOnesThatFit) {
  Thumbnails thumbnails;
  thumbnails.setMemory(qint64{2} * 4 * Thumbnails::side * Thumbnails::side);
  QSignalSpy ready(&thumbnails, &Thumbnails::ready);
  QStringList paths;
  for (const char* name : {"a.png", "b.png", "c.png"}) {
    paths += QString::fromStdString(test::writeTestPicture(32, 32, name));
    EXPECT_TRUE(thumbnails.get(paths.back(), {}).isNull()) << "not read yet";
    ASSERT_TRUE(QTest::qWaitFor([&] { return ready.count() == paths.size(); }, test::patience));
  }
  EXPECT_FALSE(thumbnails.get(paths[1], {}).isNull());
  EXPECT_FALSE(thumbnails.get(paths[2], {}).isNull());
  thumbnails.setMemory(0);
  EXPECT_FALSE(thumbnails.get(paths[2], {}).isNull()) << "one is always kept";
  EXPECT_TRUE(thumbnails.get(paths[1], {}).isNull());
  EXPECT_TRUE(thumbnails.get(paths[0], {}).isNull());
}

/// A survey's one picture, read like this.
std::shared_ptr<const SurveyView> surveyOf(const std::filesystem::path& picture,
                                           const PictureReading& reading) {
  auto index = std::make_shared<SurveyIndex>();
  index->about["folder"] = picture.parent_path().string();
  index->pictures.push_back({.id = 0, .path = picture.filename().string(), .unreadable = {}});
  index->models.resize(1);
  index->models[0].transform = transformJson({}, reading);
  auto view = std::make_shared<SurveyView>();
  view->answer.index = index;
  view->answer.series.resize(1);
  view->answer.series[0].values = {.pictures = {0}, .values = {1}};
  return view;
}

TEST(Thumbnails, AreReadAsTheSurveyReadItsPictures) {
  // Its levels are 0 to 31 from left to right, so that in the middle 16 is the level.
  const std::string path = test::writeTestPicture(32, 32, "levels.png");
  GalleryItems items;
  QSignalSpy changed(&items, &GalleryItems::dataChanged);
  const auto middle = [&] {
    const QVariant image = items.data(items.index(0), Qt::DecorationRole);
    const QImage pixels = image.value<QPixmap>().toImage();
    return qRed(pixels.pixel(pixels.rect().center()));
  };
  items.setPoints(surveyOf(path, {ExifOrientation::Ignore, {}, 1}), {{.series = 0, .index = 0}});
  middle();
  ASSERT_TRUE(QTest::qWaitFor([&] { return changed.count() == 1; }, test::patience));
  EXPECT_NEAR(middle(), 16, 2);
  const PictureReading dark{ExifOrientation::Ignore, parseSampleRange("0,8").value(), 1};
  items.setPoints(surveyOf(path, dark), {{.series = 0, .index = 0}});
  middle();
  ASSERT_TRUE(QTest::qWaitFor([&] { return changed.count() == 2; }, test::patience));
  EXPECT_EQ(middle(), 255);
}

}  // namespace
}  // namespace softscope
