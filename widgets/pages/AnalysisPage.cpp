#include "widgets/pages/AnalysisPage.h"

#include "core/attention/Mechanism.h"
#include "widgets/controls/ClassChoice.h"
#include "widgets/controls/FlowLayout.h"
#include "widgets/controls/FoldedText.h"
#include "widgets/controls/MapChoice.h"
#include "widgets/controls/NameText.h"
#include "widgets/controls/ScrolledContent.h"
#include "widgets/controls/ToolTips.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QLocale>
#include <QtGui/QResizeEvent>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {

/// Returns the first layer of a model that has a bottleneck matrix; empty if there is none.
std::string layerWithBottleneck(const OpenedModel* model) {
  if (!model || !model->inspection) return {};
  for (const LayerSummary& layer : model->summary().layers) {
    const bool suits = traitsOf(layer.mechanism).bottleneck.has_value();
    if (suits && model->inspection->find(layer.name)) return layer.name;
  }
  return {};
}

}  // namespace

AnalysisPage::AnalysisPage(Workspace& workspace, const QString& name, QWidget* parent)
    : Page(workspace, parent),
      bar_(new QWidget(this)),
      jobButton_(new QPushButton(bar_)),
      about_(new FoldedText(this)),
      stack_(new QStackedWidget(this)),
      wordsPage_(new QWidget(this)),
      wordsTitle_(new QLabel(wordsPage_)),
      words_(new QLabel(wordsPage_)),
      again_(new QPushButton(tr("Compute"), wordsPage_)),
      cancel_(new QPushButton(tr("Cancel"), wordsPage_)),
      instead_(new QPushButton(wordsPage_)) {
  setAccessibleName(name);
  auto* flow = new FlowLayout(bar_);
  flow->setContentsMargins(12, 8, 12, 4);
  jobButton_->setFocusPolicy(Qt::TabFocus);
  jobButton_->setAccessibleName(tr("Stop measuring"));
  jobButton_->hide();
  addControl(jobButton_);
  connect(jobButton_, &QPushButton::clicked, this, [this] {
    if (offered_) {
      workspace_.jobs().stop(offered_);
    } else {
      computeAgain();
    }
  });
  makeWords();
  stack_->addWidget(wordsPage_);
  auto* head = new QWidget;
  auto* above = new QVBoxLayout(head);
  above->setContentsMargins(0, 0, 0, 0);
  above->setSpacing(0);
  above->addWidget(bar_);
  above->addWidget(about_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(new ScrolledHead(head, this));
  column->addWidget(stack_, 1);
}

void AnalysisPage::setContent(QWidget* content) {
  content_ = content;
  stack_->insertWidget(0, content);
  stack_->setCurrentWidget(content);
}

void AnalysisPage::makeWords() {
  words_->setObjectName(QStringLiteral("words"));
  QFont heading = font();
  heading.setPointSizeF(heading.pointSizeF() * 1.15);
  heading.setWeight(QFont::DemiBold);
  wordsTitle_->setFont(heading);
  for (QLabel* label : {wordsTitle_, words_}) {
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    label->setContentsMargins(40, 0, 40, 0);
  }
  again_->setAccessibleName(tr("Compute again"));
  auto* column = new QVBoxLayout(wordsPage_);
  column->setSpacing(10);
  column->addStretch(1);
  column->addWidget(wordsTitle_);
  column->addWidget(words_);
  column->addWidget(again_, 0, Qt::AlignHCenter);
  column->addWidget(cancel_, 0, Qt::AlignHCenter);
  column->addWidget(instead_, 0, Qt::AlignHCenter);
  cancel_->setAccessibleName(tr("Cancel what is being computed"));
  cancel_->setFocusPolicy(Qt::TabFocus);
  cancel_->hide();
  connect(cancel_, &QPushButton::clicked, &workspace_.queue(), &ModelQueue::cancel);
  connect(&workspace_.worker(), &Worker::progressed, this, &AnalysisPage::showProgress);
  instead_->setAccessibleName(tr("Show another model"));
  instead_->hide();
  connect(instead_, &QPushButton::clicked, this, [this] {
    // A copy, because the page forgets the layer once another is shown.
    const std::string layer = insteadLayer_;
    if (!layer.empty()) return workspace_.layers().choose(layer);
    const std::vector<OpenedModel>& all = workspace_.models().all();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].id == insteadId_) return workspace_.models().setCurrent(static_cast<int>(i));
    }
  });
  column->addStretch(1);
  connect(again_, &QPushButton::clicked, this, [this] {
    computeAgain();
    showNow();
  });
}

void AnalysisPage::addControl(QWidget* control) {
  control->setParent(bar_);
  bar_->layout()->addWidget(control);
}

QComboBox* AnalysisPage::addChoice(const QString& name, const QStringList& choices,
                                   const QString& tip) {
  auto* box = new QComboBox(bar_);
  box->addItems(choices);
  box->setAccessibleName(name);
  box->setToolTip(tip.isEmpty() ? name : tip);
  addControl(box);
  return box;
}

QComboBox* AnalysisPage::addChoice(const SettingText& text, const QStringList& choices) {
  return addChoice(QString::fromUtf8(text.label), choices, QString::fromUtf8(text.tip));
}

QCheckBox* AnalysisPage::addSwitch(const SettingText& text) {
  auto* box = new QCheckBox(QString::fromUtf8(text.label), bar_);
  describeControl(box, text);
  addControl(box);
  return box;
}

void AnalysisPage::change(const std::function<void(AnalysisSettings&)>& change) {
  AnalysisSettings settings = workspace_.analysis().settings();
  change(settings);
  workspace_.analysis().set(settings);
}

void AnalysisPage::addMapChoice() {
  map_ = new MapChoice(bar_);
  classes_ = new ClassChoice(bar_);
  addControl(map_);
  addControl(classes_);
  connect(map_, &MapChoice::chosen, &workspace_.view(), &ViewChoice::setMap);
  connectClasses(*classes_);
}

void AnalysisPage::showMap(const MapOptions& map) {
  map_->setMap(map.shown, map.missing, map.obstacle);
  showClasses(*classes_);
}

void AnalysisPage::addScope(const std::string& analysis) {
  scoped_ = analysis;
  layers_ = addChoice(tr("Layers"), {tr("This layer"), tr("All layers")});
  models_ = addChoice(tr("Models"), {tr("This model"), tr("All models")});
  connect(layers_, &QComboBox::activated, this, &AnalysisPage::chooseScope);
  connect(models_, &QComboBox::activated, this, &AnalysisPage::chooseScope);
}

void AnalysisPage::chooseScope() {
  change([this](AnalysisSettings& settings) {
    settings.setScope(scoped_, {layers_->currentIndex() == 1, models_->currentIndex() == 1});
  });
}

AnalysisScope AnalysisPage::scope() const {
  return workspace_.analysis().settings().scopeOf(scoped_);
}

void AnalysisPage::showScope() {
  if (!layers_) return;
  const AnalysisScope shown = scope();
  layers_->setCurrentIndex(shown.allLayers ? 1 : 0);
  models_->setCurrentIndex(shown.allModels ? 1 : 0);
  enableFor(*models_,
            workspace_.models().all().size() > 1 ? QString() : tr("Only one model is open"));
}

void AnalysisPage::showContent(const QString& about, const QString& name) {
  showScope();
  about_->setText(name.isEmpty() ? asSentence(about) : name + captionSeparator + about);
  about_->setVisible(!about.isEmpty());
  if (stack_->currentWidget() == content_) return;
  const bool hadKeys = hasFocus();
  stack_->setCurrentWidget(content_);
  if (hadKeys) takeKeys();
}

void AnalysisPage::showWords(const QString& title, const QString& text) {
  showScope();
  about_->hide();
  wordsTitle_->setText(breakable(title));
  setWords(asSentence(text));
  again_->hide();
  cancel_->hide();
  instead_->hide();
  // A hidden widget passes the keyboard on to the next one, which may be a choice.
  const QWidget* keys = focusWidget();
  if (keys && content_ && content_->isAncestorOf(keys)) setFocus(Qt::OtherFocusReason);
  stack_->setCurrentWidget(wordsPage_);
}

void AnalysisPage::setWords(const QString& text) {
  words_->setText(breakable(unbroken(text)));
  words_->setAccessibleName(text);
}

bool AnalysisPage::showsNoEngine(bool runs, const QString& title) {
  if (!runs) showWords(title, tr("Models cannot be run from here."));
  return !runs;
}

void AnalysisPage::showObstacles(const QString& title, const std::vector<std::string>& obstacles) {
  QString text = obstacleText(obstacles);
  const OpenedModel* instead = nullptr;
  insteadLayer_.clear();
  if (text.contains(QString::fromStdString(mechanismsWithBottleneck()))) {
    insteadLayer_ = layerWithBottleneck(workspace_.models().current());
  }
  if (!insteadLayer_.empty()) {
    showWords(title, text);
    const QString layer = shortLayerName(*workspace_.models().current()->inspection, insteadLayer_);
    offerInstead(tr("Show layer %1").arg(layer));
    return;
  }
  if (text.contains(QString::fromStdString(mechanismsWithBottleneck()))) {
    for (const OpenedModel& model : workspace_.models().all()) {
      const bool suits = traitsOf(model.summary().mechanism).bottleneck.has_value();
      const bool isOther = &model != workspace_.models().current();
      if (suits && isOther && model.shownLayer() && !instead) instead = &model;
    }
  }
  if (instead) {
    const auto mechanism = traitsOf(instead->summary().mechanism).title;
    text += tr(".\n%1 (%2) is open beside this one.")
                .arg(instead->name(),
                     QString::fromUtf8(mechanism.data(), static_cast<qsizetype>(mechanism.size())));
  }
  showWords(title, text);
  if (!instead) return;
  insteadId_ = instead->id;
  offerInstead(tr("Show %1").arg(instead->name()));
}

void AnalysisPage::offerInstead(const QString& offer) {
  instead_->setText(onButton(shortened(offer)));
  instead_->setAccessibleName(offer);
  instead_->show();
}

void AnalysisPage::showWaiting(const QString& about) {
  if (workspace_.worker().isBusy()) {
    // Progress that is shown already stays until there is more.
    const bool waits = stack_->currentWidget() == wordsPage_ && !cancel_->isHidden();
    const QString text = waits ? words_->accessibleName() : tr("This is being computed.");
    showWords(tr("One moment"), text);
    cancel_->show();
  } else {
    showWords(tr("Stopped"), tr("This has not been computed."));
    again_->show();
  }
  about_->setText(about);
  about_->setVisible(!about.isEmpty());
}

void AnalysisPage::showProgress(const QString& what, double fraction) {
  if (stack_->currentWidget() != wordsPage_ || cancel_->isHidden()) return;
  // A step of unknown progress has no number, which would stand at zero.
  setWords(fraction > 0 ? what + captionSeparator + tr("%1 %").arg(std::lround(100 * fraction))
                        : what);
}

void AnalysisPage::showJob(const Jobs::Job& job) {
  switch (job.state) {
    case Jobs::State::Waiting:
      showWords(tr("Waiting for another measurement"),
                tr("It starts after the ones before it. Measurements are listed at the "
                   "bottom of the window, where each can be stopped."));
      break;
    case Jobs::State::Running:
      showWords(tr("Measuring"), (job.step.isEmpty() ? job.text.what : job.step) +
                                     captionSeparator + jobStateText(job) +
                                     tr("\nIt continues while you look at other pages."));
      break;
    case Jobs::State::Stopped:
    case Jobs::State::Failed:
    case Jobs::State::Done:
      showWords(job.state == Jobs::State::Failed ? tr("Not measured") : tr("Stopped"),
                job.failure.isEmpty() ? tr("This has not been measured.") : job.failure);
      break;
  }
}

void AnalysisPage::offerJob(const std::optional<Jobs::Job>& job) {
  const bool isActive = job && job->isActive();
  offered_ = isActive ? job->id : 0;
  jobButton_->setVisible(job && job->state != Jobs::State::Done);
  jobButton_->setText(isActive ? tr("Stop") : tr("Measure again"));
  jobButton_->setAccessibleName(isActive ? tr("Stop measuring") : tr("Measure again"));
  jobButton_->setToolTip(isActive ? tr("Stop this measurement, and keep what it has so far")
                                  : tr("Measure what was stopped, from the beginning"));
}

bool AnalysisPage::showsContent() const {
  return content_ && stack_->currentWidget() == content_;
}

std::vector<AnalysedLayer> AnalysisPage::scopeLayers(bool ofChannel) const {
  return analysedLayers(workspace_.models(), scope(), ofChannel);
}

std::vector<std::string> AnalysisPage::scopeOptions(
    const std::vector<AnalysedLayer>& layers) const {
  std::vector<std::string> options;
  if (scope().allLayers) return {"--layer", "all"};
  for (const AnalysedLayer& layer : layers) {
    options.insert(options.end(), {"--layer", layer.layer().name});
  }
  return options;
}

QStringList AnalysisPage::takeOutLacking(std::vector<AnalysedLayer>& layers,
                                         const std::string& lacking) const {
  QStringList reasons;
  for (const std::size_t index : modelsOf(layers)) {
    const OpenedModel& opened = workspace_.models().all()[index];
    const std::string obstacle = opened.summary().obstacleTo(lacking);
    if (obstacle.empty()) continue;
    reasons += tr("%1: %2").arg(opened.name(), QString::fromStdString(obstacle));
    std::erase_if(layers, [&](const AnalysedLayer& layer) {
      return openedModelOf(workspace_.models(), layer) == &opened;
    });
  }
  return reasons;
}

std::vector<std::size_t> AnalysisPage::modelsOf(const std::vector<AnalysedLayer>& layers) const {
  std::vector<std::size_t> indices;
  const std::vector<OpenedModel>& all = workspace_.models().all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool isOfAny = std::ranges::any_of(layers, [&](const AnalysedLayer& layer) {
      return openedModelOf(workspace_.models(), layer) == &all[i];
    });
    if (isOfAny) indices.push_back(i);
  }
  return indices;
}

std::vector<std::size_t> AnalysisPage::scopeModels() const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < workspace_.models().all().size(); ++i) {
    const OpenedModel& model = workspace_.models().all()[i];
    const bool wanted = scope().allModels ? !workspace_.models().isLeftOut(model)
                                          : &model == workspace_.models().current();
    if (wanted && model.shownLayer()) indices.push_back(i);
  }
  return indices;
}

void AnalysisPage::resizeEvent(QResizeEvent* event) {
  // In a low window the words leave the room to what they describe.
  constexpr int shareOfWords = 8;
  about_->setFoldedHeight(event->size().height() / shareOfWords);
  Page::resizeEvent(event);
}

void AnalysisPage::showEvent(QShowEvent* event) {
  retry();
  Page::showEvent(event);
}

QString titleWithoutMnemonic(const AnalysisDescription& about) {
  return QString::fromUtf8(about.title).remove(u'&');
}

QString aboutOf(const PanelFigure& figure) {
  return aboutOf(*figure.blocks.front().caption);
}

QString aboutOf(const FigureCaption& caption) {
  // The sentence of the result stands before the detail of what is drawn.
  return joinedCaption({caption.about, caption.detail});
}

QString aboutOf(FigureCaption caption, const std::vector<AnalysedLayer>& layers) {
  for (const AnalysedLayer& layer : layers) {
    const std::string& name = layer.layer().name;
    if (caption.detail != QString::fromStdString(name)) continue;
    caption.detail = shortLayerName(*layer.inspection, name);
    break;
  }
  return aboutOf(caption);
}

void addMap(AnalysisCommand& command, ShownMap map, const std::vector<AnalysedLayer>& layers) {
  std::vector<const LayerInspection*> inspected;
  for (const AnalysedLayer& layer : layers) inspected.push_back(&layer.layer());
  addMap(command, map, inspected);
}

void addRcond(std::vector<std::string>& options, double rcond) {
  if (rcond == NormsSettings().rcond) return;
  options.insert(
      options.end(),
      {"--rcond", QString::number(rcond, 'g', QLocale::FloatingPointShortest).toStdString()});
}

QString lackingText(const QStringList& reasons) {
  return reasons.isEmpty() ? QString() : AnalysisPage::tr("left out: %1").arg(reasons.join(u"; "));
}

QString obstacleText(const std::vector<std::string>& obstacles) {
  QStringList texts;
  for (const std::string& obstacle : obstacles) {
    const QString text = asSentence(typesetText(obstacle));
    if (!text.isEmpty() && !texts.contains(text)) texts += text;
  }
  return texts.join(u'\n');
}

}  // namespace softscope
