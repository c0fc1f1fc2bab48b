#include "app/window/contents/DockKeys.h"

#include <QtWidgets/QApplication>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QScrollArea>

#include <utility>

namespace softscope {
namespace {

/// True if a part of the widget lies within all that it is in. A widget that its own children cover
/// is seen, too.
bool isSeen(const QWidget& widget) {
  QRect seen = widget.rect();
  const QWidget* inner = &widget;
  for (; !inner->isWindow() && !seen.isEmpty(); inner = inner->parentWidget()) {
    seen = seen.translated(inner->pos()) & inner->parentWidget()->rect();
  }
  return !seen.isEmpty();
}

}  // namespace

DockKeys::DockKeys(QMainWindow& window, std::function<void()> leave)
    : QObject(&window), window_(window), leave_(std::move(leave)) {
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { show(now); });
  for (QDockWidget* dock : window.findChildren<QDockWidget*>()) {
    // While docks are rearranged, the one that stays in front may be behind for a moment.
    connect(
        dock, &QDockWidget::visibilityChanged, this, [this, dock] { leaveIfHidden(*dock); },
        Qt::QueuedConnection);
  }
}

void DockKeys::show(QWidget* focus) {
  if (!focus || focus->window() != &window_) return;
  for (QWidget* around = focus->parentWidget(); around; around = around->parentWidget()) {
    if (isSeen(*focus)) return;
    // An area scrolls by itself only as the focus moves within it.
    if (auto* area = qobject_cast<QScrollArea*>(around)) area->ensureWidgetVisible(focus);
    auto* dock = qobject_cast<QDockWidget*>(around);
    if (dock && !isSeen(*dock)) dock->raise();
  }
}

void DockKeys::leaveIfHidden(const QDockWidget& dock) {
  const bool isBehind = dock.isVisible() && !isSeen(dock);
  if (isBehind && dock.isAncestorOf(QApplication::focusWidget())) leave_();
}

}  // namespace softscope
