#include "app/window/RememberedWindow.h"

#include <QtCore/QEvent>
#include <QtGui/QScreen>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QMainWindow>

#include <chrono>
#include <utility>

namespace softscope {
namespace {

constexpr int layoutVersion = 1;
/// A window that is being dragged changes with every frame.
constexpr auto patience = std::chrono::milliseconds(500);

bool changesPlace(QEvent::Type type) {
  switch (type) {
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::WindowStateChange:
    case QEvent::Hide:
    case QEvent::Show:
      return true;
    default:
      return false;
  }
}

}  // namespace

RememberedWindow::RememberedWindow(QMainWindow& window, const WindowSettings& settings,
                                   QObject* parent)
    : QObject(parent), window_(window), written_(settings) {
  timer_.setSingleShot(true);
  timer_.setInterval(patience);
  connect(&timer_, &QTimer::timeout, this, &RememberedWindow::due);
  window.installEventFilter(this);
}

void RememberedWindow::restoreSize() {
  window_.resize(QSize(1280, 800).boundedTo(window_.screen()->availableSize()));
  if (!written_.geometry.isEmpty()) window_.restoreGeometry(written_.geometry);
}

bool RememberedWindow::restorePanels() {
  watchPanels();
  return !written_.layout.isEmpty() && window_.restoreState(written_.layout, layoutVersion);
}

void RememberedWindow::watchPanels() {
  for (QDockWidget* panel : window_.findChildren<QDockWidget*>()) {
    panel->installEventFilter(this);
    connect(panel, &QDockWidget::dockLocationChanged, this, &RememberedWindow::noteChange);
  }
}

void RememberedWindow::noteChange() {
  if (!timer_.isActive()) timer_.start();
}

bool RememberedWindow::eventFilter(QObject* watched, QEvent* event) {
  if (changesPlace(event->type()) && window_.isVisible()) noteChange();
  return QObject::eventFilter(watched, event);
}

void RememberedWindow::write(WindowSettings settings) {
  timer_.stop();
  settings.geometry = window_.saveGeometry();
  settings.layout = window_.saveState(layoutVersion);
  if (writeChanges(written_, settings)) written_ = std::move(settings);
}

}  // namespace softscope
