#include "widgets/pages/deletion/DeletionPage.h"

#include "core/analysis/deletion/DeletionAnalysis.h"
#include "widgets/analysis/DeletionFigure.h"
#include "widgets/controls/ScrolledContent.h"
#include "widgets/pages/PicturePanels.h"
#include "widgets/paint/ValueText.h"
#include "widgets/plot/PlotBoard.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace softscope {
namespace {

constexpr int lowestPictures = 180;

}  // namespace

DeletionPage::DeletionPage(Workspace& workspace, QWidget* parent)
    : AnalysisPage(workspace, tr("Deletion"), parent) {
  setContent(makeContent());
  addSettings(deletionSettings, controls_);
  makeClasses();
}

QWidget* DeletionPage::makeContent() {
  // A splitter is used because a layout around the legend would take its preferred height and
  // scroll unnecessarily.
  auto* content = new QSplitter(Qt::Vertical, this);
  content->setAccessibleName(tr("Curves and pictures"));
  content->setChildrenCollapsible(false);
  board_ = new PlotBoard(content);
  content->addWidget(makePictures());
  content->setSizes({300, 240});
  connect(board_, &PlotBoard::hovered, this, &Page::readOut);
  connect(board_, &PlotBoard::left, this, [this] { Q_EMIT readOut({}); });
  connect(board_, &PlotBoard::curveChosen, this, [this](int, int curve) { chooseCurve(curve); });
  scroll_ = new ScrolledContent(
      tr("Curves and pictures"), content,
      [this](int width) {
        board_->setMinimumHeight(board_->leastHeight(width));
        pictures_->setMinimumHeight(std::max(lowestPictures, pictures_->leastHeight(width)));
      },
      this);
  return scroll_;
}

QWidget* DeletionPage::makePictures() {
  auto* part = new QWidget(this);
  orders_ = new QComboBox(part);
  orders_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  orders_->setAccessibleName(tr("Order of the pictures"));
  orders_->setToolTip(
      tr("In whose order patches are removed below; a click on a curve chooses it"));
  auto* label = new QLabel(tr("Removed by"), part);
  label->setBuddy(orders_);
  pictures_ = new HeadGrid(part);
  pictures_->setAccessibleName(tr("Pictures with patches removed"));
  pictures_->setAccessibleDescription(
      tr("What the model sees with 10, 25 and 50 % of the patches removed"));
  auto* line = new QHBoxLayout;
  line->setContentsMargins(14, 0, 14, 0);
  line->addWidget(label);
  line->addWidget(orders_);
  line->addStretch(1);
  auto* column = new QVBoxLayout(part);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addLayout(line);
  column->addWidget(pictures_, 1);
  connect(orders_, &QComboBox::activated, this, &DeletionPage::showPictures);
  connectMenu(*pictures_, *this, workspace_);
  connect(pictures_, &HeadGrid::hovered, this, [this](int panel, int, int) { readPicture(panel); });
  connect(pictures_, &HeadGrid::left, this, [this] { Q_EMIT readOut({}); });
  return part;
}

void DeletionPage::makeClasses() {
  QComboBox* box = addChoice(tr("Class"), {}, tr("The class whose probability is followed"));
  classes_.emplace(box, tr("Predicted class"));
  connect(box, &QComboBox::activated, this, [this](int row) {
    change([row](AnalysisSettings& settings) {
      settings.of<DeletionSettings>().classIndex = ClassList::classInRow(row);
    });
  });
}

std::optional<DeletionPage::Subject> DeletionPage::subject() const {
  const OpenedModel* opened = workspace_.models().current();
  if (!opened || !opened->shownLayer()) return std::nullopt;
  return Subject{runOf(workspace_, *opened), opened->layer,
                 workspace_.analysis().settings().of<DeletionSettings>()};
}

void DeletionPage::measure() {
  const std::optional<Subject> wanted = subject();
  const std::optional<AnalysedLayer> layer = analysedLayer(workspace_.models());
  if (!wanted || !layer || !workspace_.engine().measureDeletion) return;
  const OpenedModel& opened = *workspace_.models().current();
  workspace_.jobs().start<PictureDeletion>(
      *wanted, pageJobText(workspace_, opened, QStringLiteral("deletion"), tr("Deletion")),
      [layer = *layer, settings = wanted->settings, measurer = workspace_.engine().measureDeletion,
       shareMeasurer = workspace_.engine().measureShare,
       classMaps = workspace_.engine().measureClassMaps, model = opened.model,
       input = inputOf(opened, workspace_.picture().shared())](
          const Progress& progress, const Jobs::Teller<PictureDeletion>& tell) {
        const auto fed = std::make_shared<const InputTensor>(input());
        const SharesOf shares = [&](const AnalysedLayer&) {
          return shareMeasurer ? shareMeasurer(*model, *fed, {.knockouts = false, .layers = {}},
                                               progress.silent())
                               : nullptr;
        };
        return computeDeletion({layer}, *model, fed, settings, {measurer, shares, classMaps},
                               progress, tell);
      });
}

void DeletionPage::showNow() {
  const DeletionSettings settings = workspace_.analysis().settings().of<DeletionSettings>();
  controls_.show(settings);
  const std::optional<Subject> wanted = subject();
  isWhole_ = false;
  if (!wanted) {
    offerJob({});
    return;
  }
  classes_->show(workspace_.models().current()->model, settings.classIndex);
  if (showsNoEngine(workspace_.engine().measureDeletion != nullptr, tr("No curves"))) return;
  auto known = workspace_.jobs().find<PictureDeletion>(*wanted);
  if (!known.job) {
    measure();
    known = workspace_.jobs().find<PictureDeletion>(*wanted);
    if (!known.job) return;
  }
  offerJob(known.job);
  const std::shared_ptr<const PictureDeletion> deletion = known.result ? known.result : known.soFar;
  if (!deletion) {
    showJob(*known.job);
  } else if (!deletion->obstacle.empty()) {
    showWords(tr("No curves"), QString::fromStdString(deletion->obstacle));
  } else {
    isWhole_ = known.result != nullptr;
    showCurves(deletion, isWhole_ ? QString() : jobStateText(*known.job));
  }
}

void DeletionPage::showCurves(std::shared_ptr<const PictureDeletion> deletion,
                              const QString& state) {
  const AnalysedLayer layer = *analysedLayer(workspace_.models());
  const bool isDrawn = shown_ && drawn_.lock() == deletion && shown_->model == layer.model &&
                       shown_->mechanismNote == layer.mechanismNote;
  if (!isDrawn) {
    drawn_ = deletion;
    // The model may have been renamed since.
    auto named = std::make_shared<PictureDeletion>(*deletion);
    named->model = layer.model;
    named->mechanismNote = layer.mechanismNote;
    shown_ = named;
  }
  const QString about = deletionText(*shown_);
  // Shown before the panels are arranged, because a hidden widget does not have its final size.
  showContent(state.isEmpty() ? about : state + captionSeparator + about);
  if (isDrawn) return;
  board_->setPlots(deletionPlots(*shown_));
  scroll_->fit();
  const QString before = orders_->currentText();
  const QSignalBlocker quiet(orders_);
  orders_->clear();
  for (std::size_t i = 0; i < std::min(shown_->orders.size(), shown_->maps() + 1); ++i) {
    orders_->addItem(orderTitle(*shown_, shown_->orders[i]));
  }
  orders_->setCurrentIndex(std::max(0, orders_->findText(before)));
  showPictures();
}

void DeletionPage::showPictures() {
  if (!shown_ || orders_->currentIndex() < 0) return;
  pictures_->setPanels(deletionPanels(*shown_, static_cast<std::size_t>(orders_->currentIndex())),
                       seenPicture(workspace_));
}

void DeletionPage::chooseCurve(int curve) {
  if (!shown_) return;
  const auto maps = static_cast<int>(shown_->maps());
  const bool hasRandom = shown_->orders.size() > shown_->maps();
  // The first curve is the mean of the random orders' band, and the first random order is the last
  // entry of the list.
  const int row = !hasRandom ? curve : curve == 0 ? maps : curve - 1;
  orders_->setCurrentIndex(row);
  showPictures();
}

void DeletionPage::readPicture(int panel) {
  if (!shown_) return;
  Q_EMIT readOut(deletionPictureText(*shown_, static_cast<std::size_t>(orders_->currentIndex()),
                                     static_cast<std::size_t>(panel)));
}

void DeletionPage::releaseResults() {
  pictures_->clear();
  shown_.reset();
  drawn_.reset();
}

std::optional<PageFigure> DeletionPage::figure() const {
  if (!hasFigure()) return std::nullopt;
  const DeletionSettings settings = shown_->settings;
  const std::string layer = analysedLayer(workspace_.models())->layer().name;
  AnalysisCommand command{"deletion", {"--layer", layer}};
  addOptions(command, deletionSettings, settings);
  addOptions(command, followedClassSettings, settings);
  PageFigure page =
      pageFigure(QStringLiteral("deletion"), deletionFigure({*shown_}),
                 {static_cast<std::size_t>(workspace_.models().currentIndex())}, command);
  page.table = [shown = shown_] { return deletionTable({*shown}); };
  return page;
}

}  // namespace softscope
