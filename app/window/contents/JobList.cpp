#include "app/window/contents/JobList.h"

#include "widgets/controls/NameText.h"
#include "widgets/paint/FittedText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QScreen>
#include <QtWidgets/QFrame>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

constexpr int gapAboveButton = 4;
constexpr int barWidth = 90;
constexpr int barHeight = 8;
/// Letters of a line of the list, which is as wide as its longest line.
constexpr int lineLetters = 60;

/// Returns what a job is about, on lines that fit into the list: names of files may have any
/// length.
QString lineText(const QString& name, const QFontMetricsF& metrics) {
  QStringList parts = name.split(captionSeparator);
  for (QString& part : parts) part = shortened(part);
  const double width = lineLetters * metrics.horizontalAdvance(u'0');
  return brokenLines(parts.join(captionSeparator), width, metrics).join(u'\n');
}

/// Returns what the button says: the job that runs, or how many are done.
QString buttonText(const std::vector<Jobs::Job>& jobs) {
  const auto active =
      std::count_if(jobs.begin(), jobs.end(), [](const Jobs::Job& job) { return job.isActive(); });
  for (const Jobs::Job& job : jobs) {
    if (job.state != Jobs::State::Running) continue;
    const QString text = job.text.what + captionSeparator + jobStateText(job);
    return active > 1 ? text + JobList::tr(" · %1 more").arg(active - 1) : text;
  }
  if (jobs.size() == 1)
    return jobs.front().text.what + captionSeparator + jobStateText(jobs.front());
  return JobList::tr("%1 measurements").arg(jobs.size());
}

}  // namespace

JobList::JobList(Workspace& workspace, QWidget* parent)
    : QToolButton(parent),
      workspace_(workspace),
      list_(new QFrame(this, Qt::Popup)),
      lines_(new QVBoxLayout(list_)) {
  setAutoRaise(true);
  setFocusPolicy(Qt::TabFocus);
  setAccessibleName(tr("Measurements"));
  setAccessibleDescription(tr("Opens the list of measurements"));
  setToolTip(tr("Measurements that take minutes; they continue in the background"));
  list_->setFrameShape(QFrame::StyledPanel);
  list_->setAccessibleName(tr("Measurements"));
  connect(this, &QToolButton::clicked, this, &JobList::openList);
  connect(&workspace.jobs(), &Jobs::changed, this, &JobList::showJobs);
  connect(&workspace.jobs(), &Jobs::progressed, this, &JobList::showJobs);
  showJobs();
}

JobList::~JobList() = default;

void JobList::makeRow() {
  Row row;
  row.line = new QWidget(list_);
  row.text = new QLabel;
  row.text->setTextFormat(Qt::PlainText);
  row.bar = new QProgressBar;
  row.bar->setTextVisible(false);
  row.bar->setRange(0, 1000);
  row.bar->setFixedSize(barWidth, barHeight);
  row.bar->setAccessibleName(tr("Progress"));
  row.stop = new QPushButton(tr("Stop"));
  row.show = new QPushButton(tr("Show"));
  auto* line = new QHBoxLayout(row.line);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(row.text, 1);
  line->addWidget(row.bar);
  line->addWidget(row.stop);
  line->addWidget(row.show);
  lines_->addWidget(row.line);
  const std::size_t index = rows_.size();
  connect(row.stop, &QPushButton::clicked, this,
          [this, index] { workspace_.jobs().stop(rows_[index].job); });
  connect(row.show, &QPushButton::clicked, this, [this, index] {
    list_->hide();
    workspace_.setPage(rows_[index].page);
  });
  rows_.push_back(row);
}

void JobList::showJobs() {
  const std::vector<Jobs::Job> jobs = workspace_.jobs().all();
  setVisible(!jobs.empty());
  if (jobs.empty()) {
    list_->hide();
    return;
  }
  setText(buttonText(jobs));
  setAccessibleName(text());
  while (rows_.size() < jobs.size()) makeRow();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    row.line->setVisible(i < jobs.size());
    if (i >= jobs.size()) continue;
    const Jobs::Job& job = jobs[i];
    row.job = job.id;
    row.page = job.text.page;
    const QString name = job.text.about.isEmpty()
                             ? job.text.what
                             : job.text.what + captionSeparator + job.text.about;
    row.text->setText(lineText(name, QFontMetricsF(row.text->font())) + u'\n' + jobStateText(job));
    row.text->setAccessibleName(name);
    row.bar->setVisible(job.isActive());
    row.bar->setValue(static_cast<int>(std::lround(1000 * job.fraction)));
    row.stop->setVisible(job.isActive());
    row.stop->setAccessibleName(tr("Stop %1").arg(name));
    row.show->setAccessibleName(tr("Show %1").arg(name));
  }
  if (list_->isVisible()) list_->adjustSize();
}

void JobList::openList() {
  showJobs();
  list_->adjustSize();
  const QPoint corner = mapToGlobal(QPoint(width(), 0));
  const QPoint place = corner - QPoint(list_->width(), list_->height() + gapAboveButton);
  const QRect onScreen = screen()->availableGeometry();
  list_->move(std::max(place.x(), onScreen.left()), std::max(place.y(), onScreen.top()));
  list_->show();
}

}  // namespace softscope
