#include "app/window/preferences/ActionShortcuts.h"
#include "app/window/preferences/PreferencesDialog.h"
#include "app/window/preferences/ShortcutsEditor.h"
#include "tests/widgets/Controls.h"
#include "widgets/controls/ToolTips.h"

#include <QtGui/QAction>
#include <QtGui/QHelpEvent>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QTreeWidget>

#include <gtest/gtest.h>

#include <memory>

namespace softscope {
namespace {

class PreferencesDialogTest : public testing::Test {
 protected:
  PreferencesDialogTest() {
    QMenu* file = menus_.addMenu(QStringLiteral("&File"));
    open_ = file->addAction(QStringLiteral("&Open picture…"));
    open_->setObjectName(QStringLiteral("open"));
    open_->setShortcut(QStringLiteral("Ctrl+O"));
    quit_ = file->addAction(QStringLiteral("&Quit"));
    quit_->setObjectName(QStringLiteral("quit"));
    quit_->setShortcut(QStringLiteral("Ctrl+Q"));
    shortcuts_ = std::make_unique<ActionShortcuts>(menus_);
    dialog_ = std::make_unique<PreferencesDialog>(
        *shortcuts_, std::vector<ComputeDevice>{{.name = "cpu"}, {.name = "cuda:0"}});
    dialog_->setShown(preferences_, compute_);
    QObject::connect(dialog_.get(), &PreferencesDialog::preferencesChosen,
                     [this](const Preferences& chosen) { preferences_ = chosen; });
    QObject::connect(dialog_.get(), &PreferencesDialog::computeChosen,
                     [this](const ComputeSettings& chosen) { compute_ = chosen; });
    dialog_->show();
  }
  template <typename Widget>
  Widget& named(const char* name) {
    for (auto* widget : dialog_->findChildren<Widget*>()) {
      if (widget->accessibleName() == QString::fromUtf8(name)) return *widget;
    }
    throw std::logic_error(name);
  }
  QTreeWidget& list() { return named<QTreeWidget>("Actions and their keys"); }
  KeyRecorder& record(int row) {
    list().setCurrentItem(list().topLevelItem(row));
    Q_EMIT list().itemActivated(list().topLevelItem(row), 0);
    auto* recorder = dialog_->findChild<KeyRecorder*>();
    if (!recorder) throw std::logic_error("nothing records");
    return *recorder;
  }
  void settle() {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QCoreApplication::processEvents();
  }

  QMenuBar menus_;
  QAction* open_;
  QAction* quit_;
  Preferences preferences_;
  ComputeSettings compute_;
  std::unique_ptr<ActionShortcuts> shortcuts_;
  std::unique_ptr<PreferencesDialog> dialog_;
};

TEST_F(PreferencesDialogTest, EveryControlChoosesItsOwn) {
  const auto pick = [](QComboBox& box, int index) {
    box.setCurrentIndex(index);
    Q_EMIT box.activated(index);
  };
  pick(named<QComboBox>("Theme"), 2);
  pick(named<QComboBox>("Begin with"), 1);
  named<QSpinBox>("Text size").setValue(130);
  named<QSpinBox>("Keep changes after").setValue(0);
  Preferences expected;
  expected.theme = ViewSettings::Theme::Dark;
  expected.first = Preferences::First::LastSession;
  expected.textSize = 130;
  expected.autosave = 0;
  EXPECT_EQ(preferences_, expected);
  EXPECT_EQ(named<QSpinBox>("Keep changes after").text(), QStringLiteral("Off"));

  pick(named<QComboBox>("Device"), 1);
  named<QSpinBox>("CPU threads").setValue(1);
  named<QSpinBox>("Cost measurements").setValue(2048);
  named<QSpinBox>("Small pictures of surveys").setValue(64);
  const ComputeSettings compute{"cuda:0", 1, 2048, 64};
  EXPECT_EQ(compute_, compute);

  named<QPushButton>("Reset the general preferences to their defaults").click();
  EXPECT_EQ(preferences_, Preferences());
  EXPECT_EQ(compute_, ComputeSettings());
}

TEST_F(PreferencesDialogTest, ADeviceThatIsNotHereIsShownAllTheSame) {
  dialog_->setShown({}, {.device = "cuda:7"});
  EXPECT_EQ(named<QComboBox>("Device").currentText(), QStringLiteral("cuda:7"));
}

TEST_F(PreferencesDialogTest, EveryControlHasAnAccessibleNameAndSaysWhatItIs) {
  dialog_->turnTo(PreferencesDialog::Part::Shortcuts);
  const auto controls = test::controlsBelow(*dialog_);
  ASSERT_GE(controls.size(), 10u);
  for (const QWidget* control : controls) {
    EXPECT_FALSE(control->accessibleName().isEmpty()) << control->metaObject()->className();
    if (test::inheritsAny(*control, {"QAbstractSpinBox", "QComboBox"})) {
      EXPECT_FALSE(control->accessibleDescription().isEmpty())
          << control->accessibleName().toStdString();
    }
  }
}

TEST_F(PreferencesDialogTest, KeysThatNobodyHasAreTakenAtOnce) {
  KeyRecorder& recorder = record(0);
  QTest::keyClick(&recorder, Qt::Key_Control);
  EXPECT_TRUE(recorder.isVisible()) << "a modifier alone is no key";
  QTest::keyClick(&recorder, Qt::Key_F7, Qt::ControlModifier);
  EXPECT_FALSE(recorder.isVisible());
  EXPECT_EQ(open_->shortcut(), QKeySequence("Ctrl+F7"));
  EXPECT_EQ(list().topLevelItem(0)->text(2), QStringLiteral("Ctrl+F7"));
  EXPECT_TRUE(list().topLevelItem(0)->font(2).bold());
}

TEST_F(PreferencesDialogTest, EnterAsksForKeysAndPressesNothingElse) {
  dialog_->turnTo(PreferencesDialog::Part::Shortcuts);
  QTest::keyClick(&list(), Qt::Key_Return);
  auto* recorder = dialog_->findChild<KeyRecorder*>();
  ASSERT_TRUE(recorder);
  EXPECT_TRUE(recorder->isVisible());
  EXPECT_EQ(open_->shortcut(), QKeySequence("Ctrl+O"));
  QTest::keyClick(recorder, Qt::Key_Q, Qt::ControlModifier);
  QTest::keyClick(recorder, Qt::Key_Return);
  EXPECT_EQ(open_->shortcut(), QKeySequence("Ctrl+Q")) << "swapped with Enter";
}

TEST_F(PreferencesDialogTest, ASymbolThatTakesShiftIsTheSymbol) {
  KeyRecorder& recorder = record(0);
  QKeyEvent typed(QEvent::KeyPress, Qt::Key_Question, Qt::ShiftModifier, QStringLiteral("?"));
  QApplication::sendEvent(&recorder, &typed);
  EXPECT_EQ(open_->shortcut(), QKeySequence("?"));
}

TEST_F(PreferencesDialogTest, KeysOfAnotherAreNamedAndSwappedAfterAsking) {
  KeyRecorder& recorder = record(0);
  QTest::keyClick(&recorder, Qt::Key_Q, Qt::ControlModifier);
  EXPECT_TRUE(recorder.isVisible());
  EXPECT_EQ(open_->shortcut(), QKeySequence("Ctrl+O")) << "not before it is said so";
  EXPECT_TRUE(named<QLabel>("Whether these keys are free").text().contains("Quit"));
  named<QPushButton>("Swap the keys of both").click();
  EXPECT_EQ(open_->shortcut(), QKeySequence("Ctrl+Q"));
  EXPECT_EQ(quit_->shortcut(), QKeySequence("Ctrl+O"));
}

TEST_F(PreferencesDialogTest, KeysThatControlsUseAreRefusedAndEscLeavesAll) {
  KeyRecorder& recorder = record(0);
  QTest::keyClick(&recorder, Qt::Key_Left);
  QTest::keyClick(&recorder, Qt::Key_Tab);
  EXPECT_TRUE(recorder.isVisible());
  EXPECT_TRUE(named<QLabel>("Whether these keys are free").text().startsWith("Tab"));
  EXPECT_FALSE(named<QPushButton>("Swap the keys of both").isEnabled());
  QTest::keyClick(&recorder, Qt::Key_Escape);
  EXPECT_FALSE(recorder.isVisible());
  EXPECT_EQ(open_->shortcut(), QKeySequence("Ctrl+O"));
}

TEST_F(PreferencesDialogTest, ActionsAreFoundByTheirWordsAndKeys) {
  auto& words = named<QLineEdit>("Filter by name, menu or keys");
  const auto shown = [this] {
    QStringList names;
    for (int row = 0; row < list().topLevelItemCount(); ++row) {
      if (!list().topLevelItem(row)->isHidden()) names += list().topLevelItem(row)->text(0);
    }
    return names;
  };
  EXPECT_EQ(shown(), QStringList({"Open picture", "Quit"}));
  words.setText(QStringLiteral("picture open"));
  EXPECT_EQ(shown(), QStringList({"Open picture"}));
  words.setText(QStringLiteral("ctrl+q"));
  EXPECT_EQ(shown(), QStringList({"Quit"}));
  words.setText(QStringLiteral("nothing of it"));
  EXPECT_TRUE(shown().isEmpty());
  EXPECT_FALSE(named<QPushButton>("Give the chosen action other keys").isEnabled());
}

TEST_F(PreferencesDialogTest, KeysAreRemovedAndReset) {
  auto& remove = named<QPushButton>("Take the keys from the chosen action");
  auto& reset = named<QPushButton>("Give the chosen action its default keys again");
  EXPECT_FALSE(reset.isEnabled());
  remove.click();
  EXPECT_TRUE(open_->shortcut().isEmpty());
  EXPECT_FALSE(remove.isEnabled());
  reset.click();
  EXPECT_EQ(open_->shortcut(), QKeySequence("Ctrl+O"));
}

TEST_F(PreferencesDialogTest, ToolTipsFollowTheKeys) {
  ShortcutTips tips(*shortcuts_);
  QWidget button;
  setKeyTip(button, QStringLiteral("Opens a picture"), "open");
  const auto shown = [&] {
    QHelpEvent rests(QEvent::ToolTip, {}, {});
    QApplication::sendEvent(&button, &rests);
    return button.toolTip().toStdString();
  };
  EXPECT_EQ(shown(), "Opens a picture  Ctrl+O");
  shortcuts_->assign(0, QKeySequence("F5"));
  EXPECT_EQ(shown(), "Opens a picture  F5");
  shortcuts_->remove(0);
  EXPECT_EQ(shown(), "Opens a picture");
}

}  // namespace
}  // namespace softscope
