#include "app/window/MainWindow.h"
#include "app/window/WindowActions.h"
#include "app/window/WindowPreferences.h"
#include "app/window/preferences/PreferencesDialog.h"
#include "app/window/settings/WindowSettings.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QSettings>
#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtGui/QPalette>
#include <QtWidgets/QApplication>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QStatusBar>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QTextBrowser>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace softscope {
namespace {

bool isDark() {
  return QApplication::palette().color(QPalette::Window).lightness() < 128;
}

TEST(ThemeChoiceTest, IsAppliedAndCheckedAndTheUsersIsTold) {
  QMainWindow window;
  const auto& actions = *new WindowActions(window);
  ThemeChoice choice(*actions.themes);
  std::vector<std::optional<ViewSettings::Theme>> told;
  QObject::connect(&choice, &ThemeChoice::chosen,
                   [&](std::optional<ViewSettings::Theme> theme) { told.push_back(theme); });
  const auto theme = [&](int index) { return actions.themes->actions().at(index); };

  choice.choose(ViewSettings::Theme::Dark);
  EXPECT_TRUE(isDark());
  EXPECT_TRUE(theme(2)->isChecked());
  choice.choose(ViewSettings::Theme::Light);
  EXPECT_FALSE(isDark());
  EXPECT_TRUE(theme(1)->isChecked());
  EXPECT_TRUE(told.empty()) << "the user chose nothing";

  theme(2)->trigger();
  EXPECT_TRUE(isDark());
  theme(0)->trigger();
  EXPECT_EQ(actions.themes->checkedAction(), theme(0));
  using Themes = std::vector<std::optional<ViewSettings::Theme>>;
  EXPECT_EQ(told, (Themes{ViewSettings::Theme::Dark, std::nullopt}));
}

}  // namespace

namespace {

class WindowPreferencesTest : public test::WindowFixture {
 protected:
  void open(WindowOptions options = {}) {
    window_.reset();
    options.bundledPicture = test::writeTestPicture(128, 64);
    options.bundledModel = "soft.pth";
    Engine engine = test::syntheticEngine();
    engine.setThreads = [this](int threads) { threads_ = threads; };
    start(engine, options);
  }
  QAction& action(const char* name) { return *window_->findChild<QAction*>(QLatin1String(name)); }
  PreferencesDialog& dialog() {
    action("preferences").trigger();
    return *window_->findChild<PreferencesDialog*>();
  }
  static bool isDark() { return QApplication::palette().color(QPalette::Window).lightness() < 128; }

  const QFont font_ = QApplication::font();
  std::atomic<int> threads_ = -1;
};

TEST_F(WindowPreferencesTest, HoldAtOnceAndInTheNextWindowEvenAfterAKill) {
  open();
  EXPECT_EQ(threads_, 0);
  Preferences chosen;
  chosen.theme = ViewSettings::Theme::Dark;
  chosen.textSize = 150;
  Q_EMIT dialog().preferencesChosen(chosen);
  EXPECT_TRUE(isDark());
  EXPECT_NEAR(window_->font().pointSizeF(), 1.5 * font_.pointSizeF(), 0.1);
  EXPECT_TRUE(action("theme-dark").isChecked());
  Q_EMIT dialog().computeChosen({.threads = 1});
  window_->workspace().picture().open(
      QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  settle();
  EXPECT_EQ(threads_, 1) << "from the next piece of work on";

  // Nothing was closed: what is in the file was written when it was chosen.
  const WindowSettings kept = readWindowSettings();
  EXPECT_EQ(kept.preferences, chosen);
  EXPECT_EQ(kept.compute.threads, 1);
  open();
  EXPECT_TRUE(isDark());
  EXPECT_NEAR(window_->font().pointSizeF(), 1.5 * font_.pointSizeF(), 0.1);
  EXPECT_EQ(threads_, 1);
}

TEST_F(WindowPreferencesTest, WhereTheyCannotBeKeptTheyHoldAndTheWindowSaysSo) {
  open();
  // A folder in the place of the settings' file is what nobody can write to.
  const QString path = QSettings().fileName();
  QFile::remove(path);
  ASSERT_TRUE(QDir().mkpath(path));
  Preferences chosen;
  chosen.theme = ViewSettings::Theme::Dark;
  Q_EMIT dialog().preferencesChosen(chosen);
  EXPECT_TRUE(isDark());
  EXPECT_THAT(window_->statusBar()->currentMessage().toStdString(),
              testing::AllOf(testing::HasSubstr("to this window only"),
                             testing::HasSubstr(path.toStdString())));
  ASSERT_TRUE(QDir().rmdir(path));
}

TEST_F(WindowPreferencesTest, TheMenuAndTheDialogSayTheSame) {
  open();
  PreferencesDialog& shown = dialog();
  action("theme-dark").trigger();
  EXPECT_EQ(readWindowSettings().preferences.theme, ViewSettings::Theme::Dark);
  Q_EMIT shown.preferencesChosen({});
  EXPECT_TRUE(action("theme-system").isChecked());
}

TEST_F(WindowPreferencesTest, WhatTheCommandLineSaysHoldsForItsRun) {
  Preferences dark;
  dark.theme = ViewSettings::Theme::Dark;
  WindowSettings settings;
  settings.preferences = dark;
  settings.compute.threads = 3;
  writePreferences(settings);
  WindowOptions options;
  options.theme = ViewSettings::Theme::Light;
  options.threads = 2;
  options.device = "cuda:1";
  open(options);
  EXPECT_FALSE(isDark());
  EXPECT_EQ(threads_, 2);
  EXPECT_EQ(window_->workspace().compute().device, "cuda:1");
  // Another of them is changed: these stay.
  ComputeSettings compute = settings.compute;
  compute.costMemory = 100;
  Q_EMIT dialog().computeChosen(compute);
  EXPECT_EQ(window_->workspace().compute().threads, 2);
  EXPECT_EQ(window_->workspace().compute().costMemory, 100);
  window_->close();
  EXPECT_EQ(readWindowSettings().preferences, dark);
  EXPECT_EQ(readWindowSettings().compute.threads, 3);
}

TEST_F(WindowPreferencesTest, ADeviceThatIsGoneIsToldAndTheCpuTaken) {
  WindowSettings settings;
  settings.compute.device = "cuda:63";
  writePreferences(settings);
  open();
  EXPECT_EQ(window_->workspace().compute().device, "cpu");
  EXPECT_EQ(window_->workspace().models().current()->request.device, "cpu");
  EXPECT_TRUE(window_->statusBar()->currentMessage().contains("cuda:63"));
  window_->close();
  EXPECT_EQ(readWindowSettings().compute.device, "cuda:63") << "it may be back tomorrow";
}

TEST_F(WindowPreferencesTest, NothingIsOpenedWhereNothingIsLiked) {
  WindowSettings settings;
  settings.preferences.first = Preferences::First::Nothing;
  writePreferences(settings);
  open();
  EXPECT_FALSE(window_->workspace().picture().get());
  EXPECT_FALSE(window_->workspace().models().current());
}

TEST_F(WindowPreferencesTest, NewKeysWorkAreListedAndStay) {
  open();
  action("shortcuts").trigger();
  const auto* keys = window_->findChild<QTextBrowser*>();
  EXPECT_TRUE(keys->toPlainText().contains(QStringLiteral("Ctrl+3")));
  QSettings().setValue(QStringLiteral("shortcuts/page-overview"), QStringList{"F6"});
  open();
  EXPECT_EQ(action("page-overview").shortcut(), QKeySequence("F6"));
  const auto* tabs = window_->findChild<QTabBar*>(QStringLiteral("pages"));
  QString tips;
  for (int i = 0; i < tabs->count(); ++i) tips += tabs->tabToolTip(i);
  EXPECT_TRUE(tips.contains(QStringLiteral("F6")));
  EXPECT_FALSE(tips.contains(QStringLiteral("Ctrl+3")));
}

TEST(WindowSettingsFile, NonsenseIsPassedOverAndNumbersAreMovedWithinTheirLimits) {
  {
    QSettings file;
    file.setValue(QStringLiteral("window/theme"), QStringLiteral("mauve"));
    file.setValue(QStringLiteral("window/textSize"), 1e300);
    file.setValue(QStringLiteral("window/autosave"), -5);
    file.setValue(QStringLiteral("window/first"), QByteArray(100, '\xff'));
    file.setValue(QStringLiteral("window/threads"), QStringLiteral("many"));
    file.setValue(QStringLiteral("window/costMemory"), QStringLiteral("nan"));
    file.setValue(QStringLiteral("window/thumbnailMemory"), QStringLiteral("-inf"));
    file.setValue(QStringLiteral("window/device"), QStringLiteral("cuda:9;rm"));
    file.setValue(QStringLiteral("window/geometry"), QByteArray(4096, '\x7f'));
    file.setValue(QStringLiteral("window/layout"), QByteArray(4096, '\x7f'));
    QStringList many;
    for (int i = 0; i < 1000; ++i) many += QString::number(i);
    file.setValue(QStringLiteral("recent/pictures"), many);
  }
  const WindowSettings settings = readWindowSettings();
  Preferences expected;
  expected.textSize = 200;
  expected.autosave = 0;
  EXPECT_EQ(settings.preferences, expected);
  EXPECT_EQ(settings.compute, (ComputeSettings{.thumbnailMemory = 4}));
  EXPECT_EQ(settings.recentPictures.size(), 10);
  MainWindow window(test::syntheticEngine(), {});
  window.show();
  EXPECT_TRUE(window.isVisible());
}

TEST(WindowSettingsFile, AValueThatClaimsToBeLargerThanMemoryIsPassedOver) {
  QSettings file;
  file.sync();
  {
    QFile text(file.fileName());
    ASSERT_TRUE(text.open(QIODevice::WriteOnly));
    // A list of two thousand million texts.
    text.write(
        "[recent]\npictures=@Variant(\\0\\0\\0\\v\\x7f\\xff\\xff\\xff)\n"
        "[window]\ntextSize=120\n");
  }
  const WindowSettings settings = readWindowSettings();
  EXPECT_TRUE(settings.recentPictures.isEmpty());
}

}  // namespace
}  // namespace softscope
