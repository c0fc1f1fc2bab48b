#include "core/Error.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/figure/SweepFigure.h"
#include "widgets/figure/SweepFile.h"
#include "widgets/query/ValueRange.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtGui/QImage>
#include <QtGui/QImageReader>
#include <QtGui/QPainter>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace softscope {
namespace {

/// Returns the heads of a layer, asked at `count` places from left to right.
std::vector<HeadsSubject> movingQuery(std::size_t count) {
  std::vector<HeadsSubject> moments;
  for (std::size_t i = 0; i < count; ++i) {
    HeadsSubject moment;
    moment.picture = std::make_shared<const Picture>(readPicture(test::writeTestPicture(96, 64)));
    moment.region = {16, 0, 64, 64};
    moment.modelName = "soft_tiny";
    moment.layers = {test::syntheticInspection()->layers[1]};
    moment.queries = markedQueries({{0.2 + 0.6 * double(i) / double(count), 0.3}});
    moments.push_back(std::move(moment));
  }
  return moments;
}

/// Returns the ranges of a frame's heat maps.
std::vector<ValueRange> rangesOf(const PanelFigure& frame) {
  std::vector<ValueRange> ranges;
  for (const FigureBlock& block : frame.blocks) {
    for (const FigureCell& cell : block.cells) {
      if (cell.panel.values.patches.size() > 0) ranges.push_back(cell.panel.range);
    }
  }
  return ranges;
}

/// Returns the smallest and the largest value of a frame's heat map.
std::pair<float, float> extremesOf(const SweepFrames& frames, std::size_t cell) {
  std::pair<float, float> ends{std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::lowest()};
  for (const PanelFigure& frame : frames) {
    const Vector& values = frame.blocks.front().cells[cell].panel.values.patches;
    ends.first = std::min(ends.first, values.minCoeff());
    ends.second = std::max(ends.second, values.maxCoeff());
  }
  return ends;
}

FigureSettings smallSettings() {
  FigureSettings settings;
  settings.width = 100;
  return settings;
}

SweepSettings smallFrames() {
  SweepSettings settings;
  settings.frameWidth = 200;
  return settings;
}

TEST(SweepFigureTest, EveryHeadHasOneRangeOverAllFrames) {
  const SweepFrames frames = sweepFrames(movingQuery(5));
  ASSERT_EQ(frames.size(), 5u);
  const std::vector<ValueRange> first = rangesOf(frames.front());
  ASSERT_GT(first.size(), 1u);
  EXPECT_NE(first[0], first[1]) << "each head has its own";
  for (const PanelFigure& frame : frames) EXPECT_EQ(rangesOf(frame), first);
  for (std::size_t head = 0; head < first.size(); ++head) {
    const auto [low, high] = extremesOf(frames, head + 1);
    EXPECT_EQ(first[head].low, low);
    EXPECT_EQ(first[head].high, high);
    EXPECT_FALSE(first[head].clipped);
  }
}

TEST(SweepFigureTest, ASharedRangeIsThatOfAllHeadsAndFrames) {
  std::vector<HeadsSubject> moments = movingQuery(4);
  for (HeadsSubject& moment : moments) {
    moment.view.normalisation = ViewSettings::Normalisation::Shared;
  }
  const SweepFrames frames = sweepFrames(moments);
  std::set<std::pair<float, float>> ranges;
  for (const PanelFigure& frame : frames) {
    for (const ValueRange& range : rangesOf(frame)) ranges.insert({range.low, range.high});
    const ValueRange& bar = frame.blocks.front().bar->range;
    ranges.insert({bar.low, bar.high});
  }
  EXPECT_EQ(ranges.size(), 1u);
}

TEST(SweepFigureTest, CaptionsNumberTheFrames) {
  const SweepFrames frames = sweepFrames(movingQuery(3));
  EXPECT_EQ(frames[1].blocks.front().caption->result, QStringLiteral("2 / 3"));
  EXPECT_TRUE(frames[1].blocks.front().caption->about.contains(QStringLiteral("over all frames")));
}

TEST(SweepFigureTest, PanelsStayInTheirPlaces) {
  std::vector<HeadsSubject> moments = movingQuery(3);
  for (HeadsSubject& moment : moments) moment.shown.heads = {0, 1};
  // Fewer heads, and a caption of many lines.
  moments[1].shown.heads = {1};
  moments[2].mechanismNote = std::string(300, 'x');
  const SweepFrames frames = sweepFrames(moments);
  const AlignedSweep sweep(frames, smallSettings());
  const auto imageOf = [&](std::size_t frame) {
    QImage image(800, int(800 * sweep.size().height() / sweep.size().width()),
                 QImage::Format_RGB32);
    image.fill(Qt::magenta);
    QPainter painter(&image);
    sweep.paint(painter, image.rect(), frame);
    return image;
  };
  // The picture is in the first panel of every frame: below the query's mark, it is the same in
  // all.
  const QImage first = imageOf(0);
  const QRect below(10, first.height() * 7 / 10, 150, 8);
  EXPECT_NE(first.pixel(below.topLeft()), first.pixel(below.bottomRight())) << "the picture";
  for (const std::size_t frame : {std::size_t{1}, std::size_t{2}}) {
    const QImage other = imageOf(frame);
    EXPECT_EQ(other.copy(below), first.copy(below)) << frame;
    EXPECT_NE(other.pixel(10, other.height() - 1), QColor(Qt::magenta).rgb()) << "left unpainted";
  }
}

class SweepFileTest : public ::testing::Test {
 protected:
  std::string path(const char* name) { return folder_.filePath(QLatin1String(name)).toStdString(); }
  void save(const std::string& path, std::size_t frames, const Progress& progress = {}) {
    saveSweep(path, sweepFrames(movingQuery(frames)), smallFrames(), smallSettings(), progress);
  }
  QStringList filesIn(const std::string& folder) {
    return QDir(QString::fromStdString(folder))
        .entryList(QDir::Files | QDir::Dirs | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name);
  }

  QTemporaryDir folder_;
};

TEST_F(SweepFileTest, AGifShowsTheFramesInNearlyTheirColors) {
  save(path("sweep.gif"), 4);
  save(path("frames"), 4);
  EXPECT_EQ(filesIn(path("frames")),
            (QStringList{"frame_01.png", "frame_02.png", "frame_03.png", "frame_04.png"}));
  QImageReader gif(QString::fromStdString(path("sweep.gif")));
  ASSERT_EQ(gif.imageCount(), 4);
  EXPECT_EQ(gif.loopCount(), -1) << "for ever";
  for (int i = 1; i <= 4; ++i) {
    const QImage read = gif.read().convertToFormat(QImage::Format_RGB32);
    const QImage frame(QString::fromStdString(path("frames/")) +
                       QStringLiteral("frame_%1.png").arg(i, 2, 10, QLatin1Char('0')));
    ASSERT_EQ(read.size(), frame.size());
    EXPECT_EQ(read.width(), 200);
    double difference = 0;
    for (int y = 0; y < read.height(); ++y) {
      for (int x = 0; x < read.width(); ++x) {
        difference += std::abs(qGreen(read.pixel(x, y)) - qGreen(frame.pixel(x, y)));
      }
    }
    EXPECT_LT(difference / read.width() / read.height(), 4) << i;
  }
}

TEST_F(SweepFileTest, AFolderIsThatOfOneSweep) {
  save(path("frames"), 4);
  save(path("frames/"), 3);
  EXPECT_EQ(filesIn(path("frames")).size(), 3) << "no frame of the earlier one is left";
  QFile(QString::fromStdString(path("frames/notes.txt"))).open(QIODevice::WriteOnly);
  EXPECT_THROW(save(path("frames"), 3), FileError);
  EXPECT_EQ(filesIn(path("frames")).size(), 4);
  EXPECT_THROW(save(path("frames/notes.txt"), 3), FileError);
}

TEST_F(SweepFileTest, WhatCannotBeWrittenIsRefused) {
  EXPECT_THROW(checkSweepPath(path("sweep.png"), {}), FileError);
  EXPECT_THROW(checkSweepPath(path("sweep.mp4"), {}), FileError);
  EXPECT_THROW(checkSweepPath(path("none/frames"), {}), FileError);
  FigureSettings clear;
  clear.background = FigureSettings::Background::Transparent;
  EXPECT_THROW(checkSweepPath(path("sweep.gif"), clear), FileError);
  EXPECT_NO_THROW(checkSweepPath(path("sweep.WebP"), clear));
  EXPECT_THROW(save(path("sweep.gif"), 1), Error) << "one frame does not move";
  SweepSettings large = smallFrames();
  large.frameWidth = 4096;
  FigureSettings high = smallSettings();
  high.columns = 1;
  std::vector<HeadsSubject> moments = movingQuery(2);
  moments.front().queries = markedQueries(std::vector<PictureQuery>(3, {0.5, 0.5}));
  EXPECT_THROW(saveSweep(path("sweep.gif"), sweepFrames(moments), large, high), Error);
  EXPECT_TRUE(filesIn(path("")).isEmpty());
}

TEST_F(SweepFileTest, ACancelledSweepLeavesNothing) {
  for (const char* name : {"sweep.gif", "sweep.webp", "frames"}) {
    Progress progress([&](double fraction, const std::string&) {
      if (fraction > 0.4) progress.cancel();
    });
    EXPECT_THROW(save(path(name), 4, progress), Cancelled) << name;
    EXPECT_TRUE(filesIn(path("")).isEmpty()) << name;
  }
}

TEST_F(SweepFileTest, TheSameSweepGivesTheSameBytes) {
  for (const char* ending : {".gif", ".webp"}) {
    const std::string first = path((std::string("a") + ending).c_str());
    const std::string second = path((std::string("b") + ending).c_str());
    save(first, 3);
    save(second, 3);
    QFile a(QString::fromStdString(first));
    QFile b(QString::fromStdString(second));
    ASSERT_TRUE(a.open(QIODevice::ReadOnly) && b.open(QIODevice::ReadOnly));
    EXPECT_EQ(a.readAll(), b.readAll());
  }
}

TEST_F(SweepFileTest, PicturesThatAreNotOfASweepStay) {
  save(path("frames"), 3);
  QImage still(8, 8, QImage::Format_RGB32);
  still.fill(Qt::red);
  ASSERT_TRUE(still.save(QString::fromStdString(path("frames/frame_0007.png"))));
  EXPECT_THROW(save(path("frames"), 2), FileError);
  EXPECT_EQ(filesIn(path("frames")).size(), 4);
  ASSERT_TRUE(QFile::remove(QString::fromStdString(path("frames/frame_0007.png"))));
  save(path("frames"), 2);
  EXPECT_EQ(filesIn(path("frames")).size(), 2);
}

}  // namespace
}  // namespace softscope
