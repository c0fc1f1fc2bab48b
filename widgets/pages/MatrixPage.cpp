#include "widgets/pages/MatrixPage.h"

#include "core/text/Words.h"
#include "widgets/analysis/HeadCurves.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/views/MatrixBoard.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/OpenSubjects.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QPushButton>

#include <algorithm>

namespace softscope {
namespace {

/// Cells per side; enough until finer ones are available.
constexpr int overviewCells = 256;
/// The smallest number of rows and columns at the highest magnification.
constexpr double fewestEntries = 6;
const MatrixFraction everything;
const QColor keyColor(0xe6, 0x9f, 0x00);

QRectF movedInside(QRectF part) {
  part.moveLeft(std::clamp(part.x(), 0.0, 1 - part.width()));
  part.moveTop(std::clamp(part.y(), 0.0, 1 - part.height()));
  return part;
}

/// Returns the rectangle of a token on the picture; empty if it is not a patch.
std::optional<QRectF> placeOnPicture(const std::optional<TokenGrid>& grid, int patch,
                                     const PictureExtent& extent) {
  if (!grid || patch < 0 || patch >= grid->count()) return std::nullopt;
  const PictureRegion& region = extent.region;
  const double width = region.width / grid->width / extent.width;
  const double height = region.height / grid->height / extent.height;
  return QRectF(region.x / extent.width + (patch % grid->width) * width,
                region.y / extent.height + double(patch / grid->width) * height, width, height);
}

std::string partText(const MatrixFraction& part) {
  return numberText(part.left) + "," + numberText(part.top) + "," + numberText(part.width) + "," +
         numberText(part.height);
}

/// Returns `matrices` with the measures of the whole matrices from `measured`.
std::vector<LayerMatrices> withLines(std::vector<LayerMatrices> matrices,
                                     const std::vector<LayerMatrices>& measured) {
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    for (std::size_t k = 0; k < matrices[i].heads.size(); ++k) {
      matrices[i].heads[k].lines = measured[i].heads[k].lines;
    }
  }
  return matrices;
}

}  // namespace

MatrixPage::MatrixPage(Workspace& workspace, QWidget* parent)
    : AnalysisPage(workspace, tr("Matrix"), parent),
      head_(addChoice(settingText(matrixSettings, "head"), {})),
      allHeads_(addSwitch(settingText(matrixSettings, "allHeads"))),
      whole_(new QPushButton(tr("Whole matrix"))),
      matrices_(new MatrixBoard(this)),
      overview_(workspace.worker(),
                [this] {
                  // Requesting the overview has displaced a pending request for detail.
                  detail_.retry();
                  showNow();
                }),
      detail_(workspace.worker(), [this] { showNow(); }) {
  addMapChoice();
  whole_->setAccessibleName(tr("Whole matrix"));
  whole_->setToolTip(tr("Shows all rows and columns again"));
  addControl(whole_);
  addScope("matrix");
  setContent(matrices_);
  const auto changed = [this](auto change) {
    MatrixSettings settings = workspace_.analysis().settings().of<MatrixSettings>();
    change(settings);
    choose(settings);
  };
  connect(head_, &QComboBox::activated, this, [changed](int head) {
    changed([head](MatrixSettings& settings) { settings.head = head; });
  });
  connect(allHeads_, &QCheckBox::clicked, this, [changed](bool all) {
    changed([all](MatrixSettings& settings) { settings.allHeads = all; });
  });
  connect(whole_, &QPushButton::clicked, this,
          [changed] { changed([](MatrixSettings& settings) { settings.part = everything; }); });
  connect(matrices_, &MatrixBoard::hovered, this, &MatrixPage::tell);
  connect(matrices_, &MatrixBoard::left, this, &MatrixPage::leave);
  connect(matrices_, &MatrixBoard::chosen, this, &MatrixPage::ask);
  connect(matrices_, &MatrixBoard::zoomed, this, &MatrixPage::zoom);
  connect(matrices_, &MatrixBoard::panned, this, &MatrixPage::pan);
  connect(matrices_, &MatrixBoard::stepped, &workspace.queries(), &AskedQueries::step);
}

void MatrixPage::choose(MatrixSettings settings) {
  AnalysisSettings analysis = workspace_.analysis().settings();
  analysis.of<MatrixSettings>() = settings;
  workspace_.analysis().set(analysis);
}

MatrixSettings MatrixPage::settingsFor(const std::vector<AnalysedLayer>& layers) const {
  MatrixSettings settings = workspace_.analysis().settings().of<MatrixSettings>();
  int most = 1;
  for (const AnalysedLayer& layer : layers) most = std::max(most, layer.attention().heads);
  settings.head = std::min(settings.head, most - 1);
  return settings;
}

void MatrixPage::showControls(const std::vector<AnalysedLayer>& layers) {
  int most = 1;
  for (const AnalysedLayer& layer : layers) most = std::max(most, layer.attention().heads);
  while (head_->count() > most) head_->removeItem(head_->count() - 1);
  while (head_->count() < most) head_->addItem(tr("Head %1").arg(head_->count()));
  const MatrixSettings settings = settingsFor(layers);
  head_->setCurrentIndex(settings.head);
  head_->setEnabled(!settings.allHeads);
  allHeads_->setChecked(settings.allHeads);
  whole_->setEnabled(settings.part != everything);
}

void MatrixPage::showNow() {
  const std::vector<AnalysedLayer> layers = scopeLayers(true);
  showControls(layers);
  const MatrixSettings settings = settingsFor(layers);
  const MapOptions map = analysedMap(workspace_, layers);
  showMap(map);
  const Overview subject{layers, settings.allHeads ? 0 : settings.head, settings.allHeads,
                         map.shown};
  const Matrices* overview = overview_.get(
      subject, tr("Averaging matrices"), [subject, settings](const Progress& progress) {
        auto matrices = averageMatrices(subject.layers, settings.onlyHead(), everything,
                                        overviewCells, subject.map, progress.part(0, 0.5, {}));
        addLineMeasures(matrices, progress.part(0.5, 1, {}));
        return matrices;
      });
  if (!overview) {
    showWaiting();
    return;
  }
  const Detail detail{subject, settings.part,
                      matrixCells(layers, settings.onlyHead(), settings.cells)};
  detail_.get(detail, tr("Averaging matrices"), [detail, settings](const Progress& progress) {
    return averageMatrices(detail.of.layers, settings.onlyHead(), detail.part, detail.cells,
                           detail.of.map, progress);
  });
  if (detail_.latest()) {
    shown_ = detail_.shared();
    shownOf_ = subject;
  } else if (shownOf_ != subject) {
    shown_ = overview_.shared();
    shownOf_ = subject;
  }
  showMatrices(*overview, settings);
}

void MatrixPage::showMatrices(const Matrices& overview, const MatrixSettings& settings) {
  std::vector<MatrixPanel> panels = panelsOf(overview, settings);
  if (panels.empty()) {
    showObstacles(tr("No matrix"), obstaclesOf(overview));
    return;
  }
  const auto& ranges = rangesOf(*shown_);
  const ViewSettings& view = workspace_.view().settings();
  std::size_t index = 0;
  for (const auto& layer : ranges) {
    for (const ValueRange& range : layer) {
      panels[index].range = range;
      panels[index].heat = heatmapStyle(view, range);
      panels[index].heat.smooth = false;
      ++index;
    }
  }
  matrices_->setPanels(std::move(panels));
  std::vector<AnalysedLayer> defined;
  for (const LayerMatrices& layer : overview) {
    if (layer.obstacle.empty()) defined.push_back(layer.of);
  }
  const FigureCaption caption =
      captionOf(defined, matrixAbout(withLines(*shown_, overview), settings));
  showContent(aboutOf(caption, defined));
}

std::vector<MatrixPanel> MatrixPage::panelsOf(const Matrices& overview,
                                              const MatrixSettings& settings) const {
  const auto picture = workspace_.picture().shared();
  std::vector<MatrixPanel> panels;
  for (std::size_t i = 0; i < overview.size(); ++i) {
    const LayerMatrices& layer = overview[i];
    const PictureExtent seen = picture ? PictureExtent(*picture, layer.of.region) : PictureExtent();
    const auto marks = rowMarks(layer.of, seen, workspace_.queries().marked());
    for (std::size_t k = 0; k < layer.heads.size(); ++k) {
      MatrixPanel panel = matrixPanel(layer, layer.heads[k]);
      panel.title = matrixTitle(overview, i, layer.heads[k], settings.allHeads);
      panel.note = lineScoreText(layer.heads[k].lines, layer.of.attention());
      panel.whole = layer.heads[k].averages;
      panel.detail = (*shown_)[i].heads[k].averages;
      panel.visible = rectOf(settings.part);
      panel.marks = marks;
      panels.push_back(std::move(panel));
    }
  }
  return panels;
}

const std::vector<std::vector<ValueRange>>& MatrixPage::rangesOf(const Matrices& shown) {
  if (rangedMatrices_ == shown_ && rangedView_ == workspace_.view().settings()) return ranges_;
  rangedMatrices_ = shown_;
  rangedView_ = workspace_.view().settings();
  ranges_.clear();
  for (const LayerMatrices& layer : shown) ranges_.push_back(matrixRanges(layer, rangedView_));
  return ranges_;
}

void MatrixPage::releaseResults() {
  const OpenSubjects isOpen(workspace_.models());
  overview_.keepIf(isOpen);
  detail_.keepIf(isOpen);
  matrices_->setPanels({});
  shownOf_.reset();
  shown_.reset();
  rangedMatrices_.reset();
  ranges_.clear();
}

std::optional<PageFigure> MatrixPage::figure() const {
  const auto overview = overview_.shared();
  const auto detail = detail_.shared();
  if (!showsContent() || !overview || !detail) return std::nullopt;
  const Matrices matrices = withLines(*detail, *overview);
  MatrixLooks looks{settingsFor(scopeLayers(true)), workspace_.view().settings(),
                    workspace_.queries().marked(), workspace_.picture().shared()};
  // Neither setting affects a matrix.
  looks.view.smooth = false;
  looks.view.opacity = ViewSettings().opacity;
  AnalysisCommand command{"matrix", scopeOptions()};
  if (!looks.settings.allHeads) {
    command.options.insert(command.options.end(), {"--head", std::to_string(looks.settings.head)});
  }
  if (looks.settings.part != everything) {
    command.options.insert(command.options.end(), {"--part", partText(looks.settings.part)});
  }
  command.takesChannel = true;
  const std::vector<AnalysedLayer> layers = scopeLayers(true);
  addMap(command, analysedMap(workspace_, layers).shown, layers);
  command.queries = looks.queries;
  command.view = looks.view;
  PageFigure page =
      pageFigure(QStringLiteral("matrix"), matrixFigure(matrices, looks), scopeModels(), command);
  page.arrays = [matrices] { return matrixArrays(matrices); };
  page.caveats = [matrices] { return matrixNotes(matrices); };
  return page;
}

const LayerMatrices* MatrixPage::layerAt(int index, HeadMatrix& head) const {
  if (!shown_) return nullptr;
  for (const LayerMatrices& layer : *shown_) {
    const auto count = static_cast<int>(layer.heads.size());
    if (index < count) {
      head = layer.heads[static_cast<std::size_t>(index)];
      return &layer;
    }
    index -= count;
  }
  return nullptr;
}

void MatrixPage::tell(int index, int row, int column) {
  HeadMatrix head;
  const LayerMatrices* layer = layerAt(index, head);
  if (!layer) return;
  const AttentionDescription& attention = layer->of.attention();
  const float value =
      mapOf(layer->of.layer(), layer->map)->block(head.head, row, column, 1, 1)(0, 0);
  Q_EMIT readOut(
      tr("%1: query %2, key %3: %4")
          .arg(matrices_->view(index).panel().title,
               QString::fromStdString(singleTokenName(attention, Direction::Rows, row)),
               QString::fromStdString(singleTokenName(attention, Direction::Columns, column)),
               valueText(value, 4)));
  std::vector<PictureMark> marks;
  if (const Picture* picture = workspace_.picture().get()) {
    const PictureExtent extent(*picture, layer->of.region);
    const auto query = placeOnPicture(attention.queryGrid, row - queryPrefix(attention), extent);
    const auto key = placeOnPicture(attention.keyGrid, column - keyPrefix(attention), extent);
    if (query) marks.push_back({*query, Qt::white, QStringLiteral("Q")});
    if (key) marks.push_back({*key, keyColor, QStringLiteral("K")});
  }
  Q_EMIT pointedAt(marks);
}

void MatrixPage::leave() {
  Q_EMIT readOut({});
  Q_EMIT pointedAt({});
}

void MatrixPage::ask(int index, int row, int) {
  HeadMatrix head;
  const LayerMatrices* layer = layerAt(index, head);
  const Picture* picture = workspace_.picture().get();
  if (!layer || !picture || !layer->of.attention().queryGrid) return;
  const AttentionDescription& attention = layer->of.attention();
  const TokenGrid& grid = *attention.queryGrid;
  const int patch = row - queryPrefix(attention);
  PictureQuery query = workspace_.queries().query();
  if (const auto token = singleTokenAt(attention, Direction::Rows, row)) {
    query.prefixToken = token;
  } else if (patch >= grid.count()) {
    return;
  } else {
    query = queryAt(grid, PictureExtent(*picture, layer->of.region),
                    {patch / grid.width, patch % grid.width});
  }
  workspace_.queries().ask(query);
}

void MatrixPage::zoom(int index, double factor, const QPointF& about) {
  const MatrixPanel& panel = matrices_->view(index).panel();
  MatrixSettings settings = workspace_.analysis().settings().of<MatrixSettings>();
  const QRectF from = rectOf(settings.part);
  const auto shorter = [factor](double length, int entries) {
    return std::clamp(length / factor, std::min(1.0, fewestEntries / entries), 1.0);
  };
  QRectF to(0, 0, shorter(from.width(), panel.keys), shorter(from.height(), panel.queries));
  to.moveLeft(about.x() - (about.x() - from.x()) * to.width() / from.width());
  to.moveTop(about.y() - (about.y() - from.y()) * to.height() / from.height());
  settings.part = fractionOf(movedInside(to));
  choose(settings);
}

void MatrixPage::pan(const QPointF& by) {
  MatrixSettings settings = workspace_.analysis().settings().of<MatrixSettings>();
  settings.part = fractionOf(movedInside(rectOf(settings.part).translated(by)));
  choose(settings);
}

void MatrixPage::showWhole() {
  whole_->click();
}

void MatrixPage::hideEvent(QHideEvent* event) {
  leave();
  AnalysisPage::hideEvent(event);
}

void MatrixPage::retry() {
  overview_.retry();
  detail_.retry();
}

}  // namespace softscope
