#include "widgets/panels/ExportDialog.h"

#include "widgets/views/FigurePreview.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QPushButton>

#include <utility>

namespace softscope {

ExportDialog::ExportDialog(PrintableFigure figure, const FigureSettings& settings,
                           const QString& path, QWidget* parent)
    : ExportFrame(
          tr("Export the figure"),
          new FileRow(path, tr("Its ending says the format: .pdf, .svg or .png"),
                      tr("Export the figure"),
                      tr("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;Figures (*.pdf *.svg *.png)")),
          std::move(figure), parent),
      settings_(settings) {
  QWidget* panel = makeSettings();
  QPushButton* copy = makeButton(tr("&Copy"), tr("To the clipboard"));
  connect(copy, &QPushButton::clicked, this, [this] { Q_EMIT copyAsked(settings_); });
  arrange({.settings = panel,
           .settingsName = tr("Looks"),
           .copy = copy,
           .save = tr("&Save"),
           .height = 640});
  connectControls();
  showSettings();
}

QWidget* ExportDialog::makeSettings() {
  auto* panel = new QWidget(this);
  QFormLayout* form = makeForm(panel);
  preset_ = new QComboBox(panel);
  preset_->setAccessibleName(tr("Width of a paper's columns"));
  preset_->addItem(tr("One column"), FigureSettings::oneColumn);
  preset_->addItem(tr("One and a half"), FigureSettings::oneAndAHalfColumns);
  preset_->addItem(tr("Two columns"), FigureSettings::twoColumns);
  preset_->addItem(tr("Other"), QVariant());
  form->addRow(tr("For"), preset_);
  forEachSetting(figureSettings, [&](const auto& setting) {
    controls_.addRow(setting, *form, panel, [this] {
      controls_.take(settings_);
      changed();
    });
  });
  return panel;
}

void ExportDialog::connectControls() {
  connect(preset_, &QComboBox::activated, this, [this] {
    if (!preset_->currentData().isValid()) return showSettings();
    settings_.width = preset_->currentData().toDouble();
    changed();
  });
  connect(file_, &FileRow::changed, this, &ExportDialog::showPreview);
}

void ExportDialog::changed() {
  showSettings();
  Q_EMIT settingsChosen(settings_);
}

void ExportDialog::showSettings() {
  controls_.show(settings_);
  const int preset = preset_->findData(settings_.width);
  preset_->setCurrentIndex(preset >= 0 ? preset : preset_->count() - 1);
  showPreview();
}

void ExportDialog::showPreview() {
  const QString ending = QFileInfo(path()).suffix().toLower();
  const bool known = QStringList{"pdf", "svg", "png"}.contains(ending);
  const bool drawn = preview_->setSettings(settings_);
  save_->setEnabled(known && drawn);
  if (!drawn) {
    showMessage(preview_->problem());
  } else if (!known) {
    showMessage(tr("The file's name ends in .pdf, .svg or .png."));
  } else {
    const QSizeF size = preview_->millimetres();
    const QString folder = QDir::toNativeSeparators(QFileInfo(path()).absolutePath());
    showMessage(tr("%1 × %2 mm, into the folder %3")
                    .arg(QString::number(size.width(), 'f', 0),
                         QString::number(size.height(), 'f', 0), folder));
  }
}

}  // namespace softscope
