#include "widgets/pages/AnalysisPage.h"

#include "widgets/controls/FlowLayout.h"
#include "widgets/controls/MapChoice.h"
#include "widgets/controls/ScrolledHead.h"
#include "widgets/paint/ValueText.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/AnalysisChoice.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/ViewChoice.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QLocale>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace softscope {

AnalysisPage::AnalysisPage(Workspace& workspace, const QString& name, QWidget* parent)
    : Page(workspace, parent),
      bar_(new QWidget(this)),
      about_(new QLabel(this)),
      stack_(new QStackedWidget(this)),
      wordsPage_(new QWidget(this)),
      wordsTitle_(new QLabel(wordsPage_)),
      words_(new QLabel(wordsPage_)),
      again_(new QPushButton(tr("Compute"), wordsPage_)) {
  setAccessibleName(name);
  auto* flow = new FlowLayout(bar_);
  flow->setContentsMargins(12, 8, 12, 4);
  about_->setWordWrap(true);
  about_->setContentsMargins(14, 2, 14, 2);
  about_->setForegroundRole(QPalette::PlaceholderText);
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
  column->addStretch(1);
  connect(again_, &QPushButton::clicked, this, [this] {
    retry();
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

QCheckBox* AnalysisPage::addSwitch(const QString& name, const QString& tip) {
  auto* box = new QCheckBox(name, bar_);
  box->setAccessibleName(name);
  box->setToolTip(tip);
  addControl(box);
  return box;
}

void AnalysisPage::change(const std::function<void(AnalysisSettings&)>& change) {
  AnalysisSettings settings = workspace_.analysis().settings();
  change(settings);
  workspace_.analysis().set(settings);
}

MapChoice* AnalysisPage::addMapChoice() {
  auto* map = new MapChoice(bar_);
  addControl(map);
  connect(map, &MapChoice::chosen, &workspace_.view(), &ViewChoice::setMap);
  return map;
}

void AnalysisPage::addScope() {
  layers_ = addChoice(tr("Layers"), {tr("This layer"), tr("All layers")});
  models_ = addChoice(tr("Models"), {tr("This model"), tr("All models")});
  connect(layers_, &QComboBox::activated, this, &AnalysisPage::chooseScope);
  connect(models_, &QComboBox::activated, this, &AnalysisPage::chooseScope);
}

void AnalysisPage::chooseScope() {
  change([this](AnalysisSettings& settings) {
    settings.scope = {layers_->currentIndex() == 1, models_->currentIndex() == 1};
  });
}

void AnalysisPage::showScope() {
  if (!layers_) return;
  const AnalysisScope& scope = workspace_.analysis().settings().scope;
  layers_->setCurrentIndex(scope.allLayers ? 1 : 0);
  models_->setCurrentIndex(scope.allModels ? 1 : 0);
  models_->setEnabled(workspace_.models().all().size() > 1);
}

void AnalysisPage::showContent(const QString& about) {
  showScope();
  about_->setText(about);
  about_->setVisible(!about.isEmpty());
  stack_->setCurrentWidget(content_);
}

void AnalysisPage::showWords(const QString& title, const QString& text) {
  showScope();
  about_->hide();
  wordsTitle_->setText(title);
  words_->setText(text);
  again_->hide();
  stack_->setCurrentWidget(wordsPage_);
}

void AnalysisPage::showWaiting(const QString& about) {
  if (workspace_.worker().isBusy()) {
    showWords(tr("One moment"), tr("This is being computed. Cancel stops it."));
  } else {
    showWords(tr("Stopped"), tr("This has not been computed."));
    again_->show();
  }
  about_->setText(about);
  about_->setVisible(!about.isEmpty());
}

bool AnalysisPage::showsContent() const {
  return content_ && stack_->currentWidget() == content_;
}

std::vector<AnalysedLayer> AnalysisPage::scopeLayers() const {
  return analysedLayers(workspace_.models(), workspace_.analysis().settings().scope);
}

std::vector<std::string> AnalysisPage::scopeOptions() const {
  std::vector<std::string> options;
  if (workspace_.analysis().settings().scope.allLayers) return {"--layer", "all"};
  for (const AnalysedLayer& layer : scopeLayers()) {
    options.insert(options.end(), {"--layer", layer.layer().name});
  }
  return options;
}

std::vector<std::size_t> AnalysisPage::scopeModels() const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < workspace_.models().all().size(); ++i) {
    const OpenedModel& model = workspace_.models().all()[i];
    const bool wanted =
        workspace_.analysis().settings().scope.allModels || &model == workspace_.models().current();
    if (wanted && model.shownLayer()) indices.push_back(i);
  }
  return indices;
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
  return caption.detail.isEmpty() ? caption.about
                                  : caption.detail + captionSeparator + caption.about;
}

void addRcond(std::vector<std::string>& options, double rcond) {
  if (rcond == NormsSettings().rcond) return;
  options.insert(
      options.end(),
      {"--rcond", QString::number(rcond, 'g', QLocale::FloatingPointShortest).toStdString()});
}

QString obstacleText(const std::vector<std::string>& obstacles) {
  QStringList texts;
  for (const std::string& obstacle : obstacles) {
    const QString text = QString::fromStdString(obstacle);
    if (!text.isEmpty() && !texts.contains(text)) texts += text;
  }
  return texts.join(u'\n');
}

}  // namespace softscope
