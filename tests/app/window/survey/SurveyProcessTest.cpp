#include "app/window/survey/SurveyProcess.h"
#include "tests/widgets/workspace/Settle.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>

#include <gtest/gtest.h>

namespace softscope {
namespace {

/// Returns why a survey ended whose process is this script; `stops` stops it once it tells
/// progress.
QString failureOf(const QByteArray& script, bool stops = false) {
  QTemporaryDir folder;
  QFile file(folder.filePath(QStringLiteral("survey.sh")));
  if (!file.open(QIODevice::WriteOnly)) return QStringLiteral("no script");
  file.write("#!/bin/sh\n" + script);
  file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  file.close();
  SurveyProcess process(file.fileName());
  QSignalSpy ended(&process, &SurveyProcess::ended);
  if (stops) QObject::connect(&process, &SurveyProcess::progressed, [&] { process.stop(); });
  process.start({});
  if (ended.isEmpty() && !ended.wait(test::patience)) return QStringLiteral("it went on");
  return ended[0][0].toString();
}

TEST(SurveyProcess, TellsWhyItEnded) {
  EXPECT_EQ(failureOf("exit 0\n"), QString());
  EXPECT_EQ(failureOf("echo 'softscope: no such folder' >&2; exit 1\n"),
            QStringLiteral("no such folder"));
}

TEST(SurveyProcess, ANoteIsNoReason) {
  const QByteArray note = "echo 'softscope: two pictures are grey' >&2\n";
  EXPECT_TRUE(failureOf(note + "kill -KILL $$\n").contains(QStringLiteral("was killed")));
  const QString later = failureOf(note + "echo '3 of 9 pictures' >&2; exit 1\n");
  EXPECT_TRUE(later.contains(QStringLiteral("start it again"))) << later.toStdString();
}

TEST(SurveyProcess, WhatTheUserStoppedHasNoOtherReason) {
  const QString failure =
      failureOf("echo '3 of 9 pictures' >&2; echo 'softscope: a note' >&2; exec sleep 5\n", true);
  EXPECT_TRUE(failure.contains(QStringLiteral("was stopped"))) << failure.toStdString();
}

TEST(SurveyProcess, KeepsWhatItSaidOfUnreadablePictures) {
  QTemporaryDir folder;
  QFile file(folder.filePath(QStringLiteral("survey.sh")));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(
      "#!/bin/sh\necho '3 of 3 pictures' >&2\n"
      "echo 'softscope: passed over 1 file that cannot be read as pictures, the first: a.jpg' "
      ">&2\n");
  file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  file.close();
  SurveyProcess process(file.fileName());
  QSignalSpy ended(&process, &SurveyProcess::ended);
  process.start({});
  ASSERT_TRUE(!ended.isEmpty() || ended.wait(test::patience));
  EXPECT_EQ(ended[0][0].toString(), QString());
  ASSERT_EQ(process.passedOver().size(), 1);
  EXPECT_TRUE(process.passedOver().front().endsWith(QStringLiteral("a.jpg")));
}

}  // namespace
}  // namespace softscope
