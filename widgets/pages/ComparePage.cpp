#include "widgets/pages/ComparePage.h"

#include "core/Error.h"
#include "core/attention/Mechanism.h"
#include "core/query/Caveats.h"
#include "widgets/controls/ArrowKeys.h"
#include "widgets/controls/ClassChoice.h"
#include "widgets/controls/CompareBar.h"
#include "widgets/controls/DirectionSwitch.h"
#include "widgets/controls/MapChoice.h"
#include "widgets/pages/PicturePanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/plot/Plot.h"
#include "widgets/views/CompareArrangement.h"
#include "widgets/views/CompareLineView.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/PanelPlace.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ComparedParts.h"
#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceFigures.h"

#include <QtCore/QEvent>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QMenu>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace softscope {

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
  connect(bar_, &CompareBar::takeOutWanted, &workspace_.models(), &OpenModels::takeAllOut);
  connect(bar_, &CompareBar::mechanismWanted, this, [this](const QString& mechanism) {
    const OpenedModel* model = workspace_.models().current();
    if (!model) return;
    workspace_.queue().openBeside(workspace_.queue().requestWith(*model, mechanism.toStdString()),
                                  {.layer = model->layer, .inputSize = model->wantedSize()});
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

/// Returns the lines query by query: for each, every model or head in order, then the differences.
/// Models with nothing to show say why only once.
std::vector<ComparePage::Shown> ComparePage::shownLines(
    const std::vector<ComparedLine>& lines) const {
  std::vector<Shown> rows;
  std::vector<Shown> shown;
  for (const ComparedPart& part : comparedParts(workspace_.models())) {
    Shown of{static_cast<int>(part.model), {}};
    if (part.layer && part.head) of.head = {part.layer->name, *part.head};
    const bool isSaid = !shown.empty() && shown.back().model == of.model;
    if (part.layer) {
      rows.push_back(of);
    } else if (!isSaid) {
      shown.push_back(of);
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const ComparedLine& line = lines[i];
    Shown of = line.isDifference ? Shown() : rows[std::size_t(line.row)];
    of.line = static_cast<int>(i);
    of.query = line.query;
    shown.push_back(of);
  }
  return shown;
}

CompareLineHeader ComparePage::headerOf(const Shown& shown, const ComparedLine* line) const {
  const std::vector<OpenedModel>& all = workspace_.models().all();
  const OpenedModel& opened = all[std::size_t(shown.model)];
  const std::vector<std::size_t> heard = workspace_.models().heard();
  std::vector<const OpenedModel*> beside;
  for (const std::size_t index : heard) beside.push_back(&all[index]);
  const auto place = static_cast<std::size_t>(std::ranges::find(beside, &opened) - beside.begin());
  CompareLineHeader header;
  const std::vector<QString> names = namesBeside(beside);
  header.name = names[place];
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != place) (i < place ? header.namesAbove : header.namesBelow) += names[i];
  }
  header.color = curveColors(static_cast<int>(heard.size()))[place];
  header.about =
      line ? line->about : QString::fromStdString(titleOfMechanism(opened.summary().mechanism));
  if (line && !line->input.isEmpty()) header.about.prepend(line->input + captionSeparator);
  header.prediction = line ? line->prediction : QString();
  header.current = &opened == workspace_.models().current();
  if (shown.head) {
    // The layer tells lines apart, whose model may be that of all; their panels name the heads.
    const QString model = header.name;
    header.name = shortLayerName(*opened.inspection, shown.head->layer);
    header.about.prepend(model + captionSeparator);
    header.prediction.clear();
    header.namesAbove.clear();
    header.namesBelow.clear();
    header.current = header.current && opened.layer == shown.head->layer;
    header.closes = tr("Take %1, %2 of %3 out").arg(header.name, headText(shown.head->head), model);
  } else {
    for (const LayerSummary& layer : opened.summary().layers) {
      header.layers += QString::fromStdString(layer.name);
    }
    header.layer = QString::fromStdString(opened.layer);
    header.closes = tr("Close %1").arg(header.name);
  }
  if (line) return header;
  header.message = !opened.failure.isEmpty()    ? opened.failure
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
  bar_->setComparison(workspace_.comparison().settings());
  const MapOptions map = comparedMap(workspace_);
  bar_->map().setMap(map.shown, map.missing, map.obstacle);
  showClasses(bar_->classes());
  bar_->direction().setDirection(workspace_.layers().direction());
  bar_->setRows(static_cast<int>(figure.rows.size()));
  const auto isOfHead = [](const CompareRow& row) { return row.head.has_value(); };
  bar_->setCollected(static_cast<int>(std::ranges::count_if(figure.rows, isOfHead)));
  QStringList mechanisms;
  if (const OpenedModel* current = workspace_.models().current()) {
    for (const std::string& name : current->summary().alternatives) {
      if (name != current->summary().mechanism) mechanisms += QString::fromStdString(name);
    }
  }
  bar_->setMechanisms(mechanisms);
  // After the bar, whose new height may arrange the lines that are there at once.
  shown_ = shownLines(compared);
  removeLines(shown_.size());
  while (lines_.size() < shown_.size()) lines_.push_back(makeLine(lineCount()));
  regions_.assign(shown_.size(), {});
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    const Shown& shown = shown_[i];
    const ComparedLine* line = shown.line < 0 ? nullptr : &compared[std::size_t(shown.line)];
    if (line) regions_[i] = line->region;
    if (shown.model >= 0) {
      lines_[i]->setHeader(headerOf(shown, line));
      lines_[i]->setLine(line, line ? pictureOf(line->region) : nullptr);
    } else {
      const RowDifference& difference = figure.differences[std::size_t(line->row)];
      const auto nameOf = [&](int row) {
        return QString::fromStdString(figure.rows[std::size_t(row)].modelName);
      };
      CompareLineHeader header;
      header.name = nameOf(difference.first);
      header.about = tr("minus %1").arg(nameOf(difference.second));
      // How the values came about, such as means of heads or a map on another grid.
      header.prediction = line->about;
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
  connect(view, &CompareLineView::chosen, this,
          [this, index] { choose(shown_[std::size_t(index)]); });
  connect(view, &CompareLineView::closed, this,
          [this, index] { close(shown_[std::size_t(index)]); });
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
          [this, index](const QPoint& globalPlace) { showLineMenu(index, globalPlace); });
  connect(view, &CompareLineView::left, this, [this] { Q_EMIT readOut({}); });
  view->show();
  return view;
}

void ComparePage::choose(const Shown& shown) {
  if (shown.model < 0) return;
  workspace_.models().setCurrent(shown.model);
  if (shown.head) workspace_.layers().choose(shown.head->layer);
}

void ComparePage::close(const Shown& shown) {
  if (shown.head) {
    workspace_.models().collect(shown.model, *shown.head);
  } else {
    workspace_.queue().close(shown.model);
  }
}

void ComparePage::showLineMenu(int index, const QPoint& globalPlace) {
  Shown shown = shown_[std::size_t(index)];
  const std::vector<OpenedModel>& models = workspace_.models().all();
  if (shown.model < 0 || shown.model >= static_cast<int>(models.size())) return;
  const int id = models[std::size_t(shown.model)].id;
  QMenu menu;
  const QAction* show = menu.addAction(tr("Show this model in the panels"));
  const QAction* rename = menu.addAction(tr("Rename…"));
  const QAction* closing = menu.addAction(shown.head ? tr("Take out of Compare") : tr("Close"));
  const QAction* chosen = menu.exec(globalPlace);
  // While the menu was open, models may have been opened, closed or put into another order.
  const OpenedModel* model = workspace_.models().find(id);
  if (!chosen || !model) return;
  shown.model = static_cast<int>(model - models.data());
  if (chosen == show) choose(shown);
  if (chosen == rename) Q_EMIT renameWanted(shown.model);
  if (chosen == closing) close(shown);
}

void ComparePage::releaseResults() {
  removeLines(0);
  shown_.clear();
  regions_.clear();
}

bool ComparePage::hasFigure() const {
  const std::vector<ComparedPart> parts = comparedParts(workspace_.models());
  return std::ranges::any_of(parts, [](const ComparedPart& part) { return part.layer; });
}

std::optional<PageFigure> ComparePage::figure() const {
  if (!hasFigure()) return std::nullopt;
  std::vector<std::size_t> models;
  bool isOfHeads = false;
  for (const ComparedPart& part : comparedParts(workspace_.models())) {
    isOfHeads = isOfHeads || part.head;
    if (part.layer && (models.empty() || models.back() != part.model)) models.push_back(part.model);
  }
  const CompareSubject subject = compareSubject(workspace_);
  PageFigure page =
      pageFigure(QStringLiteral("comparison"), printable([subject](const FigureSettings& settings) {
                   return compareFigure(subject, settings);
                 }),
                 models, compareCommand(subject));
  if (isOfHeads) {
    // A command names the same heads of one layer a model.
    page.command = [](const FigureSource&, const FigureSettings&,
                      const std::string&) -> std::string {
      throw Error(
          "no command makes this figure: its heads were collected one by one; export the figure, "
          "or take them out of Compare to copy the command of whole layers");
    };
  }
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
  const QSize room = scroll_->viewport()->size();
  const int height = arrangeCompareLines(lines_, table(), room);
  canvas_->resize(room.width(), std::max(height, room.height()));
}

std::optional<CompareTable> ComparePage::table() const {
  CompareTable table;
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    // The two panels are the picture and one map.
    if (shown_[i].line < 0 || lines_[i]->panelCount() != 2) return std::nullopt;
    table.across += shown_[i].query == 0 ? 1 : 0;
  }
  if (table.across < 2) return std::nullopt;
  table.isOfHeads = shown_.front().head.has_value();
  return table;
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
