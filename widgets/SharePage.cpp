#include "widgets/SharePage.h"

#include "widgets/FlowLayout.h"
#include "widgets/LayerHeadView.h"

#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QVBoxLayout>

namespace softscope {

SharePage::SharePage(Workspace& workspace, QWidget* parent)
    : Page(workspace, parent),
      of_(new QComboBox),
      knockouts_(new QCheckBox(tr("Knock-outs"))),
      about_(new QLabel),
      stack_(new QStackedWidget),
      view_(new LayerHeadView),
      words_(new QLabel),
      shares_(workspace, [this] { showNow(); }),
      knockedOut_(workspace, [this] { showNow(); }) {
  setAccessibleName(tr("Share"));
  of_->setAccessibleName(tr("Compare attention with"));
  of_->setToolTip(tr("What a head's attention term is compared with"));
  of_->addItems({tr("Residual stream"), tr("What is beside it"), tr("Knock-out")});
  knockouts_->setAccessibleName(tr("Knock-outs"));
  knockouts_->setToolTip(tr("Run the model once without each head, and without each layer"));
  about_->setWordWrap(true);
  about_->setContentsMargins(14, 2, 14, 2);
  about_->setForegroundRole(QPalette::PlaceholderText);
  words_->setAlignment(Qt::AlignCenter);
  words_->setWordWrap(true);
  words_->setTextFormat(Qt::RichText);
  words_->setContentsMargins(40, 20, 40, 20);
  stack_->addWidget(view_);
  stack_->addWidget(words_);
  auto* bar = new QWidget;
  auto* flow = new FlowLayout(bar);
  flow->setContentsMargins(12, 8, 12, 4);
  flow->addWidget(of_);
  flow->addWidget(knockouts_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(bar);
  column->addWidget(about_);
  column->addWidget(stack_, 1);
  connect(of_, &QComboBox::activated, this, &SharePage::choose);
  connect(knockouts_, &QCheckBox::clicked, this, &SharePage::choose);
  connect(view_, &LayerHeadView::chosen, this, &SharePage::goTo);
  connect(view_, &LayerHeadView::hovered, this,
          [this](int layer, int head) { Q_EMIT readOut(shareText(shown_, layer, head)); });
  connect(view_, &LayerHeadView::left, this, [this] { Q_EMIT readOut({}); });
}

void SharePage::choose() {
  AnalysisSettings settings = workspace_.analysis();
  settings.share = {static_cast<ShareOf>(of_->currentIndex()), knockouts_->isChecked()};
  workspace_.setAnalysis(settings);
}

SharePage::Shared SharePage::measured() {
  const OpenedModel& opened = *workspace_.current();
  const Subject subject{opened.model, opened.inspection};
  const auto measure = [&](bool knockouts) {
    return [measurer = workspace_.shareMeasurer(), model = opened.model,
            input = workspace_.inputOf(opened), knockouts](const Progress& progress) {
      return measurer(*model, input(), {.knockouts = knockouts, .layers = {}}, progress);
    };
  };
  const Shared* shares = shares_.get(subject, tr("Measuring heads"), measure(false));
  if (!shares) return nullptr;
  if (!workspace_.analysis().share.knockouts || (*shares)->logits.empty()) return *shares;
  const Shared* all = knockedOut_.get(subject, tr("Knocking out heads"), measure(true));
  return all ? *all : *shares;
}

void SharePage::showNow() {
  const ShareSettings settings = workspace_.analysis().share;
  of_->setCurrentIndex(static_cast<int>(settings.of));
  knockouts_->setChecked(settings.knockouts);
  complete_ = false;
  const OpenedModel* opened = workspace_.current();
  if (!opened || !opened->inspection) return;
  if (!workspace_.shareMeasurer()) {
    showWords(tr("No shares"), tr("Models cannot be run from here."));
    return;
  }
  shown_ = {opened->name().toStdString(),
            opened->summary().counterfactual ? "not what was trained" : std::string(),
            opened->summary().classNames, measured()};
  if (shown_.share) {
    showMap(settings);
  } else {
    showWaiting({});
  }
}

void SharePage::showMap(const ShareSettings& settings) {
  const ModelShare& share = *shown_.share;
  const bool waits = settings.knockouts && !share.knockouts && !share.logits.empty();
  QString about = shareMeaning(settings.of) + QStringLiteral(" · ") + shareSummary(share);
  if (waits) {
    about += workspace_.isAnalysing() ? tr(" · knock-outs are being made; Esc stops them")
                                      : tr(" · knock-outs were stopped; leave this page and come "
                                           "back to make them");
  }
  if (waits && settings.of == ShareOf::Knockout) {
    showWaiting(about);
    return;
  }
  const QString obstacle = shareObstacle(share, settings.of);
  if (!obstacle.isEmpty()) {
    showWords(tr("Nothing to compare with"), obstacle.toHtmlEscaped());
    return;
  }
  about_->setText(about);
  about_->show();
  if (drawn_ != shown_.share || drawnOf_ != settings.of) {
    view_->setMap(shareMap(share, settings.of));
    drawn_ = shown_.share;
    drawnOf_ = settings.of;
  }
  const auto& name = workspace_.current()->layer;
  int chosen = -1;
  for (std::size_t i = 0; i < share.layers.size(); ++i) {
    if (share.layers[i].layer == name) chosen = static_cast<int>(i);
  }
  view_->setChosenLayer(chosen);
  stack_->setCurrentWidget(view_);
  complete_ = !waits;
}

void SharePage::showWords(const QString& title, const QString& text) {
  about_->hide();
  words_->setText(QStringLiteral("<h3>%1</h3><p>%2</p>").arg(title, text));
  stack_->setCurrentWidget(words_);
}

void SharePage::showWaiting(const QString& about) {
  if (workspace_.isAnalysing()) {
    showWords(tr("One moment"), tr("This is being computed. Esc stops it."));
  } else {
    showWords(tr("Stopped"), tr("Leave this page and come back to compute it again."));
  }
  about_->setText(about);
  about_->setVisible(!about.isEmpty());
}

void SharePage::showEvent(QShowEvent* event) {
  // What was cancelled is tried again when somebody looks again.
  if (!workspace_.isAnalysing()) {
    shares_.retry();
    knockedOut_.retry();
  }
  Page::showEvent(event);
}

void SharePage::goTo(int layer) {
  workspace_.setLayer(shown_.share->layers[static_cast<std::size_t>(layer)].layer);
  workspace_.setPage(QStringLiteral("heads"));
}

std::optional<PageFigure> SharePage::figure() const {
  if (!complete_) return std::nullopt;
  const ShareSettings settings = workspace_.analysis().share;
  AnalysisCommand command{"share", {}};
  const char* names[] = {"residual", "beside", "knockout"};
  command.options = {"--share", names[static_cast<int>(settings.of)]};
  if (!settings.knockouts) command.options.emplace_back("--no-knockouts");
  const std::vector<MeasuredShare> measured{shown_};
  PageFigure page = pageFigure(QStringLiteral("share"), shareFigure(measured, settings),
                               {static_cast<std::size_t>(workspace_.currentIndex())}, command);
  page.table = [measured] { return shareTable(measured); };
  return page;
}

}  // namespace softscope
