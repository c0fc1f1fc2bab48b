#include "widgets/panels/SweepDialog.h"

#include "core/Error.h"
#include "widgets/figure/SweepFile.h"
#include "widgets/views/FigurePreview.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QSignalBlocker>
#include <QtGui/QStandardItemModel>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSlider>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace softscope {

SweepDialog::SweepDialog(Previewer preview, const std::map<SweepOver, QString>& obstacles,
                         const SweepSettings& settings, const FigureSettings& figure,
                         const QString& path, QWidget* parent)
    : ExportFrame(tr("Export a sweep"),
                  new FileRow(path,
                              tr("Its ending says the format: .webp or .gif; without one it is a "
                                 "folder of numbered .png"),
                              tr("Export a sweep"),
                              tr("WebP, without loss (*.webp);;GIF, of 255 colours (*.gif);;Folder "
                                 "of numbered PNG (*)")),
                  {}, parent),
      previewer_(std::move(preview)),
      settings_(settings),
      figure_(figure) {
  makeSlider();
  QWidget* panel = makeSettings();
  arrange({.belowPreview = slider_,
           .settings = panel,
           .settingsName = tr("Settings"),
           .save = tr("&Export"),
           .height = 560});
  connect(file_, &FileRow::changed, this, &SweepDialog::showFile);
  offer(obstacles);
  controls_.show(settings_);
  showFrames();
}

void SweepDialog::makeSlider() {
  slider_ = new QSlider(Qt::Horizontal, this);
  slider_->setAccessibleName(tr("Frame"));
  slider_->setToolTip(tr("The frame that is previewed"));
  slider_->setPageStep(1);
  connect(slider_, &QSlider::valueChanged, this, &SweepDialog::showFrame);
}

QWidget* SweepDialog::makeSettings() {
  auto* panel = new QWidget(this);
  form_ = makeForm(panel);
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
  return panel;
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
    problem = tr("There is only one frame, so nothing moves.");
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
