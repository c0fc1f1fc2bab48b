#include "app/window/contents/SidePanels.h"

#include "core/analysis/classmap/ClassAnalysis.h"
#include "core/inspect/LayerMap.h"
#include "core/network/Device.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/panels/LayerTree.h"
#include "widgets/panels/ModelPanel.h"
#include "widgets/panels/PictureStrip.h"
#include "widgets/panels/PinStrip.h"
#include "widgets/panels/PredictionList.h"
#include "widgets/panels/ViewPanel.h"
#include "widgets/views/PictureView.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QMenu>
#include <QtWidgets/QVBoxLayout>

#include <utility>

namespace softscope {
namespace {

std::vector<PredictionList::Line> predictionLines(const OpenedModel& opened) {
  // More than a panel has room for.
  constexpr int most = 40;
  std::vector<PredictionList::Line> lines;
  for (const Prediction& prediction : topPredictions(opened.inspection->logits, most)) {
    lines.push_back({className(opened.summary(), prediction.classIndex), prediction});
  }
  return lines;
}

/// Describes the size at which a recording was made, and its picture.
QString recordedText(const OpenedModel& opened, const Picture* picture) {
  const ModelSummary& summary = opened.summary();
  const QString size = SidePanels::tr("Recorded at %1 × %2")
                           .arg(summary.transform.height)
                           .arg(summary.transform.width);
  if (summary.recorded->isInFile) return size;
  return picture && picture->isSheet
             ? SidePanels::tr("Recorded without a picture: a patch counts as 16 pixels")
             : size + SidePanels::tr(" without a picture; laid over the one that is open");
}

QString liveText(const Inspection& inspection) {
  return SidePanels::tr("Ran in Python; the answer took %1 s")
      .arg(valueText(inspection.seconds, 2));
}

QString runText(const Inspection& inspection) {
  return SidePanels::tr("Ran at %1 × %2 in %3 s on %4")
      .arg(inspection.inputHeight)
      .arg(inspection.inputWidth)
      .arg(valueText(inspection.seconds, 2), QString::fromStdString(inspection.device));
}

}  // namespace

SidePanels::SidePanels(Workspace& workspace, QObject* parent)
    : QObject(parent),
      workspace_(workspace),
      picture_(new QWidget),
      pictureView_(new PictureView),
      strip_(new PictureStrip),
      pins_(new PinStrip),
      predictions_(new PredictionList),
      model_(new ModelPanel),
      layers_(new LayerTree),
      view_(new ViewPanel) {
  layOutPicture();
  connectPicture();
  connectModel();
  connectView();
  followWorkspace();
}

void SidePanels::layOutPicture() {
  auto* column = new QVBoxLayout(picture_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(pictureView_, 1);
  column->addWidget(strip_);
  column->addWidget(pins_);
}

DockContents SidePanels::contents() const {
  const auto pictureHeight = [this](int width) {
    const int picture = pictureView_->heightAt(width);
    if (picture == 0) return 0;
    int height = picture;
    for (const QWidget* strip : {static_cast<QWidget*>(strip_), static_cast<QWidget*>(pins_)}) {
      if (strip->isHidden()) continue;
      height +=
          strip->hasHeightForWidth() ? strip->heightForWidth(width) : strip->sizeHint().height();
    }
    return height;
  };
  return {picture_, predictions_, model_, layers_, view_, pictureHeight};
}

void SidePanels::followWorkspace() {
  connect(&workspace_.picture(), &OpenedPicture::changed, this, &SidePanels::showPicture);
  connect(&workspace_.models(), &OpenModels::inspectionChanged, this, &SidePanels::showModel);
  connect(&workspace_.models(), &OpenModels::layerChanged, this, &SidePanels::showLayer);
  connect(&workspace_.models(), &OpenModels::layerChanged, this, &SidePanels::showChannels);
  connect(&workspace_.view(), &ViewChoice::changed, this, &SidePanels::showView);
  connect(&workspace_.worker(), &Worker::busyChanged, this, [this](bool busy) {
    pictureView_->setReading(workspace_.worker().isBusy(Worker::Kind::Picture));
    // A combo box shows the requested value; after a failure, show the actual one again.
    if (busy) return;
    showModelPanel();
    // So does the tree of layers, after a choice that was cancelled.
    showLayer();
    strip_->setPicture(workspace_.picture().get());
  });
}

void SidePanels::connectPicture() {
  AskedQueries& queries = workspace_.queries();
  connect(pictureView_, &PictureView::pressed, &queries, &AskedQueries::ask);
  connect(pictureView_, &PictureView::dragged, &queries, &AskedQueries::drag);
  connect(pictureView_, &PictureView::pinned, &queries, &AskedQueries::pin);
  connect(pictureView_, &PictureView::stepped, &queries, &AskedQueries::step);
  connect(pictureView_, &PictureView::zoomed, &workspace_.view(), &ViewChoice::zoom);
  connect(pictureView_, &PictureView::hovered, this, [this](const Patch& patch) {
    Q_EMIT readOut(tr("patch (%1, %2)").arg(patch.row).arg(patch.column));
  });
  connect(pictureView_, &PictureView::menuWanted, this, &SidePanels::showPictureMenu);
  connect(pictureView_, &PictureView::missed, this, [this] {
    Q_EMIT readOut(
        tr("The model does not see this part of the picture; click inside the bright part"));
  });
  connect(pictureView_, &PictureView::left, this, [this] { Q_EMIT readOut({}); });
  connect(strip_, &PictureStrip::readingChosen, &workspace_.picture(), &OpenedPicture::setReading);
  connect(strip_, &PictureStrip::rangeRefused, this, [this](const QString& text) {
    Q_EMIT refused(tr("“%1” is no range of values; give full, auto or LOW,HIGH (0 ≤ LOW < HIGH ≤ "
                      "65535)")
                       .arg(text));
  });
  connect(pins_, &PinStrip::chosen, &queries, [&queries](int index) {
    // The strip is drawn later than a pin goes.
    const auto pin = static_cast<std::size_t>(index);
    if (pin < queries.pins().size()) queries.ask(queries.pins()[pin]);
  });
  connect(pins_, &PinStrip::removed, &queries, &AskedQueries::unpin);
  connect(pins_, &PinStrip::cleared, &queries, &AskedQueries::clearPins);
  connect(predictions_, &PredictionList::chosen, this, &SidePanels::showClass);
}

void SidePanels::showClass(int classIndex) {
  chooseLogit(workspace_, {.classIndex = classIndex});
  // Other maps are not of a class.
  if (!shownLogit(workspace_)) workspace_.setPage(QString::fromUtf8(ClassAnalysis::about.name));
}

void SidePanels::showPictureMenu(const QPoint& globalPlace,
                                 const std::optional<PictureQuery>& place) {
  QMenu menu;
  const QAction* ask = menu.addAction(tr("Ask this patch"));
  const QAction* pin = menu.addAction(tr("Pin this patch"));
  const QAction* copy = menu.addAction(tr("Copy as option of a command"));
  for (QAction* action : menu.actions()) action->setEnabled(place.has_value());
  menu.addSeparator();
  const QAction* whole = menu.addAction(tr("Show the whole picture"));
  const Picture* picture = workspace_.picture().get();
  QAction* stretched = menu.addAction(tr("Stretch from the smallest to the largest value"));
  stretched->setCheckable(true);
  stretched->setEnabled(picture && picture->source.bits > 0);
  stretched->setChecked(picture && picture->source.reading.range.kind != SampleRange::Kind::Full);
  const QAction* chosen = menu.exec(globalPlace);
  if (!chosen) return;
  if (chosen == ask) workspace_.queries().ask(*place);
  if (chosen == pin) workspace_.queries().pin(*place);
  if (chosen == copy) {
    QGuiApplication::clipboard()->setText(
        QStringLiteral("--at %1,%2").arg(place->x, 0, 'g', 4).arg(place->y, 0, 'g', 4));
  }
  if (chosen == stretched) stretchPicture(stretched->isChecked());
  if (chosen == whole) workspace_.view().setVisible({0, 0, 1, 1});
}

void SidePanels::stretchPicture(bool stretched) {
  const Picture* picture = workspace_.picture().get();
  if (!picture) return;
  PictureReading reading = picture->source.reading;
  reading.range = {stretched ? SampleRange::Kind::Auto : SampleRange::Kind::Full};
  workspace_.picture().setReading(reading);
}

void SidePanels::connectModel() {
  ModelQueue& queue = workspace_.queue();
  connect(layers_, &LayerTree::layerChosen, &workspace_.layers(), &ShownLayers::choose);
  connect(model_, &ModelPanel::mechanismChosen, &queue, &ModelQueue::setAttention);
  connect(model_, &ModelPanel::landmarksChosen, &queue, &ModelQueue::setLandmarks);
  connect(model_, &ModelPanel::headsChosen, &queue, &ModelQueue::setHeads);
  connect(model_, &ModelPanel::settingChosen, &queue, &ModelQueue::setSetting);
  connect(model_, &ModelPanel::inputSizeChosen, &queue, &ModelQueue::setInputSize);
  connect(model_, &ModelPanel::deviceChosen, &queue, &ModelQueue::setDevice);
  connect(model_, &ModelPanel::inputSizeRefused, this, [this](const QString& text) {
    Q_EMIT refused(
        tr("“%1” is no size of an input; give N, H×W (sides from 8 to 8192) or full").arg(text));
  });
}

void SidePanels::connectView() {
  ViewChoice& view = workspace_.view();
  connect(view_, &ViewPanel::viewChosen, &view, &ViewChoice::set);
  connect(view_, &ViewPanel::overHeadsChosen, &view, &ViewChoice::setOverHeads);
  connect(view_, &ViewPanel::channelChosen, &view, &ViewChoice::setChannel);
}

void SidePanels::showPicture() {
  pictureView_->setPicture(workspace_.picture().image());
  pictureView_->setReading(workspace_.worker().isBusy(Worker::Kind::Picture));
  strip_->setPicture(workspace_.picture().get());
}

void SidePanels::showModelPanel() {
  const OpenedModel* opened = workspace_.models().current();
  if (!opened) {
    model_->clearModel();
    return;
  }
  model_->setModel(opened->name(), opened->summary(), opened->wantedSize(), opened->request.device);
  if (!opened->inspection) {
    model_->setRun({});
  } else if (opened->summary().recorded) {
    model_->setRun(recordedText(*opened, workspace_.picture().get()));
  } else if (opened->summary().isLive) {
    model_->setRun(liveText(*opened->inspection));
  } else {
    model_->setRun(runText(*opened->inspection));
  }
}

void SidePanels::showModel() {
  const OpenedModel* opened = workspace_.models().current();
  // Not before a model has run: listing the devices loads LibTorch, and the window must be drawn
  // before that. Their free memory changes with each run.
  if (opened && opened->inspection) model_->setDevices(availableDevices());
  showModelPanel();
  if (opened) {
    layers_->setLayers(opened->summary(), opened->inspection.get());
  } else {
    layers_->clearLayers();
  }
  showPredictions();
  showLayer();
}

void SidePanels::showLayer() {
  const OpenedModel* opened = workspace_.models().current();
  if (opened) layers_->setCurrentLayer(opened->layer);
}

void SidePanels::showPredictions() {
  const OpenedModel* opened = workspace_.models().current();
  if (!opened || !opened->inspection) {
    predictions_->setMessage(tr("What the model thinks the picture shows."));
  } else if (opened->inspection->logits.empty()) {
    const ModelSummary& summary = opened->summary();
    predictions_->setMessage(summary.recorded ? tr("No predictions: the recording has no logits.")
                             : summary.isLive ? tr("No predictions: Python sent no logits.")
                                              : tr("No predictions: this is a backbone."));
  } else if (const auto lines = predictionLines(*opened); !lines.empty()) {
    predictions_->setLines(lines);
  } else {
    predictions_->setMessage(tr("No predictions: the logits are not finite."));
  }
}

void SidePanels::showView() {
  const ViewChoice& view = workspace_.view();
  view_->setView(view.settings(), view.overHeads());
  showChannels();
  pictureView_->setVisiblePart(view.visible());
}

void SidePanels::showChannels() {
  const LayerInspection* layer = workspace_.models().shownLayer();
  view_->setChannels(workspace_.view().channel(), layer ? channelsOf(*layer) : 0);
}

void SidePanels::showQueries() {
  const AskedQueries& queries = workspace_.queries();
  std::vector<MarkedQuery> pins = queries.marked();
  pins.resize(queries.pins().size());
  pins_->setPins(pins);
  pictureView_->setPins(std::move(pins));
  pictureView_->setGrid(queries.extent(), queries.grid());
  pictureView_->setQuery(queries.query(), queries.asksPatch());
}

void SidePanels::setFollowedView(const std::optional<FollowedView>& followed) {
  view_->setFollowed(followed);
}

void SidePanels::setPointed(const std::vector<PictureMark>& marks) {
  pictureView_->setPointed(marks);
}

}  // namespace softscope
