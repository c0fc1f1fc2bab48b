#include "widgets/controls/BusyBar.h"

#include <QtCore/QTimerEvent>
#include <QtWidgets/QStyle>
#include <QtWidgets/QStyleOptionProgressBar>
#include <QtWidgets/QStylePainter>

#include <cmath>
#include <numbers>

namespace softscope {
namespace {

constexpr int frameMilliseconds = 40;
/// Time of the way to the other end and back.
constexpr double period = 2400;
constexpr int partsOfBar = 3;

}  // namespace

BusyBar::BusyBar(QWidget* parent) : QProgressBar(parent) {
  sinceBegin_.start();
}

void BusyBar::paintEvent(QPaintEvent* event) {
  if (!isUnknown()) {
    frames_.stop();
    QProgressBar::paintEvent(event);
    return;
  }
  if (!frames_.isActive()) frames_.start(frameMilliseconds, this);
  QStylePainter painter(this);
  QStyleOptionProgressBar option;
  initStyleOption(&option);
  option.minimum = 0;
  option.maximum = 1;
  option.progress = 0;
  painter.drawControl(QStyle::CE_ProgressBarGroove, option);
  const double turn = 2 * std::numbers::pi * static_cast<double>(sinceBegin_.elapsed()) / period;
  const int part = width() / partsOfBar;
  const int left = static_cast<int>(std::lround((width() - part) * (1 - std::cos(turn)) / 2));
  option.rect = QRect(left, 0, part, height());
  option.progress = 1;
  painter.drawControl(QStyle::CE_ProgressBarContents, option);
}

void BusyBar::timerEvent(QTimerEvent* event) {
  if (event->timerId() == frames_.timerId()) {
    update();
  } else {
    QProgressBar::timerEvent(event);
  }
}

void BusyBar::hideEvent(QHideEvent* event) {
  frames_.stop();
  QProgressBar::hideEvent(event);
}

}  // namespace softscope
