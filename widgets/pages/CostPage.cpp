#include "widgets/pages/CostPage.h"

#include "core/text/SettingOptions.h"
#include "widgets/controls/ChoiceMenu.h"
#include "widgets/paint/ValueText.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QAction>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>

#include <algorithm>

namespace softscope {

std::size_t bytesOf(const CostsSoFar& costs) {
  return sizeof costs + costs.points.points.size() * sizeof(CostPoint);
}

CostPage::CostPage(Workspace& workspace, QWidget* parent)
    : PlotPage(workspace, tr("Cost"), parent),
      over_(addChoice(tr("Against"),
                      {tr("Against tokens"), tr("Against channels"), tr("Against heads")},
                      tr("What is varied"))),
      scope_(addChoice(tr("Of what"), {tr("One attention operator"), tr("A 12-layer ViT")},
                       tr("What is measured"))),
      pass_(addChoice(settingText(costSettings, "pass"), {})),
      mechanisms_(new ChoiceMenu(this)),
      measure_(new QPushButton(tr("Measure"))) {
  for (const auto& pass : costPassNames) pass_->addItem(QString::fromUtf8(pass.label));
  auto* choice = new QPushButton(tr("Mechanisms"));
  choice->setAccessibleName(tr("Mechanisms"));
  choice->setToolTip(tr("Which mechanisms are measured"));
  choice->setMenu(mechanisms_);
  for (const std::string& name : costMechanisms()) {
    QAction* action = mechanisms_->addAction(QString::fromStdString(costMechanismText(name)));
    action->setCheckable(true);
    action->setData(QString::fromStdString(name));
    connect(action, &QAction::triggered, this, &CostPage::choose);
  }
  measure_->setAccessibleName(tr("Measure"));
  addControl(choice);
  addControl(measure_);
  connect(over_, &QComboBox::activated, this, &CostPage::choose);
  connect(scope_, &QComboBox::activated, this, &CostPage::choose);
  connect(pass_, &QComboBox::activated, this, &CostPage::choose);
  connect(measure_, &QPushButton::clicked, this, &CostPage::measure);
  connect(&workspace, &Workspace::computeChanged, this, [this] {
    if (isVisible()) showNow();
  });
}

CostSweep CostPage::sweep() const {
  CostSweep sweep = workspace_.analysis().settings().of<CostSweep>();
  sweep.threads = workspace_.compute().threads;
  sweep.device = workspace_.compute().device;
  return sweep;
}

void CostPage::choose() {
  AnalysisSettings settings = workspace_.analysis().settings();
  settings.of<CostSweep>().over = static_cast<CostOver>(over_->currentIndex());
  settings.of<CostSweep>().scope = static_cast<CostScope>(scope_->currentIndex());
  settings.of<CostSweep>().pass = static_cast<CostPass>(pass_->currentIndex());
  settings.of<CostSweep>().mechanisms.clear();
  for (const QAction* action : mechanisms_->actions()) {
    if (!action->isChecked()) continue;
    settings.of<CostSweep>().mechanisms.push_back(action->data().toString().toStdString());
  }
  // The default mechanisms are stored as an empty list, so that a file written today includes
  // mechanisms added later.
  if (settings.of<CostSweep>().mechanisms == defaultCostMechanisms())
    settings.of<CostSweep>().mechanisms.clear();
  workspace_.analysis().set(settings);
  // If none was ticked, the defaults are ticked again; that changes no setting, so no signal would
  // do it.
  showControls();
}

void CostPage::showControls() {
  const CostSweep& cost = workspace_.analysis().settings().of<CostSweep>();
  over_->setCurrentIndex(static_cast<int>(cost.over));
  scope_->setCurrentIndex(static_cast<int>(cost.scope));
  pass_->setCurrentIndex(static_cast<int>(cost.pass));
  const std::vector<std::string>& chosen =
      cost.mechanisms.empty() ? defaultCostMechanisms() : cost.mechanisms;
  for (QAction* action : mechanisms_->actions()) {
    const std::string name = action->data().toString().toStdString();
    action->setChecked(std::find(chosen.begin(), chosen.end(), name) != chosen.end());
  }
  const bool isBusy =
      workspace_.worker().isBusy(Worker::Kind::Analysis) || workspace_.jobs().isBusy();
  measure_->setEnabled(workspace_.engine().measureCost && !isBusy);
  measure_->setToolTip(
      isBusy ? tr("Other work is running and would distort the measurement; stop it first")
             : tr("Runs every mechanism on this computer, a process for each point"));
}

void CostPage::measure() {
  const ComputeSettings compute = workspace_.compute();
  workspace_.jobs().start<CostsSoFar>(
      sweep(), {QStringLiteral("cost"), tr("Cost"), {}},
      [wanted = sweep(), limit = costMemoryLimit(compute), memory = compute.costMemory,
       runner = workspace_.engine().measureCost](const Progress& progress,
                                                 const Jobs::Teller<CostsSoFar>& tell) {
        CostsSoFar costs{{}, 0, 0, memory};
        costs.points =
            measureCosts(wanted, runner, progress, limit,
                         [&](const CostMeasurements& points, std::size_t done, std::size_t all) {
                           costs.done = done;
                           costs.all = all;
                           tell({points, done, all, memory});
                         });
        return costs;
      });
  showNow();
}

std::shared_ptr<const CostsSoFar> CostPage::points() const {
  const auto costs = known_.result ? known_.result : known_.soFar;
  return costs && !costs->points.points.empty() ? costs : nullptr;
}

/// Returns how far the measurement is, or that it was stopped; empty when it is whole.
QString CostPage::runText() const {
  const auto costs = points();
  if (known_.result || !known_.job || !costs) return {};
  const QString counted = tr("%1 of %2 points").arg(costs->done).arg(costs->all);
  if (!known_.job->isActive()) return tr("Stopped after %1").arg(counted) + captionSeparator;
  const QString left = timeLeftText(*known_.job);
  return counted + captionSeparator + (left.isEmpty() ? left : left + captionSeparator) +
         tr("Stop keeps them") + captionSeparator;
}

void CostPage::showNow() {
  showControls();
  known_ = workspace_.jobs().find<CostsSoFar>(sweep());
  // “Measure” starts it again.
  offerJob(known_.job && known_.job->isActive() ? known_.job : std::nullopt);
  if (const auto costs = points()) {
    showPlots(costPlots(costs->points),
              runText() + costFigure(costs->points).blocks.front().caption->about);
  } else if (!workspace_.engine().measureCost) {
    showWords(tr("Nothing to measure with"), tr("This window was opened without it."));
  } else if (known_.job && known_.job->isActive()) {
    showWords(
        tr("Measuring"),
        tr("Each point runs in a process of its own, one after another, and appears as soon as "
           "it is measured. Stopping keeps the points so far. Avoid other work on this "
           "computer meanwhile; it would distort the times."));
  } else {
    const QString how =
        tr("“Measure” runs the chosen mechanisms on this computer, on random numbers; that takes "
           "some minutes. No model and no picture is needed.");
    showWords(tr("Nothing measured yet"),
              measure_->isEnabled() ? how : how + u'\n' + measure_->toolTip() + u'.');
  }
}

std::optional<PageFigure> CostPage::figure() const {
  const auto costs = points();
  if (!showsPlots() || !costs) return std::nullopt;
  const CostMeasurements& measured = costs->points;
  const CostSweep& sweep = measured.sweep;
  AnalysisCommand command{
      "cost", {"--over", overName(sweep.over), "--scope", scopeName(sweep.scope)}, false};
  if (sweep.pass != CostSweep().pass) {
    command.options.insert(command.options.end(), {"--pass", passName(sweep.pass)});
  }
  std::string mechanisms;
  for (const std::string& name : sweep.mechanisms) {
    mechanisms += (mechanisms.empty() ? "" : ",") + name;
  }
  if (!mechanisms.empty()) {
    command.options.insert(command.options.end(), {"--mechanisms", mechanisms});
  }
  if (sweep.threads > 0) {
    command.options.insert(command.options.end(), {"--threads", std::to_string(sweep.threads)});
  }
  if (sweep.device != CostSweep().device) {
    command.options.insert(command.options.end(), {"--device", sweep.device});
  }
  if (costs->memory > 0) {
    command.options.insert(command.options.end(),
                           {firstFlag(costMemorySetting.text), std::to_string(costs->memory)});
  }
  PageFigure page = pageFigure(QStringLiteral("cost"), costFigure(measured), {}, command);
  page.table = [costs] { return costTable(costs->points); };
  return page;
}

}  // namespace softscope
