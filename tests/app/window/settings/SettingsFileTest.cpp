#include "app/window/settings/SettingsFile.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QSettings>

#include <gtest/gtest.h>

#include <csignal>
#include <sys/resource.h>
#include <unistd.h>

namespace softscope {
namespace {

const QString key = QStringLiteral("group/value");

bool setTo(const QVariant& value) {
  return changeSettingsFile([&](QSettings& file) { file.setValue(key, value); });
}

QByteArray fileBytes() {
  QFile file(QSettings().fileName());
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

class SettingsFileTest : public testing::Test {
 protected:
  void SetUp() override { QSettings().clear(); }
};

TEST_F(SettingsFileTest, KeepsWhatIsChangedAndWhatOthersWrote) {
  QSettings().setValue(QStringLiteral("others/mine"), QStringLiteral("kept"));
  EXPECT_TRUE(setTo(QStringList{"a, b", "two\nlines", "[no section]"}));
  EXPECT_EQ(QSettings().value(key).toStringList(),
            (QStringList{"a, b", "two\nlines", "[no section]"}));
  EXPECT_TRUE(setTo(QByteArray("\0\1=\n;", 5)));
  EXPECT_EQ(QSettings().value(key).toByteArray(), QByteArray("\0\1=\n;", 5));
  EXPECT_EQ(QSettings().value(QStringLiteral("others/mine")).toString(), QStringLiteral("kept"));
}

TEST_F(SettingsFileTest, RemovesTheLastValue) {
  EXPECT_TRUE(setTo(1));
  EXPECT_TRUE(changeSettingsFile([](QSettings& file) { file.remove(key); }));
  EXPECT_FALSE(QSettings().contains(key));
}

TEST_F(SettingsFileTest, ThatIsNoneBecomesOne) {
  for (const QByteArray& bytes :
       {QByteArray(), QByteArray("\0\xff[[[\n=\n==\n%zz=1\n", 18), QByteArray(100000, '['),
        QByteArray("# mine\n[group]\nvalue=1\nvalue=2\n")}) {
    QFile file(QSettings().fileName());
    ASSERT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(bytes);
    file.close();
    EXPECT_TRUE(changeSettingsFile([](QSettings& kept) { kept.remove(QStringLiteral("absent")); }));
    EXPECT_TRUE(setTo(7)) << bytes.left(20).toStdString();
    EXPECT_EQ(QSettings().value(key).toInt(), 7) << bytes.left(20).toStdString();
  }
}

TEST_F(SettingsFileTest, ALinkStaysOne) {
  EXPECT_TRUE(setTo(1));
  const QString path = QSettings().fileName();
  const QString target = QFileInfo(path).path() + QStringLiteral("/target.conf");
  QFile::remove(target);
  ASSERT_TRUE(QFile::rename(path, target));
  ASSERT_TRUE(QFile::link(target, path));
  EXPECT_TRUE(setTo(2));
  EXPECT_TRUE(QFileInfo(path).isSymLink());
  EXPECT_EQ(QSettings().value(key).toInt(), 2);
  QFile::remove(path);
  QFile::remove(target);
}

TEST_F(SettingsFileTest, ThatCannotBeWrittenStaysAsItIs) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  EXPECT_TRUE(setTo(1));
  const QByteArray before = fileBytes();
  const QString folder = QFileInfo(QSettings().fileName()).path();
  const auto permissions = QFile::permissions(folder);
  ASSERT_TRUE(QFile::setPermissions(folder, QFile::ReadOwner | QFile::ExeOwner));
  EXPECT_FALSE(setTo(2));
  QFile::setPermissions(folder, permissions);
  EXPECT_EQ(fileBytes(), before);
}

/// A disk with room for some bytes more, and not for all.
TEST_F(SettingsFileTest, WithoutRoomForTheChangeStaysAsItIs) {
  EXPECT_TRUE(setTo(1));
  const QByteArray before = fileBytes();
  rlimit usual{};
  getrlimit(RLIMIT_FSIZE, &usual);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit few{static_cast<rlim_t>(before.size()) + 10, usual.rlim_max};
  setrlimit(RLIMIT_FSIZE, &few);
  const bool isWritten = setTo(QString(1000, u'x'));
  setrlimit(RLIMIT_FSIZE, &usual);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(isWritten);
  EXPECT_EQ(fileBytes(), before);
}

TEST_F(SettingsFileTest, IsWrittenWhereTheFolderForTemporaryFilesIsGone) {
  const QByteArray before = qgetenv("TMPDIR");
  qputenv("TMPDIR", "/nonexistent");
  EXPECT_TRUE(setTo(1));
  EXPECT_EQ(QSettings().value(key).toInt(), 1);
  if (before.isEmpty()) {
    qunsetenv("TMPDIR");
  } else {
    qputenv("TMPDIR", before);
  }
}

}  // namespace
}  // namespace softscope
