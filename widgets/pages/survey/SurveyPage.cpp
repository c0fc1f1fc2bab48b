#include "widgets/pages/survey/SurveyPage.h"

#include "widgets/pages/survey/SurveyControls.h"
#include "widgets/pages/survey/SurveyGallery.h"
#include "widgets/paint/ValueText.h"
#include "widgets/plot/PlotBoard.h"
#include "widgets/plot/PlotView.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QFileInfo>
#include <QtCore/QItemSelectionModel>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QStyle>
#include <QtWidgets/QTableView>

#include <algorithm>
#include <utility>
#include <vector>

namespace softscope {
namespace {

constexpr int widestPictureColumn = 170;
constexpr int widestColumn = 120;
/// The number of rows whose texts determine the width of columns.
constexpr int measuredRows = 40;

/// Prepares the table of values: whole rows are selected, in alternating colours, and headers sort.
void prepareTable(QTableView& table, SurveyRows* rows) {
  table.setAccessibleName(SurveyPage::tr("Values"));
  table.setModel(rows);
  table.setFrameShape(QFrame::NoFrame);
  table.setShowGrid(false);
  table.setAlternatingRowColors(true);
  table.setWordWrap(false);
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setSelectionMode(QAbstractItemView::ExtendedSelection);
  table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table.verticalHeader()->hide();
  if (auto* corner = table.findChild<QAbstractButton*>()) {
    corner->setAccessibleName(SurveyPage::tr("Select all values"));
  }
  table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 8);
  table.horizontalHeader()->setHighlightSections(false);
  table.horizontalHeader()->setTextElideMode(Qt::ElideRight);
  table.horizontalHeader()->setStretchLastSection(true);
  table.horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  table.horizontalHeader()->setResizeContentsPrecision(measuredRows);
  table.setSortingEnabled(true);
}

/// Says which of a survey's pictures have no values because they could not be read; empty if all
/// could.
QString passedOverText(const SurveyIndex& index) {
  const auto first =
      std::ranges::find_if(index.pictures, [](const auto& one) { return !one.unreadable.empty(); });
  if (first == index.pictures.end()) return {};
  const QString which = QString::fromStdString(first->path + ": " + first->unreadable);
  const auto count = std::ssize(index.pictures) - index.readablePictures();
  return count == 1
             ? SurveyPage::tr("1 picture was passed over, as it cannot be read: %1").arg(which)
             : SurveyPage::tr(
                   "%L1 pictures were passed over, as they cannot be read, the first: %2")
                   .arg(count)
                   .arg(which);
}

/// Gives each column the width of its texts, up to a limit; where the table is wider, those beyond
/// the limit share the rest from the first on.
void setColumnWidths(QTableView& table, int width) {
  std::vector<int> wanted;
  int rest = width - table.style()->pixelMetric(QStyle::PM_ScrollBarExtent);
  for (int column = 0; column < table.model()->columnCount(); ++column) {
    table.resizeColumnToContents(column);
    wanted.push_back(table.columnWidth(column));
    const int widest = column == SurveyRows::PictureColumn ? widestPictureColumn : widestColumn;
    table.setColumnWidth(column, std::min(wanted.back(), widest));
    rest -= table.columnWidth(column);
  }
  for (int column = 0; column < table.model()->columnCount(); ++column) {
    const int lacking = wanted[static_cast<std::size_t>(column)] - table.columnWidth(column);
    const int given = std::clamp(rest, 0, lacking);
    table.setColumnWidth(column, table.columnWidth(column) + given);
    rest -= given;
  }
}

}  // namespace

SurveyPage::SurveyPage(Workspace& workspace, QWidget* parent)
    : AnalysisPage(workspace, tr("Survey"), parent),
      source_(std::make_shared<SurveySource>()),
      controls_(new SurveyControls(this)),
      open_(new QPushButton(tr("Open a survey…"))),
      content_(new QSplitter(Qt::Vertical)),
      board_(new PlotBoard),
      table_(new QTableView),
      rows_(new SurveyRows(this)),
      gallery_(new SurveyGallery),
      looks_(workspace.worker(), [this] { showNow(); }),
      orders_(workspace.worker(), [this] { showNow(); }) {
  addBar();
  makeContent();
  const auto takeMemory = [this] {
    gallery_->setMemory(qint64{workspace_.compute().thumbnailMemory} << 20);
  };
  takeMemory();
  connect(&workspace, &Workspace::computeChanged, this, takeMemory);
  connect(controls_, &SurveyControls::changed, this, &SurveyPage::choose);
  connect(board_, &PlotBoard::hovered, this, &Page::readOut);
  connect(board_, &PlotBoard::left, this, [this] { Q_EMIT readOut({}); });
  connect(board_, &PlotBoard::pointHovered, this, &SurveyPage::tellPoint);
  connect(board_, &PlotBoard::pointChosen, this, &SurveyPage::choosePoint);
  connect(gallery_, &SurveyGallery::chosen, this, &SurveyPage::follow);
  connect(gallery_, &SurveyGallery::hovered, this, &SurveyPage::tell);
  connect(gallery_, &SurveyGallery::closed, gallery_, &QWidget::hide);
  connect(rows_, &SurveyRows::sortWanted, this, [this](int column, Qt::SortOrder order) {
    sortColumn_ = column;
    sortOrder_ = order;
    sortRows();
  });
  connect(table_, &QTableView::activated, this,
          [this](const QModelIndex& index) { follow(rows_->point(index.row())); });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &SurveyPage::showSelection);
}

void SurveyPage::addBar() {
  open_->setAccessibleName(tr("Open a survey"));
  open_->setToolTip(tr("Opens a .survey file"));
  for (QWidget* widget : controls_->widgets()) addControl(widget);
  auto* measure = new QPushButton(tr("New survey…"));
  measure->setAccessibleName(tr("New survey"));
  measure->setToolTip(tr("Measures the open models on a folder of pictures"));
  addControl(open_);
  addControl(measure);
  connect(measure, &QPushButton::clicked, this, &SurveyPage::newWanted);
  connect(open_, &QPushButton::clicked, this, &SurveyPage::openWanted);
}

void SurveyPage::makeContent() {
  prepareTable(*table_, rows_);
  auto* views = new QStackedWidget;
  views->addWidget(board_);
  views->addWidget(table_);
  content_->setChildrenCollapsible(false);
  content_->addWidget(views);
  content_->addWidget(gallery_);
  content_->setStretchFactor(0, 1);
  content_->setStretchFactor(1, 0);
  gallery_->hide();
  setContent(content_);
}

SurveyRequest SurveyPage::request() const {
  const SurveySettings& settings = workspace_.analysis().settings().of<SurveySettings>();
  SurveyRequest request;
  request.file = settings.file;
  request.reading = settings.reading;
  // The table shows all values, also where the chosen view cannot be drawn.
  request.show = settings.table && !takesTwoMeasures(settings.show) ? SurveyShow::Distributions
                                                                    : settings.show;
  request.question.measure = settings.measure;
  if (takesTwoMeasures(settings.show)) request.question.against = settings.against;
  request.question.byClass = settings.byClass && !settings.table;
  if (!settings.model.empty()) request.question.models = {settings.model};
  if (!settings.layer.empty()) request.question.layers = {settings.layer};
  if (settings.head) request.question.heads = {*settings.head};
  return request;
}

void SurveyPage::choose() {
  // The gallery shows pictures of the previous view.
  gallery_->hide();
  change([this](AnalysisSettings& settings) {
    settings.of<SurveySettings>() = controls_->chosen(settings.of<SurveySettings>());
  });
  showNow();
}

void SurveyPage::showControls(const SurveyView* view) {
  SurveySettings settings = workspace_.analysis().settings().of<SurveySettings>();
  const bool answered = view && view->answer.measure >= 0;
  if (settings.measure.empty() && answered) settings.measure = view->answer.firstMeasure().name;
  controls_->show(settings, view ? view->index.get() : nullptr);
}

void SurveyPage::retry() {
  looks_.retry();
  orders_.retry();
}

void SurveyPage::showRunning() {
  running_.reset();
  for (const Jobs::Job& job : workspace_.jobs().all()) {
    if (job.isProcess && job.isActive() && job.text.page == QStringLiteral("survey")) {
      running_ = job;
    }
  }
  offerJob(running_);
}

void SurveyPage::showNow() {
  const SurveySettings& settings = workspace_.analysis().settings().of<SurveySettings>();
  showRunning();
  if (settings.file.empty()) {
    shown_.reset();
    showControls(nullptr);
    if (running_) {
      showWords(tr("%1 is being measured").arg(running_->text.about),
                running_->step + tr("\nIt continues while you look at other pages, and is shown "
                                    "here once every picture is measured."));
      return;
    }
    showWords(
        tr("No survey is open"),
        tr("A survey measures every picture of a folder: how far each head looks, how widely, "
           "how much of the residual stream it is, and what the model answers. One picture "
           "is an example; many are evidence.\n\nMeasure the open models with “New survey…”, or "
           "anywhere with “softscope survey -m MODEL FOLDER -o FILE.survey”, whose file you can "
           "drop on this window."));
    return;
  }
  const SurveyRequest wanted = request();
  looks_.get(wanted, tr("Reading the survey"),
             [wanted, source = source_](const Progress& progress) {
               return source->view(wanted, progress);
             });
  const std::shared_ptr<const SurveyView> view = looks_.shared();
  const bool isOfFile =
      shown_ && shown_->request.file == wanted.file && shown_->request.reading == wanted.reading;
  if (view) {
    showView(view);
  } else if (isOfFile && shown_->failure.isEmpty() && workspace_.worker().isBusy()) {
    // The previous view stays until the new one is complete.
    showControls(shown_.get());
  } else {
    showControls(isOfFile ? shown_.get() : nullptr);
    showWaiting();
  }
}

void SurveyPage::showView(const std::shared_ptr<const SurveyView>& view) {
  const SurveySettings& settings = workspace_.analysis().settings().of<SurveySettings>();
  showControls(view.get());
  const bool isNew = view != shown_;
  shown_ = view;
  if (!view->failure.isEmpty()) {
    showWords(
        view->index ? tr("This survey has nothing to show") : tr("This survey cannot be read"),
        view->failure);
    return;
  }
  if (isNew) gallery_->hide();
  auto* views = static_cast<QStackedWidget*>(content_->widget(0));
  if (settings.table) {
    const bool columns =
        !rows_->view() || (rows_->view()->answer.against < 0) != (view->answer.against < 0);
    rows_->setView(view);
    if (columns) setColumnWidths(*table_, views->width());
    sortRows();
    views->setCurrentWidget(table_);
  } else {
    board_->setPlots(view->drawing.plots);
    views->setCurrentWidget(board_);
  }
  const QString file = QFileInfo(QString::fromStdString(settings.file)).fileName();
  const QString part = QString::fromStdString(view->index->partText());
  const QString about =
      settings.table
          ? (part.isEmpty() ? part : part + QStringLiteral(" · ")) +
                tr("%L1 values · a double click opens the picture at that head; selected rows "
                   "are shown below")
                    .arg(rows_->rowCount())
          : view->drawing.about;
  QStringList parts{about};
  if (const QString passedOver = passedOverText(*view->index); !passedOver.isEmpty()) {
    parts += passedOver;
  }
  if (running_) {
    parts += tr("%1 is being measured: %2").arg(running_->text.about, running_->step);
  }
  showContent(parts.join(QStringLiteral(" · ")), file);
}

void SurveyPage::sortRows() {
  if (sortColumn_ < 0 || !shown_ || rows_->view() != shown_.get()) return;
  if (sortColumn_ >= rows_->columnCount()) return;
  const Sorting wanted{shown_, sortColumn_, sortOrder_};
  orders_.get(wanted, tr("Sorting"), [wanted](const Progress& progress) {
    return sortedRows(wanted.view->answer, wanted.column, wanted.order, progress);
  });
  if (const auto order = orders_.shared()) rows_->setOrder(order);
}

const SurveyPoint* SurveyPage::pointAt(int plot, int curve, int index) const {
  if (!shown_ || !showsContent()) return nullptr;
  const auto& points = shown_->drawing.points[static_cast<std::size_t>(plot)];
  const auto& of = points[static_cast<std::size_t>(curve)];
  const auto i = static_cast<std::size_t>(index);
  return i < of.size() ? &of[i] : nullptr;
}

void SurveyPage::tellPoint(int plot, int curve, int index) {
  if (const SurveyPoint* point = pointAt(plot, curve, index)) tell(*point);
}

void SurveyPage::tell(const SurveyPoint& point) {
  const SurveyAnswer& answer = shown_->answer;
  const SurveySeries& series = answer.series[point.series];
  QString text = QString::fromStdString(surveyPlaceText(answer, series, point.index)) +
                 QStringLiteral(": ") + valueText(series.values.values[point.index], 4);
  if (!series.against.empty()) {
    text += tr(", against %1").arg(valueText(series.against[point.index], 4));
  }
  Q_EMIT readOut(text);
}

void SurveyPage::choosePoint(int plot, int curve, int index) {
  if (!shown_) return;
  if (shown_->request.show == SurveyShow::Histogram) {
    showBar(plot, index);
  } else if (const SurveyPoint* point = pointAt(plot, curve, index)) {
    follow(*point);
  }
}

void SurveyPage::follow(const SurveyPoint& point) {
  Q_EMIT placeWanted(surveyPlace(shown_->answer, shown_->answer.series[point.series], point.index));
}

void SurveyPage::showBar(int plot, int bin) {
  const SurveyAnswer& answer = shown_->answer;
  const std::vector<SurveyHistogram> histograms = histogramsOf(answer);
  const SurveyHistogram& of = histograms[static_cast<std::size_t>(plot)];
  std::vector<SurveyPoint> points;
  for (std::size_t s = 0; s < answer.series.size(); ++s) {
    const SurveySeries& series = answer.series[s];
    if (series.unit.model != of.model || series.ofClass != of.ofClass) continue;
    for (std::size_t i = 0; i < series.values.values.size(); ++i) {
      if (of.histogram.binOf(series.values.values[i]) == bin) points.push_back({s, i});
    }
  }
  if (points.empty()) return;
  const QString title =
      tr("%1 from %2 to %3")
          .arg(board_->plot(plot).plot().title, valueText(of.histogram.edge(bin), 4),
               valueText(of.histogram.edge(bin + 1), 4));
  gallery_->setPoints(shown_, std::move(points), title);
  gallery_->show();
}

void SurveyPage::showSelection() {
  if (rows_->view() != shown_.get()) return;
  std::vector<SurveyPoint> points;
  std::size_t count = 0;
  for (const QItemSelectionRange& range : table_->selectionModel()->selection()) {
    count += static_cast<std::size_t>(range.height());
    for (int row = range.top(); row <= range.bottom(); ++row) {
      if (points.size() > SurveyGallery::mostShown) break;
      points.push_back(rows_->point(row));
    }
  }
  if (points.empty()) {
    gallery_->hide();
    return;
  }
  points.resize(std::min(points.size(), SurveyGallery::mostShown));
  const QString title =
      count > points.size()
          ? tr("The first %1 of %L2 selected values").arg(points.size()).arg(count)
          : tr("Selected values: %1").arg(count);
  gallery_->setPoints(shown_, std::move(points), title);
  gallery_->show();
}

bool SurveyPage::hasFigure() const {
  return showsContent() && shown_ && shown_->failure.isEmpty() &&
         !workspace_.analysis().settings().of<SurveySettings>().table && shown_ == looks_.shared();
}

std::optional<PageFigure> SurveyPage::figure() const {
  if (!hasFigure()) return std::nullopt;
  const std::shared_ptr<const SurveyView> view = shown_;
  const SurveyRequest& of = view->request;
  AnalysisCommand command{
      "survey", {of.file, "--measure", view->answer.firstMeasure().name}, false};
  const auto add = [&](const std::string& option, const std::string& value) {
    command.options.insert(command.options.end(), {option, value});
  };
  if (view->answer.against >= 0) add("--against", view->answer.secondMeasure().name);
  if (of.question.byClass) add("--by", "class");
  for (const std::string& model : of.question.models) add("-m", model);
  // A choice of layers or heads stays while a measure of whole models or layers is shown.
  SurveyIndex::Scope scope = view->answer.firstMeasure().scope;
  if (view->answer.against >= 0) scope = std::max(scope, view->answer.secondMeasure().scope);
  if (scope != SurveyIndex::Scope::Model) {
    for (const std::string& layer : of.question.layers) add("--layer", layer);
  }
  if (scope == SurveyIndex::Scope::Head) {
    for (const int head : of.question.heads) add("--head", std::to_string(head));
  }
  addOptions(command, surveySettings, workspace_.analysis().settings().of<SurveySettings>());
  PageFigure page =
      pageFigure(QStringLiteral("survey"), surveyFigure(view->answer, of.show), {}, command);
  page.table = [view] { return surveyFigureTable(view->answer, view->request.show); };
  return page;
}

}  // namespace softscope
