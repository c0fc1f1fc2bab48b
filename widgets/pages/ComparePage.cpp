#include "widgets/pages/ComparePage.h"

#include "core/query/Caveats.h"
#include "widgets/controls/ArrowKeys.h"
#include "widgets/controls/ClassChoice.h"
#include "widgets/controls/CompareBar.h"
#include "widgets/controls/DirectionSwitch.h"
#include "widgets/controls/MapChoice.h"
#include "widgets/pages/PicturePanels.h"
#include "widgets/paint/ValueText.h"
#include "widgets/plot/Plot.h"
#include "widgets/views/CompareLineView.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/PanelPlace.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/ComparisonChoice.h"
#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/ViewChoice.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceFigures.h"

#include <QtCore/QEvent>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QMenu>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

constexpr int widestPanel = 190;
constexpr int narrowestPanel = 84;
constexpr int widestTablePanel = 300;
constexpr int comparedGap = 10;

}  // namespace

ComparePage::ComparePage(Workspace& workspace, QWidget* parent)
    : Page(workspace, parent),
      bar_(new CompareBar(this)),
      scroll_(new QScrollArea(this)),
      canvas_(new QWidget) {
  setAccessibleName(tr("Comparison"));
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setWidget(canvas_);
  scroll_->setAccessibleName(tr("Compared models"));
  scroll_->viewport()->installEventFilter(this);
  // Arrow keys move the query, as on other pages; Page Up and Page Down still scroll.
  scroll_->installEventFilter(this);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(bar_);
  column->addWidget(scroll_, 1);
  connect(bar_, &CompareBar::comparisonChosen, &workspace_.comparison(), &ComparisonChoice::set);
  connect(&bar_->map(), &MapChoice::chosen, &workspace_.view(), &ViewChoice::setMap);
  connectClasses(bar_->classes());
  connect(&bar_->direction(), &DirectionSwitch::chosen, &workspace_.layers(),
          &ShownLayers::setDirection);
  connect(bar_, &CompareBar::modelWanted, this, &ComparePage::modelWanted);
  connect(bar_, &CompareBar::mechanismWanted, this, [this](const QString& mechanism) {
    if (!workspace_.models().current()) return;
    workspace_.queue().openBeside(
        withAttention(workspace_.models().current()->request, mechanism.toStdString()));
  });
}

bool ComparePage::isReady() const {
  return !workspace_.models().all().empty();
}

void ComparePage::takePicture() {
  pictures_.clear();
}

std::shared_ptr<const CroppedPicture> ComparePage::pictureOf(const PictureRegion& region) {
  for (const Seen& seen : pictures_) {
    if (seen.region == region) return seen.picture;
  }
  pictures_.push_back(
      {region, std::make_shared<const CroppedPicture>(workspace_.picture().image(), region)});
  return pictures_.back().picture;
}

/// Returns the lines query by query: for each, every model in order, then the differences. Models
/// with nothing to show say why only once.
std::vector<ComparePage::Shown> ComparePage::shownLines(
    const std::vector<ComparedLine>& lines) const {
  std::vector<int> models;
  for (std::size_t i = 0; i < workspace_.models().all().size(); ++i) {
    if (workspace_.models().all()[i].shownLayer()) models.push_back(static_cast<int>(i));
  }
  std::vector<Shown> shown;
  for (std::size_t i = 0; i < workspace_.models().all().size(); ++i) {
    if (!workspace_.models().all()[i].shownLayer()) shown.push_back({static_cast<int>(i), -1});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const ComparedLine& line = lines[i];
    const int model = line.isDifference ? -1 : models[std::size_t(line.row)];
    shown.push_back({model, static_cast<int>(i), line.query});
  }
  return shown;
}

CompareLineHeader ComparePage::headerOf(int index, const ComparedLine* line) const {
  const std::vector<OpenedModel>& all = workspace_.models().all();
  const OpenedModel& model = all[std::size_t(index)];
  std::vector<const OpenedModel*> beside;
  for (const OpenedModel& other : all) beside.push_back(&other);
  CompareLineHeader header;
  const std::vector<QString> names = namesBeside(beside);
  header.name = names[std::size_t(index)];
  for (const QString& name : names) {
    if (name != header.name) header.otherNames += name;
  }
  header.color = curveColors(static_cast<int>(all.size()))[std::size_t(index)];
  header.about = line ? line->about : QString::fromStdString(model.summary().mechanism);
  if (line && !line->input.isEmpty()) header.about.prepend(line->input + captionSeparator);
  header.prediction = line ? line->prediction : QString();
  for (const LayerSummary& layer : model.summary().layers) {
    header.layers += QString::fromStdString(layer.name);
  }
  header.layer = QString::fromStdString(model.layer);
  header.current = &model == workspace_.models().current();
  if (line) return header;
  header.message = !model.failure.isEmpty()     ? model.failure
                   : workspace_.picture().get() ? tr("Waiting to see the picture…")
                                                : tr("Open a picture to compare models on.");
  return header;
}

void ComparePage::showNow() {
  const CompareSubject figure = compareSubject(workspace_);
  std::vector<ComparedLine> compared = comparedLines(figure);
  for (ComparedLine& line : compared) {
    line.picturePanel.visible = workspace_.view().visible();
    // Panels are narrower here than in a figure.
    line.picturePanel.title.replace(tr(" · patch "), QStringLiteral(" · "));
    for (HeadPanel& panel : line.panels) panel.visible = workspace_.view().visible();
  }
  shown_ = shownLines(compared);
  bar_->setComparison(workspace_.comparison().settings());
  const MapOptions map = comparedMap(workspace_);
  bar_->map().setMap(map.shown, map.missing, map.obstacle);
  showClasses(bar_->classes());
  bar_->direction().setDirection(workspace_.layers().direction());
  bar_->setModels(static_cast<int>(workspace_.models().all().size()));
  QStringList mechanisms;
  if (const OpenedModel* current = workspace_.models().current()) {
    for (const std::string& name : current->summary().alternatives) {
      if (name != current->summary().mechanism) mechanisms += QString::fromStdString(name);
    }
  }
  bar_->setMechanisms(mechanisms);
  removeLines(shown_.size());
  while (lines_.size() < shown_.size()) lines_.push_back(makeLine(lineCount()));
  regions_.assign(shown_.size(), {});
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    const Shown& shown = shown_[i];
    const ComparedLine* line = shown.line < 0 ? nullptr : &compared[std::size_t(shown.line)];
    if (line) regions_[i] = line->region;
    if (shown.model >= 0) {
      lines_[i]->setHeader(headerOf(shown.model, line));
      lines_[i]->setLine(line, line ? pictureOf(line->region) : nullptr);
    } else {
      const RowDifference& difference = figure.differences[std::size_t(line->row)];
      const auto nameOf = [&](int row) {
        return QString::fromStdString(figure.rows[std::size_t(row)].modelName);
      };
      CompareLineHeader header;
      header.name = nameOf(difference.first);
      header.about = tr("minus %1").arg(nameOf(difference.second));
      header.prediction = line->panels.empty() ? line->about : line->layer;
      lines_[i]->setHeader(header);
      lines_[i]->setLine(line, pictureOf(line->region));
    }
  }
  arrange();
}

void ComparePage::removeLines(std::size_t left) {
  while (lines_.size() > left) {
    // A line may be the sender of the signal being handled, so it is deleted later.
    lines_.back()->hide();
    lines_.back()->deleteLater();
    lines_.pop_back();
  }
}

CompareLineView* ComparePage::makeLine(int index) {
  auto* view = new CompareLineView(canvas_);
  const auto place = [this, index](const QPointF& at) {
    PictureExtent seen = workspace_.queries().extent();
    seen.region = regions_[std::size_t(index)];
    return queryInRegion(seen, at);
  };
  connect(view, &CompareLineView::chosen, this, [this, index] {
    const int model = shown_[std::size_t(index)].model;
    if (model >= 0) workspace_.models().setCurrent(model);
  });
  connect(view, &CompareLineView::closed, this,
          [this, index] { workspace_.queue().close(shown_[std::size_t(index)].model); });
  connect(view, &CompareLineView::layerChosen, this, [this, index](const QString& layer) {
    workspace_.layers().chooseFor(shown_[std::size_t(index)].model, layer.toStdString());
  });
  connect(view, &CompareLineView::pressed, this,
          [this, place](const QPointF& at) { workspace_.queries().ask(place(at)); });
  connect(view, &CompareLineView::dragged, this,
          [this, place](const QPointF& at) { workspace_.queries().drag(place(at)); });
  connect(view, &CompareLineView::pinned, this,
          [this, place](const QPointF& at) { workspace_.queries().pin(place(at)); });
  connect(view, &CompareLineView::zoomed, &workspace_.view(), &ViewChoice::zoom);
  connect(view, &CompareLineView::panned, &workspace_.view(), &ViewChoice::pan);
  connect(view, &CompareLineView::hovered, this,
          [this, index](int panel, int row, int column) { readValue(index, panel, row, column); });
  connect(view, &CompareLineView::menuWanted, this,
          [this, index](int panel, const QPoint& globalPlace, const QPointF& at) {
            PictureExtent seen = workspace_.queries().extent();
            seen.region = regions_[std::size_t(index)];
            Q_EMIT panelMenuWanted(panelUnder(lines_[std::size_t(index)]->view(panel),
                                              pictureOf(seen.region), seen, globalPlace, at));
          });
  connect(view, &CompareLineView::headerMenuWanted, this,
          [this, index](const QPoint& globalPlace) { showModelMenu(index, globalPlace); });
  connect(view, &CompareLineView::left, this, [this] { Q_EMIT readOut({}); });
  view->show();
  return view;
}

void ComparePage::showModelMenu(int index, const QPoint& globalPlace) {
  const int model = shown_[std::size_t(index)].model;
  QMenu menu;
  const QAction* show = menu.addAction(tr("Show this model in the panels"));
  const QAction* rename = menu.addAction(tr("Rename…"));
  const QAction* close = menu.addAction(tr("Close"));
  const QAction* chosen = menu.exec(globalPlace);
  if (chosen == show) workspace_.models().setCurrent(model);
  if (chosen && chosen == rename) Q_EMIT renameWanted(model);
  if (chosen && chosen == close) workspace_.queue().close(model);
}

void ComparePage::releaseResults() {
  removeLines(0);
  shown_.clear();
  regions_.clear();
}

bool ComparePage::hasFigure() const {
  return workspace_.models().anyIsShown();
}

std::optional<PageFigure> ComparePage::figure() const {
  if (!hasFigure()) return std::nullopt;
  std::vector<std::size_t> models;
  for (std::size_t i = 0; i < workspace_.models().all().size(); ++i) {
    if (workspace_.models().all()[i].shownLayer()) models.push_back(i);
  }
  const CompareSubject subject = compareSubject(workspace_);
  PageFigure page =
      pageFigure(QStringLiteral("comparison"), printable([subject](const FigureSettings& settings) {
                   return compareFigure(subject, settings);
                 }),
                 models, compareCommand(subject));
  page.arrays = [subject] { return comparedArrays(answersOf(subject)); };
  page.caveats = [subject] { return answerCaveats(answersOf(subject)); };
  return page;
}

void ComparePage::readValue(int index, int panel, int row, int column) {
  const CompareLineView& view = *lines_[std::size_t(index)];
  const HeadPanel& shown = view.view(panel).panel();
  if (shown.values.patches.size() == 0) return;
  Q_EMIT readOut(QStringLiteral("%1, %2, %3")
                     .arg(view.accessibleName(), shown.title,
                          valueAtText(shown.values, workspace_.layers().direction(), row, column)));
}

void ComparePage::arrange() {
  const int width = scroll_->viewport()->width();
  const std::optional<int> table = arrangeTable(width);
  const int height = table ? *table : arrangeLines(width);
  canvas_->resize(width, std::max(height, scroll_->viewport()->height()));
}

std::optional<int> ComparePage::arrangeTable(int width) {
  std::size_t across = 0;
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    // The two panels are the picture and one map.
    if (shown_[i].line < 0 || lines_[i]->panelCount() != 2) return std::nullopt;
    across += shown_[i].query == 0 ? 1 : 0;
  }
  if (across < 2) return std::nullopt;
  const int columns = static_cast<int>(across) + 1;
  const int room = width - 2 * comparedGap - columns * comparedGap;
  const int panelWidth = std::min(widestTablePanel, room / columns);
  if (panelWidth < narrowestPanel) return std::nullopt;
  int headerHeight = 0;
  for (std::size_t i = 0; i < across; ++i) {
    headerHeight = std::max(headerHeight, lines_[i]->cellHeaderHeight());
  }
  int top = 0;
  for (std::size_t first = 0; first < lines_.size(); first += across) {
    int left = 0;
    int bottom = top;
    for (std::size_t i = first; i < first + across; ++i) {
      const QSize size =
          lines_[i]->arrangeCell({panelWidth, first == 0 ? headerHeight : 0, i == first});
      lines_[i]->setGeometry(QRect(QPoint(left, top), size));
      left += size.width() + comparedGap;
      bottom = std::max(bottom, top + size.height());
    }
    top = bottom;
  }
  return top;
}

int ComparePage::arrangeLines(int width) {
  using Header = CompareLineView::HeaderPlace;
  const auto heightWith = [&](int panelWidth, Header header) {
    int height = 0;
    for (const CompareLineView* line : lines_) {
      height += line->arrangedHeight(width, panelWidth, header);
    }
    return height;
  };
  Header header = CompareLineView::headerPlaces(width).front();
  int panelWidth = 0;
  for (const Header tried : CompareLineView::headerPlaces(width)) {
    int tooWide = CompareLineView::panelRoom(width, tried) + 1;
    while (tooWide - panelWidth > 1) {
      const int middle = (panelWidth + tooWide) / 2;
      if (heightWith(middle, tried) > scroll_->viewport()->height()) {
        tooWide = middle;
      } else {
        panelWidth = middle;
        header = tried;
      }
    }
  }
  if (panelWidth < narrowestPanel) {
    // Lines that do not fit are scrolled.
    int most = 1;
    for (const CompareLineView* line : lines_) most = std::max(most, line->panelCount());
    header = CompareLineView::headerPlaces(width).front();
    const int room = CompareLineView::panelRoom(width, header);
    const int inRow = std::clamp((room + comparedGap) / (narrowestPanel + comparedGap), 1, most);
    panelWidth = std::min(widestPanel, (room - (inRow - 1) * comparedGap) / inRow);
  }
  int top = 0;
  for (CompareLineView* line : lines_) {
    const int height = line->arrangedHeight(width, panelWidth, header);
    line->arrange(width, panelWidth, header);
    line->setGeometry(0, top, width, height);
    top += height;
  }
  return top;
}

QWidget* ComparePage::keyTaker() {
  return scroll_;
}

bool ComparePage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == scroll_->viewport() && event->type() == QEvent::Resize) arrange();
  if (watched == scroll_ && event->type() == QEvent::KeyPress) {
    const auto step = arrowStep(static_cast<QKeyEvent&>(*event));
    if (step) {
      workspace_.queries().step(step->rows, step->columns);
      return true;
    }
  }
  return Page::eventFilter(watched, event);
}

}  // namespace softscope
