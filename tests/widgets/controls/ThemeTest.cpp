#include "widgets/controls/Theme.h"

#include <QtGui/QImage>
#include <QtGui/QWheelEvent>
#include <QtTest/qtestspontaneevent.h>
#include <QtWidgets/QApplication>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QSlider>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QVBoxLayout>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

using Theme = ViewSettings::Theme;

/// As WCAG 2 defines it, of 0 to 1.
double luminance(const QColor& color) {
  const auto linear = [](double value) {
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
         0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const auto [dark, light] = std::minmax({luminance(a), luminance(b)});
  return (light + 0.05) / (dark + 0.05);
}

/// Of the box's edge to the window, half-way down its left side.
double edgeContrast(QWidget& widget) {
  widget.resize(widget.sizeHint());
  const QImage image = widget.grab().toImage();
  double best = 1;
  for (int x = 0; x < 6; ++x) {
    best = std::max(best, contrast(image.pixelColor(x, image.height() / 2),
                                   widget.palette().color(QPalette::Window)));
  }
  return best;
}

TEST(Theme, BoxesAreSeenInTheDark) {
  applyTheme(*qApp, Theme::Dark);
  QCheckBox check;
  QLineEdit line;
  QSpinBox spin;
  // What WCAG asks of the outlines of controls.
  for (QWidget* widget : std::initializer_list<QWidget*>{&check, &line, &spin}) {
    EXPECT_GE(edgeContrast(*widget), 3) << widget->metaObject()->className();
  }
  applyTheme(*qApp, Theme::Light);
}

/// Controls in a panel that scrolls.
class WheelTest : public testing::Test {
 protected:
  WheelTest() {
    applyTheme(*qApp, Theme::Light);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    for (QComboBox* choice : {choice_, typed_}) choice->addItems({"gelu", "gelu_tanh", "relu"});
    typed_->setEditable(true);
    for (QWidget* control : std::initializer_list<QWidget*>{choice_, typed_, number_, slider_}) {
      column->addWidget(control);
    }
    below_->setMinimumHeight(2000);
    column->addWidget(below_);
    area_.setWidget(content);
    area_.resize(300, 200);
    area_.show();
    QApplication::setActiveWindow(&area_);
    below_->setFocus();
  }
  /// Turns the wheel downwards over a control, as the system reports it.
  void turnOver(QWidget& control) {
    const QPointF middle = QRectF(control.rect()).center();
    QWheelEvent wheel(middle, control.mapToGlobal(middle), {}, {0, -120}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QSpontaneKeyEvent::setSpontaneous(&wheel);
    qApp->notify(&control, &wheel);
  }
  int scrolled() const { return area_.verticalScrollBar()->value(); }

  QScrollArea area_;
  QWidget* below_ = new QWidget;
  QComboBox* choice_ = new QComboBox;
  QComboBox* typed_ = new QComboBox;
  QSpinBox* number_ = new QSpinBox;
  QSlider* slider_ = new QSlider(Qt::Horizontal);
};

TEST_F(WheelTest, ScrollsPastControlsWithoutChangingThem) {
  number_->setValue(5);
  slider_->setValue(5);
  for (QWidget* control : std::initializer_list<QWidget*>{choice_, typed_, number_, slider_}) {
    area_.verticalScrollBar()->setValue(0);
    turnOver(*control);
    EXPECT_GT(scrolled(), 0) << control->metaObject()->className();
    EXPECT_FALSE(control->hasFocus()) << control->metaObject()->className();
  }
  EXPECT_EQ(choice_->currentIndex(), 0);
  EXPECT_EQ(typed_->currentIndex(), 0);
  EXPECT_EQ(number_->value(), 5);
  EXPECT_EQ(slider_->value(), 5);
}

TEST_F(WheelTest, TurnsANumberThatHasTheKeyboardAndNoList) {
  number_->setValue(5);
  number_->setFocus();
  turnOver(*number_);
  EXPECT_LT(number_->value(), 5);
  EXPECT_EQ(scrolled(), 0);
  choice_->setFocus();
  turnOver(*choice_);
  EXPECT_EQ(choice_->currentIndex(), 0) << "it keeps the keyboard after a choice";
  EXPECT_GT(scrolled(), 0);
}

}  // namespace
}  // namespace softscope
