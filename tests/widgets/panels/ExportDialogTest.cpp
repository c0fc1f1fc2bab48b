#include "core/Error.h"
#include "tests/widgets/Controls.h"
#include "widgets/panels/ExportDialog.h"
#include "widgets/views/FigurePreview.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QStringList>
#include <QtCore/QTemporaryDir>
#include <QtCore/QTimer>
#include <QtGui/QPainter>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSpinBox>

#include <gtest/gtest.h>

namespace softscope {
namespace {

PrintableFigure redFigure() {
  return {[](const FigureSettings& settings) {
            if (settings.columns > 8) throw Error("no room for so many columns");
            return QSizeF(settings.width, settings.width / 2);
          },
          [](QPainter& painter, const QRectF& place, const FigureSettings&) {
            painter.fillRect(place, Qt::red);
          }};
}

template <typename Control>
Control* find(const QWidget& dialog, const char* name) {
  for (Control* control : dialog.findChildren<Control*>()) {
    if (control->accessibleName() == QLatin1String(name)) return control;
  }
  ADD_FAILURE() << "no control is called " << name;
  return nullptr;
}

class Exporting : public testing::Test {
 protected:
  Exporting() : dialog_(redFigure(), {}, QStringLiteral("/tmp/figure.pdf")) {}

  ExportDialog dialog_;
};

TEST_F(Exporting, EveryControlHasAName) {
  const auto controls = test::controlsBelow(dialog_);
  EXPECT_GE(controls.size(), 14u);
  for (const QWidget* control : controls) {
    EXPECT_FALSE(control->accessibleName().isEmpty()) << control->metaObject()->className();
  }
}

TEST(ExportDialog, LargeLettersLeaveItsControlsWhole) {
  const QFont usual = QApplication::font();
  QFont large = usual;
  large.setPointSizeF(1.8 * usual.pointSizeF());
  QApplication::setFont(large);
  ExportDialog dialog(redFigure(), {}, QStringLiteral("/tmp/figure.pdf"));
  dialog.show();
  QCoreApplication::processEvents();
  const auto numbers = dialog.findChildren<QAbstractSpinBox*>();
  ASSERT_FALSE(numbers.isEmpty());
  for (const auto* number : numbers) {
    const QWidget* shown = number->parentWidget()->parentWidget();
    EXPECT_LE(number->mapTo(shown, number->rect().bottomRight()).x(), shown->width())
        << number->accessibleName().toStdString();
  }
  QApplication::setFont(usual);
}

TEST_F(Exporting, APresetIsAWidth) {
  QSignalSpy chosen(&dialog_, &ExportDialog::settingsChosen);
  auto* presets = find<QComboBox>(dialog_, "Width of a paper's columns");
  EXPECT_EQ(presets->currentText(), QStringLiteral("Two columns"));
  presets->setCurrentIndex(0);
  Q_EMIT presets->activated(0);
  EXPECT_EQ(dialog_.settings().width, FigureSettings::oneColumn);
  EXPECT_EQ(chosen.count(), 1);
  find<QDoubleSpinBox>(dialog_, "Width")->setValue(100);
  EXPECT_EQ(presets->currentText(), QStringLiteral("Other"));
}

TEST_F(Exporting, ControlsChangeTheSettings) {
  find<QCheckBox>(dialog_, "Titles")->click();
  find<QCheckBox>(dialog_, "Letters (a), (b)")->click();
  find<QCheckBox>(dialog_, "Colour bars")->click();
  find<QSpinBox>(dialog_, "Resolution")->setValue(600);
  find<QSpinBox>(dialog_, "Columns")->setValue(3);
  find<QDoubleSpinBox>(dialog_, "Size of letters")->setValue(9.5);
  auto* ground = find<QComboBox>(dialog_, "Background");
  ground->setCurrentIndex(2);
  Q_EMIT ground->activated(2);
  FigureSettings expected;
  expected.titles = false;
  expected.letters = true;
  expected.colorBars = false;
  expected.dpi = 600;
  expected.columns = 3;
  expected.points = 9.5;
  expected.background = FigureSettings::Background::Transparent;
  expected.font = dialog_.settings().font;
  EXPECT_EQ(dialog_.settings(), expected);
}

TEST_F(Exporting, ButtonsAskTheOwner) {
  QSignalSpy saved(&dialog_, &ExportDialog::saveAsked);
  QSignalSpy copied(&dialog_, &ExportDialog::copyAsked);
  QSignalSpy command(&dialog_, &ExportDialog::copyCommandAsked);
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("other.svg"));
  find<QLineEdit>(dialog_, "File")->setText(u' ' + path + u' ');
  find<QPushButton>(dialog_, "Save")->click();
  find<QPushButton>(dialog_, "Copy")->click();
  find<QPushButton>(dialog_, "Copy as command")->click();
  ASSERT_EQ(saved.count(), 1);
  EXPECT_EQ(saved[0][0].toString(), path);
  EXPECT_EQ(copied.count(), 1);
  ASSERT_EQ(command.count(), 1);
  EXPECT_EQ(command[0][0].toString(), path);
}

TEST_F(Exporting, TheFolderIsNamedAndNeverTheProcesss) {
  EXPECT_TRUE(find<QLabel>(dialog_, "Message")->text().contains(QStringLiteral("/tmp")));
  auto* file = find<QLineEdit>(dialog_, "File");
  file->setText(QStringLiteral("mine.svg"));
  EXPECT_EQ(dialog_.path(), QStringLiteral("/tmp/mine.svg")) << "beside the suggested one";
  file->setText(QStringLiteral("sub/../mine.svg"));
  EXPECT_EQ(dialog_.path(), QStringLiteral("/tmp/mine.svg"));
  file->setText(QStringLiteral("~/mine.svg"));
  EXPECT_EQ(dialog_.path(), QDir::homePath() + QStringLiteral("/mine.svg"));
  EXPECT_TRUE(find<QLabel>(dialog_, "Message")->text().contains(QDir::homePath()));
  file->setText(QStringLiteral("/elsewhere/mine.svg"));
  EXPECT_EQ(dialog_.path(), QStringLiteral("/elsewhere/mine.svg"));
}

/// Clicks the button of that text in the question that comes next.
void answer(const QString& text) {
  QTimer::singleShot(0, qApp, [text] {
    auto* question = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
    ASSERT_NE(question, nullptr);
    for (QAbstractButton* button : question->buttons()) {
      if (button->text().remove(u'&') == text) return button->click();
    }
    ADD_FAILURE() << "no button says " << text.toStdString();
    question->close();
  });
}

TEST_F(Exporting, AFileThatIsThereIsReplacedOnlyIfTheUserSaysSo) {
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("there.pdf"));
  ASSERT_TRUE(QFile(path).open(QIODevice::WriteOnly));
  QSignalSpy saved(&dialog_, &ExportDialog::saveAsked);
  find<QLineEdit>(dialog_, "File")->setText(path);
  answer(QStringLiteral("Cancel"));
  find<QPushButton>(dialog_, "Save")->click();
  EXPECT_EQ(saved.count(), 0);
  answer(QStringLiteral("Replace"));
  find<QPushButton>(dialog_, "Save")->click();
  EXPECT_EQ(saved.count(), 1);
}

TEST_F(Exporting, WhatCannotBeWrittenCannotBeSaved) {
  auto* save = find<QPushButton>(dialog_, "Save");
  auto* message = find<QLabel>(dialog_, "Message");
  EXPECT_TRUE(save->isEnabled());
  find<QLineEdit>(dialog_, "File")->setText(QStringLiteral("/tmp/figure.gif"));
  EXPECT_FALSE(save->isEnabled());
  EXPECT_TRUE(message->text().contains(QStringLiteral(".pdf")));
  find<QLineEdit>(dialog_, "File")->setText(QStringLiteral("/tmp/figure.png"));
  find<QSpinBox>(dialog_, "Columns")->setValue(20);
  EXPECT_FALSE(save->isEnabled());
  EXPECT_EQ(message->text(), QStringLiteral("no room for so many columns"));
  find<QSpinBox>(dialog_, "Columns")->setValue(2);
  EXPECT_TRUE(save->isEnabled());
}

TEST_F(Exporting, PreviewIsDrawnByTheFiguresPainter) {
  dialog_.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&dialog_));
  const auto* preview = dialog_.findChild<FigurePreview*>();
  const QImage shown = const_cast<FigurePreview*>(preview)->grab().toImage();
  EXPECT_EQ(shown.pixelColor(shown.width() / 2, shown.height() / 2), QColor(Qt::red));
  EXPECT_NE(shown.pixelColor(2, 2), QColor(Qt::red)) << "around it is a margin";
}

}  // namespace
}  // namespace softscope
