#include "widgets/controls/GuardedApplication.h"

#include <QtCore/QSettings>
#include <QtCore/QTemporaryDir>

#include <gtest/gtest.h>

#include <cstdio>

namespace {

/// Qt says on its message channel what it would rather not have been asked; none of it is wanted.
void failOnMessage(QtMsgType type, const QMessageLogContext&, const QString& message) {
  if (type == QtDebugMsg || type == QtInfoMsg) return;
  // What the offscreen platform says of itself.
  if (message.startsWith(QLatin1String("This plugin does not support"))) return;
  ADD_FAILURE() << "Qt said: " << message.toStdString();
}

/// Every test starts as a first start does, whatever was remembered by the one before.
class ForgetsSettings : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { QSettings().clear(); }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  const QTemporaryDir home;
  qputenv("XDG_RUNTIME_DIR", home.path().toUtf8());
  qputenv("XDG_DATA_HOME", home.path().toUtf8());
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, home.path());
  softscope::GuardedApplication application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("Softscope"));
  QApplication::setApplicationName(QStringLiteral("WindowTest"));
  qInstallMessageHandler(failOnMessage);
  // GoogleTest takes it over.
  testing::UnitTest::GetInstance()->listeners().Append(new ForgetsSettings);
  const int result = RUN_ALL_TESTS();
  qInstallMessageHandler(nullptr);
  return result;
}
