#include "widgets/pages/PlotPage.h"

#include "widgets/plot/PlotBoard.h"

namespace softscope {

PlotPage::PlotPage(Workspace& workspace, const QString& name, QWidget* parent)
    : AnalysisPage(workspace, name, parent), board_(new PlotBoard(this)) {
  setContent(board_);
  connect(board_, &PlotBoard::hovered, this, &Page::readOut);
  connect(board_, &PlotBoard::left, this, [this] { Q_EMIT readOut({}); });
}

void PlotPage::showPlots(const std::vector<Plot>& plots, const QString& about) {
  board_->setPlots(plots);
  showContent(about);
}

void PlotPage::showWhole() {
  board_->showWhole();
}

bool PlotPage::showsPlots() const {
  return showsContent() && board_->plotCount() > 0;
}

}  // namespace softscope
