#include "app/window/preferences/ActionShortcuts.h"

#include <QtCore/QSettings>
#include <QtCore/QTemporaryDir>
#include <QtGui/QAction>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>

#include <gtest/gtest.h>

#include <memory>

namespace softscope {
namespace {

class ActionShortcutsTest : public testing::Test {
 protected:
  ActionShortcutsTest() {
    QMenu* file = menus_.addMenu(QStringLiteral("&File"));
    add(*file, "open", "&Open…", {"Ctrl+O"});
    add(*file, "quit", "&Quit", {"Ctrl+Q"});
    // As a recent file: it has no name of its own.
    file->addAction(QStringLiteral("cat.png"));
    file->addSeparator();
    QMenu* looks = file->addMenu(QStringLiteral("&Looks"));
    add(*looks, "dark", "Dark", {});
    add(*looks, "redo", "Redo", {"Ctrl+Shift+Z", "Ctrl+Y"});
    shortcuts_ = std::make_unique<ActionShortcuts>(menus_);
  }
  static void add(QMenu& menu, const char* name, const char* text, const QStringList& keys) {
    QAction* action = menu.addAction(QString::fromUtf8(text));
    action->setObjectName(QLatin1String(name));
    QList<QKeySequence> sequences;
    for (const QString& key : keys) sequences += QKeySequence(key);
    action->setShortcuts(sequences);
  }
  std::size_t indexOf(const char* name) {
    return static_cast<std::size_t>(shortcuts_->find(QLatin1String(name)) -
                                    shortcuts_->actions().data());
  }
  std::string keysOf(const char* name) {
    return QKeySequence::listToString(shortcuts_->find(QLatin1String(name))->keys(),
                                      QKeySequence::PortableText)
        .toStdString();
  }
  QSettings settings() { return {folder_.filePath(QStringLiteral("s.ini")), QSettings::IniFormat}; }

  QTemporaryDir folder_;
  QMenuBar menus_;
  std::unique_ptr<ActionShortcuts> shortcuts_;
};

TEST_F(ActionShortcutsTest, ListsEveryActionOfTheMenusThatHasAName) {
  ASSERT_EQ(shortcuts_->actions().size(), 4u);
  EXPECT_EQ(shortcuts_->actions()[0].name, QStringLiteral("Open"));
  EXPECT_EQ(shortcuts_->actions()[0].menu, QStringLiteral("File"));
  EXPECT_EQ(shortcuts_->actions()[2].menu, QStringLiteral("File: Looks"));
  EXPECT_EQ(shortcuts_->actions()[3].keysText(), QStringLiteral("Ctrl+Shift+Z, Ctrl+Y"));
  EXPECT_EQ(shortcuts_->find(QStringLiteral("nothing")), nullptr);
}

TEST_F(ActionShortcutsTest, WhoHadTheKeysGetsTheOthers) {
  int changes = 0;
  QObject::connect(shortcuts_.get(), &ActionShortcuts::changed, [&] { ++changes; });
  EXPECT_EQ(shortcuts_->ownerOf(QKeySequence("Ctrl+Q"), indexOf("open")), indexOf("quit"));
  EXPECT_EQ(shortcuts_->ownerOf(QKeySequence("Ctrl+Q"), indexOf("quit")), std::nullopt);
  shortcuts_->assign(indexOf("open"), QKeySequence("Ctrl+Q"));
  EXPECT_EQ(keysOf("open"), "Ctrl+Q");
  EXPECT_EQ(keysOf("quit"), "Ctrl+O");
  // One of two: the other stays beside what comes.
  shortcuts_->assign(indexOf("open"), QKeySequence("Ctrl+Y"));
  EXPECT_EQ(keysOf("redo"), "Ctrl+Q; Ctrl+Shift+Z");
  shortcuts_->assign(indexOf("dark"), QKeySequence("Ctrl+Y"));
  EXPECT_EQ(keysOf("dark"), "Ctrl+Y");
  EXPECT_EQ(keysOf("open"), "") << "nothing was there to be had in exchange";
  EXPECT_EQ(changes, 3);
}

TEST_F(ActionShortcutsTest, ResetTakesTheFirstKeysFromWhoeverHasThem) {
  shortcuts_->assign(indexOf("dark"), QKeySequence("Ctrl+Y"));
  EXPECT_EQ(keysOf("redo"), "Ctrl+Shift+Z");
  EXPECT_EQ(shortcuts_->ownerOfDefault(indexOf("redo")), indexOf("dark"));
  EXPECT_EQ(shortcuts_->ownerOfDefault(indexOf("open")), std::nullopt);
  shortcuts_->reset(indexOf("redo"));
  EXPECT_EQ(keysOf("redo"), "Ctrl+Shift+Z; Ctrl+Y");
  EXPECT_EQ(keysOf("dark"), "");
  shortcuts_->remove(indexOf("redo"));
  shortcuts_->assign(indexOf("open"), QKeySequence("Ctrl+Q"));
  shortcuts_->resetAll();
  for (const ActionWithKeys& known : shortcuts_->actions()) EXPECT_TRUE(known.hasDefaultKeys());
}

TEST_F(ActionShortcutsTest, KeysOfControlsAndMenusAreRefused) {
  for (const char* keys :
       {"Left", "Shift+Down", "Tab", "Return", "Space", "Alt+F", "Del", "Ctrl+K, Ctrl+L", ""}) {
    EXPECT_FALSE(ActionShortcuts::refusalOf(QKeySequence(QLatin1String(keys))).isEmpty()) << keys;
  }
  for (const char* keys : {"Ctrl+Left", "Alt+1", "Ctrl+Alt+F", "F", "Shift+F5", "Esc", "+"}) {
    EXPECT_TRUE(ActionShortcuts::refusalOf(QKeySequence(QLatin1String(keys))).isEmpty()) << keys;
  }
}

TEST_F(ActionShortcutsTest, WhatWasChosenIsKeptAndNothingElse) {
  shortcuts_->assign(indexOf("open"), QKeySequence("Ctrl+Q"));
  shortcuts_->remove(indexOf("redo"));
  {
    QSettings file = settings();
    shortcuts_->write(file);
    EXPECT_EQ(file.allKeys().size(), 3) << file.allKeys().join(u' ').toStdString();
  }
  shortcuts_->resetAll();
  shortcuts_->read(settings());
  EXPECT_EQ(keysOf("open"), "Ctrl+Q");
  EXPECT_EQ(keysOf("quit"), "Ctrl+O");
  EXPECT_EQ(keysOf("redo"), "");
  shortcuts_->resetAll();
  QSettings file = settings();
  shortcuts_->write(file);
  EXPECT_TRUE(file.allKeys().isEmpty());
}

TEST_F(ActionShortcutsTest, NoFileMakesKeysMeanTwoThingsOrNone) {
  QSettings file = settings();
  file.setValue(QStringLiteral("shortcuts/open"), QStringList{"Ctrl+B"});
  file.setValue(QStringLiteral("shortcuts/dark"), QStringList{"Ctrl+B"});
  file.setValue(QStringLiteral("shortcuts/quit"), QStringList{"Left", QString(100'000, u'x')});
  file.setValue(QStringLiteral("shortcuts/redo"), QByteArray(1000, '\xff'));
  file.setValue(QStringLiteral("shortcuts/none"), QStringList{"Ctrl+J"});
  shortcuts_->read(file);
  EXPECT_EQ(keysOf("open"), "Ctrl+B");
  EXPECT_EQ(keysOf("dark"), "");
  EXPECT_EQ(keysOf("quit"), "Ctrl+Q");
  EXPECT_EQ(keysOf("redo"), "Ctrl+Shift+Z; Ctrl+Y");
}

TEST_F(ActionShortcutsTest, WhatWasChosenCountsMoreThanWhatAnotherHasAtFirst) {
  QSettings file = settings();
  file.setValue(QStringLiteral("shortcuts/dark"), QStringList{"Ctrl+Y"});
  shortcuts_->read(file);
  EXPECT_EQ(keysOf("dark"), "Ctrl+Y");
  EXPECT_EQ(keysOf("redo"), "Ctrl+Shift+Z");
}

}  // namespace
}  // namespace softscope
