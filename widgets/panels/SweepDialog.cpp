#include "widgets/panels/SweepDialog.h"

#include "core/Error.h"
#include "widgets/figure/SweepFile.h"
#include "widgets/views/FigurePreview.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QSignalBlocker>
#include <QtGui/QScreen>
#include <QtGui/QStandardItemModel>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QSlider>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace softscope {
namespace {

constexpr int sweepFormWidth = 276;

}  // namespace

SweepDialog::SweepDialog(Previewer preview, const std::map<SweepOver, QString>& obstacles,
                         const SweepSettings& settings, const FigureSettings& figure,
                         const QString& path, QWidget* parent)
    : QDialog(parent),
      previewer_(std::move(preview)),
      settings_(settings),
      figure_(figure),
      file_(new FileRow(path,
                        tr("Its ending says the format: .webp or .gif; without one it is a folder "
                           "of numbered .png"),
                        tr("Export a sweep"),
                        tr("WebP, without loss (*.webp);;GIF, of 255 colours (*.gif);;Folder of "
                           "numbered PNG (*)"),
                        this)),
      preview_(new FigurePreview({}, this)) {
  setWindowTitle(tr("Export a sweep"));
  message_ = new QLabel(this);
  message_->setAccessibleName(tr("Message"));
  message_->setWordWrap(true);
  message_->setTextFormat(Qt::PlainText);
  auto* top = new QHBoxLayout;
  top->setSpacing(12);
  top->addLayout(makePreview(), 1);
  top->addWidget(makeForm());
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 12, 12, 12);
  column->addLayout(top, 1);
  column->addWidget(message_);
  column->addWidget(file_);
  column->addLayout(makeButtons());
  connect(file_, &FileRow::changed, this, &SweepDialog::showFile);
  offer(obstacles);
  controls_.show(settings_);
  showFrames();
  resize(QSize(980, 560).boundedTo(screen()->availableSize() - QSize(40, 60)));
}

QLayout* SweepDialog::makePreview() {
  preview_->setAccessibleName(tr("Preview"));
  slider_ = new QSlider(Qt::Horizontal, this);
  slider_->setAccessibleName(tr("Frame"));
  slider_->setToolTip(tr("The frame that is previewed"));
  slider_->setPageStep(1);
  connect(slider_, &QSlider::valueChanged, this, &SweepDialog::showFrame);
  auto* column = new QVBoxLayout;
  column->addWidget(preview_, 1);
  column->addWidget(slider_);
  return column;
}

QWidget* SweepDialog::makeForm() {
  auto* panel = new QWidget(this);
  form_ = new QFormLayout(panel);
  form_->setContentsMargins(0, 0, 8, 0);
  form_->setVerticalSpacing(7);
  form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form_->setRowWrapPolicy(QFormLayout::WrapLongRows);
  about_ = new QLabel(panel);
  about_->setWordWrap(true);
  about_->setTextFormat(Qt::PlainText);
  forEachSetting(sweepSettings, [&](const auto& setting) {
    controls_.addRow(setting, *form_, panel, [this] { takeSettings(); });
    if (form_->rowCount() == 1) form_->addRow(about_);
  });
  auto* looks = new QLabel(
      tr("Letters, columns and background are those of Export figure; colours those on screen."),
      panel);
  looks->setWordWrap(true);
  form_->addRow(looks);
  auto* scroll = new QScrollArea(this);
  scroll->setAccessibleName(tr("Settings"));
  scroll->setWidget(panel);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFixedWidth(sweepFormWidth);
  return scroll;
}

QLayout* SweepDialog::makeButtons() {
  const auto button = [this](const QString& text, const QString& name) {
    auto* made = new QPushButton(text, this);
    made->setAccessibleName(name);
    made->setAutoDefault(false);
    return made;
  };
  QPushButton* command = button(tr("Copy as co&mmand"), tr("Copy as command"));
  command->setToolTip(tr("The command line that writes the same file"));
  QPushButton* cancel = button(tr("Cancel"), tr("Cancel"));
  save_ = button(tr("&Export"), tr("Export"));
  save_->setDefault(true);
  connect(command, &QPushButton::clicked, this,
          [this] { Q_EMIT copyCommandAsked(path(), settings_); });
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(save_, &QPushButton::clicked, this, [this] {
    if (file_->mayWrite()) Q_EMIT saveAsked(path(), settings_);
  });
  auto* row = new QHBoxLayout;
  row->addWidget(command);
  row->addStretch(1);
  row->addWidget(cancel);
  row->addWidget(save_);
  return row;
}

void SweepDialog::offer(const std::map<SweepOver, QString>& obstacles) {
  auto* box = qobject_cast<QComboBox*>(controls_.at("over"));
  auto* items = qobject_cast<QStandardItemModel*>(box->model());
  std::optional<SweepOver> first;
  for (int i = 0; i < static_cast<int>(std::size(sweepOverNames)); ++i) {
    const SweepOver over = sweepOverNames[i].value;
    const QString& obstacle = obstacles.at(over);
    items->item(i)->setEnabled(obstacle.isEmpty());
    box->setItemData(i, obstacle, Qt::ToolTipRole);
    if (obstacle.isEmpty() && !first) first = over;
  }
  if (first && !obstacles.at(settings_.over).isEmpty()) settings_.over = *first;
}

void SweepDialog::showMessage(const QString& message) {
  message_->setText(message);
}

void SweepDialog::takeSettings() {
  controls_.take(settings_);
  showFrames();
}

void SweepDialog::showFrames() {
  form_->setRowVisible(controls_.at("frames"), settings_.over == SweepOver::Query);
  problem_.clear();
  SweepPreview preview;
  try {
    preview = previewer_(settings_);
  } catch (const std::exception& error) {
    problem_ = QString::fromStdString(sentenceOf(error));
  }
  about_->setText(preview.about);
  count_ = preview.count;
  frames_ = std::make_shared<const SweepFrames>(std::move(preview.frames));
  const int last = static_cast<int>(frames_->size()) - 1;
  const QSignalBlocker quiet(slider_);
  slider_->setRange(0, std::max(0, last));
  slider_->setEnabled(last > 0);
  showFrame(slider_->value());
}

void SweepDialog::showFrame(int index) {
  const auto frame = static_cast<std::size_t>(index);
  preview_->setFigure(frame < frames_->size() ? printableFrame(frames_, frame) : PrintableFigure());
  if (frames_->empty() || preview_->setSettings(figure_)) {
    showFile();
    return;
  }
  problem_ = preview_->problem();
  showFile();
}

void SweepDialog::showFile() {
  QString problem = problem_;
  if (problem.isEmpty() && count_ < 2) {
    problem = tr("There is one frame only, and nothing moves.");
  }
  try {
    if (problem.isEmpty()) checkSweepPath(path().toStdString(), figure_);
  } catch (const std::exception& error) {
    problem = QString::fromStdString(sentenceOf(error));
  }
  save_->setEnabled(problem.isEmpty());
  if (!problem.isEmpty()) {
    showMessage(problem);
    return;
  }
  const QSizeF shape = preview_->millimetres();
  const double height = settings_.frameWidth * shape.height() / shape.width();
  const double seconds = static_cast<double>(count_) / settings_.framesPerSecond;
  showMessage(tr("%1 frames of %2 × %3 pixels, %4 s, into the folder %5")
                  .arg(count_)
                  .arg(settings_.frameWidth)
                  .arg(std::lround(height))
                  .arg(seconds, 0, 'f', 1)
                  .arg(QDir::toNativeSeparators(QFileInfo(path()).absolutePath())));
}

}  // namespace softscope
