#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Worker.h"

#include <QtCore/QFile>
#include <QtTest/QSignalSpy>

#include <gtest/gtest.h>

namespace softscope {
namespace {

class OpenedPictureTest : public testing::Test {
 protected:
  void settle() { test::settle(worker_); }

  const QString path_ = QString::fromStdString(test::writeTestPicture(32, 16));
  Worker worker_;
  OpenedPicture picture_{worker_};
};

TEST_F(OpenedPictureTest, IsThereWhenItWasRead) {
  QSignalSpy changes(&picture_, &OpenedPicture::changed);
  picture_.open(path_);
  EXPECT_EQ(picture_.get(), nullptr);
  settle();
  EXPECT_EQ(changes.count(), 1);
  ASSERT_TRUE(picture_.get());
  EXPECT_EQ(picture_.get()->width, 32);
  EXPECT_EQ(picture_.image().size(), QSize(32, 16));
  EXPECT_TRUE(picture_.isFile());
}

TEST_F(OpenedPictureTest, OneThatCannotBeReadLeavesTheOneBefore) {
  picture_.open(path_);
  settle();
  const auto before = picture_.shared();
  QSignalSpy failures(&worker_, &Worker::failed);
  picture_.open(QStringLiteral("nowhere.png"));
  settle();
  EXPECT_EQ(failures.count(), 1);
  EXPECT_EQ(picture_.shared(), before);
}

TEST_F(OpenedPictureTest, APastedOneIsKeptWithItsBytes) {
  QFile file(path_);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QByteArray bytes = file.readAll();
  picture_.decode(bytes, QStringLiteral("pasted"));
  settle();
  EXPECT_EQ(picture_.get()->height, 16);
  EXPECT_FALSE(picture_.isFile());
  EXPECT_EQ(picture_.bytes(), bytes);
  picture_.open(path_);
  settle();
  EXPECT_TRUE(picture_.bytes().isEmpty()) << "those were another picture's";
  picture_.close();
  EXPECT_EQ(picture_.get(), nullptr);
  EXPECT_TRUE(picture_.image().isNull());
}

TEST_F(OpenedPictureTest, IsReadAgainInAnotherWay) {
  picture_.open(path_);
  settle();
  QSignalSpy changes(&picture_, &OpenedPicture::changed);
  picture_.setReading({});
  settle();
  EXPECT_EQ(changes.count(), 0) << "that is how it was read";
  PictureReading stretched;
  stretched.range.kind = SampleRange::Kind::Auto;
  picture_.setReading(stretched);
  settle();
  EXPECT_EQ(changes.count(), 1);
  EXPECT_EQ(picture_.get()->source.reading, stretched);
  EXPECT_EQ(picture_.get()->path, path_.toStdString());
  PictureReading secondPage;
  secondPage.page = 2;
  QSignalSpy failures(&worker_, &Worker::failed);
  picture_.setReading(secondPage);
  settle();
  EXPECT_EQ(failures.count(), 1);
  EXPECT_EQ(picture_.get()->source.reading, stretched)
      << "what cannot be read leaves what there is";
}

TEST_F(OpenedPictureTest, APastedOneIsReadAgainFromItsBytes) {
  QFile file(path_);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  picture_.decode(file.readAll(), QStringLiteral("pasted"));
  settle();
  PictureReading stretched;
  stretched.range.kind = SampleRange::Kind::Auto;
  picture_.setReading(stretched);
  settle();
  EXPECT_EQ(picture_.get()->source.reading, stretched);
  EXPECT_FALSE(picture_.isFile());
}

TEST_F(OpenedPictureTest, ARecordingsIsNotReadAgain) {
  picture_.show(std::make_shared<const Picture>(Picture{1, 1, {1, 2, 3}, "recorded"}));
  PictureReading stretched;
  stretched.range.kind = SampleRange::Kind::Auto;
  picture_.setReading(stretched);
  EXPECT_FALSE(worker_.isBusy());
}

TEST_F(OpenedPictureTest, WhatIsFoundOutAboutThePictureBeforeIsStopped) {
  const auto endless = [](const Progress& progress) -> Worker::Delivery {
    for (;;) {
      progress.throwIfCancelled();
      QThread::msleep(1);
    }
  };
  worker_.submit(Worker::Kind::Analysis, QStringLiteral("endless"), endless);
  picture_.open(path_);
  EXPECT_FALSE(worker_.isBusy(Worker::Kind::Analysis));
  settle();
  EXPECT_TRUE(picture_.get());
}

TEST_F(OpenedPictureTest, IsKnownByItsRequestWhileItIsRead) {
  EXPECT_FALSE(picture_.request());
  picture_.open(path_, asPublished);
  ASSERT_TRUE(picture_.request());
  EXPECT_EQ(picture_.request()->path, path_);
  EXPECT_EQ(picture_.request()->reading, asPublished);
  settle();
  EXPECT_EQ(picture_.request()->reading, asPublished);
  picture_.decode("no picture", QStringLiteral("pasted"));
  EXPECT_EQ(picture_.request()->bytes, QByteArray("no picture"));
  settle();
  EXPECT_EQ(picture_.request()->path, path_) << "the other could not be read";
  EXPECT_TRUE(picture_.request()->bytes.isEmpty());
}

TEST_F(OpenedPictureTest, AReadingTakenBackBeforeItArrivedDoesNotArrive) {
  picture_.open(path_);
  settle();
  picture_.setReading(asPublished);
  picture_.setReading({});
  settle();
  EXPECT_EQ(picture_.get()->source.reading, PictureReading());
}

}  // namespace
}  // namespace softscope
