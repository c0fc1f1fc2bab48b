#include "widgets/pages/ClassPage.h"

#include "widgets/analysis/PatchFigures.h"
#include "widgets/pages/PicturePanels.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenSubjects.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>

namespace softscope {

ClassPage::ClassPage(Workspace& workspace, QWidget* parent)
    : AnalysisPage(workspace, tr("Class"), parent),
      atLayer_(nullptr),
      classes_(addChoice(tr("Class"), {}, tr("The class that patches speak for")),
               tr("Predicted class")),
      others_(
          addChoice(tr("Against"), {},
                    tr("A second class, whose maps are shown with the difference to the first")),
          tr("No other class")),
      maps_(new HeadGrid(this)),
      answers_(workspace.worker(), [this] { showNow(); }) {
  maps_->setAccessibleName(tr("Class maps"));
  maps_->setAccessibleDescription(tr("Which patches of the picture speak for the class"));
  setContent(maps_);
  addSettings(classMapSettings, controls_);
  atLayer_ = addSwitch(settingText(mappedClassSettings, "atLayer"));
  connectZoom(*maps_, workspace_);
  connectMenu(*maps_, *this, workspace_);
  connect(maps_, &HeadGrid::hovered, this, &ClassPage::readValue);
  connect(maps_, &HeadGrid::left, this, [this] { Q_EMIT readOut({}); });
  connect(classes_.box(), &QComboBox::activated, this, [this](int row) {
    change([row](AnalysisSettings& settings) {
      settings.of<ClassMapSettings>().classIndex = ClassList::classInRow(row);
    });
  });
  connect(others_.box(), &QComboBox::activated, this, [this](int row) {
    change([row](AnalysisSettings& settings) {
      settings.of<ClassMapSettings>().against = ClassList::classInRow(row);
    });
  });
  connect(atLayer_, &QCheckBox::toggled, this, [this](bool on) {
    change([on](AnalysisSettings& settings) { settings.of<ClassMapSettings>().atLayer = on; });
  });
}

void ClassPage::takePicture() {
  AnalysisPage::takePicture();
  seenPicture_ = seenPicture(workspace_);
}

const ClassPage::Answer* ClassPage::computed(const AnalysedLayer& layer,
                                             const ClassMapSettings& settings) {
  const OpenedModel& opened = *workspace_.models().current();
  // Without the switch, all layers of the model share one answer.
  AnalysedLayer subject = layer;
  if (!settings.atLayer) subject.index = 0;
  return answers_.get(
      {subject, settings}, tr("Differentiating"),
      [layer, settings, measurer = workspace_.engine().measureClassMaps, model = opened.model,
       input = inputOf(opened, workspace_.picture().shared())](const Progress& progress) {
        Answer answer;
        answer.obstacle = obstacleOf([&] {
          answer.maps = computeClassMaps(layer, *model, input(), settings, measurer, progress);
        });
        return answer;
      });
}

void ClassPage::showNow() {
  const ClassMapSettings settings = workspace_.analysis().settings().of<ClassMapSettings>();
  controls_.show(settings);
  {
    const QSignalBlocker quiet(atLayer_);
    atLayer_->setChecked(settings.atLayer);
  }
  shown_.reset();
  const std::optional<AnalysedLayer> layer = analysedLayer(workspace_.models());
  if (!layer) return;
  const std::shared_ptr<const Model>& model = workspace_.models().current()->model;
  classes_.show(model, settings.classIndex);
  others_.show(model, settings.against);
  const QString title = tr("No class map");
  if (showsNoEngine(workspace_.engine().measureClassMaps != nullptr, title)) return;
  const Answer* answer = computed(*layer, settings);
  if (!answer) {
    showWaiting();
    return;
  }
  if (!answer->maps) {
    showWords(title, QString::fromStdString(answer->obstacle));
    return;
  }
  shown_ = answers_.shared();
  std::vector<HeadPanel> panels = classPanels(*answer->maps, workspace_.view().settings());
  for (HeadPanel& panel : panels) panel.visible = workspace_.view().visible();
  // Shown before the panels are arranged, because a hidden widget does not have its final size.
  showContent(classText(*answer->maps, settings));
  maps_->setPanels(std::move(panels), seenPicture_);
}

void ClassPage::releaseResults() {
  maps_->clear();
  shown_.reset();
  answers_.keepIf(OpenSubjects(workspace_.models()));
}

std::optional<PageFigure> ClassPage::figure() const {
  if (!hasFigure()) return std::nullopt;
  const ClassMapSettings settings = workspace_.analysis().settings().of<ClassMapSettings>();
  const std::vector<ModelClassMaps> maps{*shown_->maps};
  AnalysisCommand command{"class", {}};
  if (settings.atLayer) {
    command.options = {"--layer", analysedLayer(workspace_.models())->layer().name};
  }
  const auto addClass = [&](int index) {
    command.options.insert(command.options.end(), {"--class", std::to_string(index)});
  };
  if (settings.classIndex || settings.against) addClass(maps.front().first.classIndex);
  if (settings.against) addClass(*settings.against);
  addOptions(command, classMapSettings, settings);
  const std::vector<std::string> options = viewOptions(workspace_.view().settings());
  command.options.insert(command.options.end(), options.begin(), options.end());
  PageFigure page = pageFigure(
      QStringLiteral("class"),
      classFigure(maps, settings, workspace_.picture().shared(), workspace_.view().settings()),
      {static_cast<std::size_t>(workspace_.models().currentIndex())}, command);
  page.arrays = [maps] { return classMapArrays(maps); };
  return page;
}

void ClassPage::readValue(int panel, int row, int column) {
  Q_EMIT readOut(patchText(maps_->view(panel).panel(), row, column));
}

}  // namespace softscope
