#include "widgets/panels/ExportDialog.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtGui/QScreen>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QVBoxLayout>

namespace softscope {
namespace {

constexpr int formWidth = 276;

template <typename Control>
Control* named(Control* control, const QString& name, const QString& tip = {}) {
  control->setAccessibleName(name);
  control->setToolTip(tip);
  return control;
}

}  // namespace

ExportDialog::ExportDialog(PrintableFigure figure, const FigureSettings& settings,
                           const QString& path, QWidget* parent)
    : QDialog(parent),
      settings_(settings),
      file_(new FileRow(
          path, tr("Its ending says the format: .pdf, .svg or .png"), tr("Export the figure"),
          tr("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;Figures (*.pdf *.svg *.png)"), this)),
      preview_(new FigurePreview(std::move(figure), this)) {
  setWindowTitle(tr("Export the figure"));
  preview_->setAccessibleName(tr("Preview"));
  message_ = named(new QLabel(this), tr("Message"));
  message_->setWordWrap(true);

  auto* panel = new QWidget(this);
  panel->setLayout(makeForm());
  auto* scroll = named(new QScrollArea(this), tr("Looks"));
  scroll->setWidget(panel);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFixedWidth(formWidth);
  auto* top = new QHBoxLayout;
  top->setSpacing(12);
  top->addWidget(preview_, 1);
  top->addWidget(scroll);

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 12, 12, 12);
  column->addLayout(top, 1);
  column->addWidget(message_);
  column->addWidget(file_);
  column->addLayout(makeButtons());
  connectControls();
  showSettings();
  resize(QSize(980, 640).boundedTo(screen()->availableSize() - QSize(40, 60)));
}

QLayout* ExportDialog::makeForm() {
  preset_ = named(new QComboBox(this), tr("Width of a paper's columns"));
  preset_->addItem(tr("One column"), FigureSettings::oneColumn);
  preset_->addItem(tr("One and a half"), FigureSettings::oneAndAHalfColumns);
  preset_->addItem(tr("Two columns"), FigureSettings::twoColumns);
  preset_->addItem(tr("Other"), QVariant());
  auto* form = new QFormLayout;
  form->setContentsMargins(0, 0, 8, 0);
  form->setVerticalSpacing(7);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->addRow(tr("For"), preset_);
  forEachSetting(figureSettings, [&](const auto& setting) {
    controls_.addRow(setting, *form, this, [this] {
      controls_.take(settings_);
      changed();
    });
  });
  return form;
}

QLayout* ExportDialog::makeButtons() {
  auto* row = new QHBoxLayout;
  auto* copy = named(new QPushButton(tr("&Copy"), this), tr("Copy"), tr("To the clipboard"));
  auto* command = named(new QPushButton(tr("Copy as co&mmand"), this), tr("Copy as command"),
                        tr("The command line that writes the same file"));
  auto* cancel = named(new QPushButton(tr("Cancel"), this), tr("Cancel"));
  save_ = named(new QPushButton(tr("&Save"), this), tr("Save"));
  for (QPushButton* button : {copy, command, cancel}) button->setAutoDefault(false);
  save_->setDefault(true);
  connect(copy, &QPushButton::clicked, this, [this] { Q_EMIT copyAsked(settings_); });
  connect(command, &QPushButton::clicked, this,
          [this] { Q_EMIT copyCommandAsked(this->path(), settings_); });
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(save_, &QPushButton::clicked, this, [this] {
    if (file_->mayWrite()) Q_EMIT saveAsked(this->path(), settings_);
  });
  row->addWidget(copy);
  row->addWidget(command);
  row->addStretch(1);
  row->addWidget(cancel);
  row->addWidget(save_);
  return row;
}

void ExportDialog::connectControls() {
  connect(preset_, &QComboBox::activated, this, [this] {
    if (!preset_->currentData().isValid()) return showSettings();
    settings_.width = preset_->currentData().toDouble();
    changed();
  });
  connect(file_, &FileRow::changed, this, &ExportDialog::showPreview);
}

void ExportDialog::showMessage(const QString& message) {
  message_->setText(message);
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
