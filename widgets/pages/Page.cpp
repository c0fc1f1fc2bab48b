#include "widgets/pages/Page.h"

#include "widgets/controls/ArrowKeys.h"
#include "widgets/controls/ClassChoice.h"
#include "widgets/controls/NameText.h"
#include "widgets/views/LayerHeadView.h"
#include "widgets/views/PanelGrid.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QFocusEvent>
#include <QtGui/QKeyEvent>

#include <utility>

namespace softscope {

PageFigure pageFigure(const QString& name, PrintableFigure drawing,
                      const std::vector<std::size_t>& models, const AnalysisCommand& command) {
  PageFigure page;
  page.name = asFileName(name);
  page.models = models;
  page.drawing = std::move(drawing);
  page.command = [command](const FigureSource& source, const FigureSettings& settings,
                           const std::string& output) {
    return figureCommandText(command, source, settings, output);
  };
  return page;
}

PageFigure pageFigure(const QString& name, PanelFigure figure,
                      const std::vector<std::size_t>& models, const AnalysisCommand& command) {
  return pageFigure(name, printable(std::move(figure)), models, command);
}

Page::Page(Workspace& workspace, QWidget* parent) : QWidget(parent), workspace_(workspace) {
  // A click beside the maps, or on a plot, gives the keys back to the page.
  setFocusPolicy(Qt::ClickFocus);
}

bool Page::isReady() const {
  return workspace_.models().shownLayer();
}

QWidget* Page::keyTaker() {
  for (QWidget* widget : findChildren<QWidget*>()) {
    const bool takes = qobject_cast<PanelGrid*>(widget) || qobject_cast<LayerHeadView*>(widget);
    if (takes && widget->isVisibleTo(this)) return widget;
  }
  return nullptr;
}

void Page::takeKeys() {
  QWidget* taker = keyTaker();
  (taker ? taker : this)->setFocus(Qt::OtherFocusReason);
}

void Page::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  if (event->reason() == Qt::MouseFocusReason) takeKeys();
}

void Page::keyPressEvent(QKeyEvent* event) {
  if (const auto step = arrowStep(*event)) {
    workspace_.queries().step(step->rows, step->columns);
    return;
  }
  QWidget::keyPressEvent(event);
}

void Page::connectClasses(ClassChoice& classes) {
  connect(&classes, &ClassChoice::chosen, this,
          [this](const LogitRequest& logit) { chooseLogit(workspace_, logit); });
}

void Page::showClasses(ClassChoice& classes) const {
  const std::optional<LogitRequest> logit = shownLogit(workspace_);
  const OpenedModel* opened = workspace_.models().current();
  const bool hasClasses = logit && opened && opened->summary().classes > 0;
  classes.show(hasClasses ? opened->model : nullptr, logit.value_or(LogitRequest()));
}

}  // namespace softscope
