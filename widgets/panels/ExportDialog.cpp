#include "widgets/panels/ExportDialog.h"

#include <QtCore/QFileInfo>
#include <QtCore/QSignalBlocker>
#include <QtGui/QScreen>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QFontComboBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QSpinBox>
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

QDoubleSpinBox* decimals(QWidget* parent, double least, double most, const QString& unit) {
  auto* box = new QDoubleSpinBox(parent);
  box->setRange(least, most);
  box->setDecimals(1);
  box->setSuffix(unit);
  box->setKeyboardTracking(false);
  return box;
}

QSpinBox* whole(QWidget* parent, int least, int most) {
  auto* box = new QSpinBox(parent);
  box->setRange(least, most);
  box->setKeyboardTracking(false);
  return box;
}

/// Whether nothing is lost by writing to `path`, or the user says that it may be.
bool mayWrite(QWidget* parent, const QString& path) {
  if (!QFileInfo::exists(path)) return true;
  QMessageBox question(QMessageBox::Question, ExportDialog::tr("Replace the file?"),
                       ExportDialog::tr("%1 is there already.").arg(QFileInfo(path).fileName()),
                       QMessageBox::Cancel, parent);
  auto* replace = question.addButton(ExportDialog::tr("&Replace"), QMessageBox::AcceptRole);
  question.setDefaultButton(QMessageBox::Cancel);
  question.exec();
  return question.clickedButton() == replace;
}

}  // namespace

ExportDialog::ExportDialog(PrintableFigure figure, const FigureSettings& settings,
                           const QString& path, QWidget* parent)
    : QDialog(parent), settings_(settings), preview_(new FigurePreview(std::move(figure), this)) {
  setWindowTitle(tr("Export the figure"));
  preview_->setAccessibleName(tr("Preview"));
  makeControls();
  path_->setText(path);
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
  column->addLayout(makePathRow());
  column->addLayout(makeButtons());
  connectControls();
  showSettings();
  resize(QSize(980, 640).boundedTo(screen()->availableSize() - QSize(40, 60)));
}

void ExportDialog::makeControls() {
  preset_ = named(new QComboBox(this), tr("Width of a paper's columns"));
  preset_->addItem(tr("One column"), FigureSettings::oneColumn);
  preset_->addItem(tr("One and a half"), FigureSettings::oneAndAHalfColumns);
  preset_->addItem(tr("Two columns"), FigureSettings::twoColumns);
  preset_->addItem(tr("Other"), QVariant());
  width_ = named(decimals(this, 20, 2000, tr(" mm")), tr("Width"), tr("Of the whole figure"));
  columns_ = named(whole(this, 0, 64), tr("Columns"), tr("Of panels"));
  columns_->setSpecialValueText(tr("Automatic"));
  dpi_ = named(whole(this, 20, 2400), tr("Resolution"), tr("Of pictures and heat maps"));
  dpi_->setSuffix(tr(" dpi"));
  dpi_->setSingleStep(50);
  font_ = named(new QFontComboBox(this), tr("Font"));
  font_->setEditable(false);
  font_->setMinimumContentsLength(8);
  font_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  points_ = named(decimals(this, 3, 72, tr(" pt")), tr("Size of letters"),
                  tr("Of titles; the rest is a little smaller"));
  points_->setSingleStep(0.5);
  ground_ = named(new QComboBox(this), tr("Ground"), tr("What the figure stands on"));
  ground_->addItems({tr("White"), tr("Dark"), tr("Transparent")});
  titles_ = named(new QCheckBox(tr("Titles"), this), tr("Titles"), tr("Captions and panel titles"));
  letters_ = named(new QCheckBox(tr("Letters (a), (b)"), this), tr("Letters"),
                   tr("Before what a caption refers to"));
  colorBars_ = named(new QCheckBox(tr("Colour bars"), this), tr("Colour bars"));
  path_ =
      named(new QLineEdit(this), tr("File"), tr("Its ending says the format: .pdf, .svg or .png"));
}

QLayout* ExportDialog::makeForm() {
  auto* form = new QFormLayout;
  form->setContentsMargins(0, 0, 8, 0);
  form->setVerticalSpacing(7);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->addRow(tr("For"), preset_);
  form->addRow(tr("Width"), width_);
  form->addRow(tr("Columns"), columns_);
  form->addRow(tr("Resolution"), dpi_);
  form->addRow(tr("Font"), font_);
  form->addRow(tr("Letters"), points_);
  form->addRow(tr("Ground"), ground_);
  form->addRow(QString(), titles_);
  form->addRow(QString(), letters_);
  form->addRow(QString(), colorBars_);
  return form;
}

QLayout* ExportDialog::makePathRow() {
  auto* row = new QHBoxLayout;
  auto* label = new QLabel(tr("&File"), this);
  label->setBuddy(path_);
  auto* browse = named(new QPushButton(tr("&Browse…"), this), tr("Browse for a file"));
  browse->setAutoDefault(false);
  connect(browse, &QPushButton::clicked, this, &ExportDialog::browse);
  row->addWidget(label);
  row->addWidget(path_, 1);
  row->addWidget(browse);
  return row;
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
    if (mayWrite(this, this->path())) Q_EMIT saveAsked(this->path(), settings_);
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
    if (preset_->currentData().isValid()) width_->setValue(preset_->currentData().toDouble());
    showSettings();
  });
  for (QDoubleSpinBox* box : {width_, points_}) {
    connect(box, &QDoubleSpinBox::valueChanged, this, &ExportDialog::choose);
  }
  for (QSpinBox* box : {columns_, dpi_}) {
    connect(box, &QSpinBox::valueChanged, this, &ExportDialog::choose);
  }
  for (QCheckBox* box : {titles_, letters_, colorBars_}) {
    connect(box, &QCheckBox::toggled, this, &ExportDialog::choose);
  }
  connect(font_, &QFontComboBox::currentFontChanged, this, &ExportDialog::choose);
  connect(ground_, &QComboBox::activated, this, &ExportDialog::choose);
  connect(path_, &QLineEdit::textChanged, this, &ExportDialog::showPreview);
}

QString ExportDialog::path() const {
  return path_->text().trimmed();
}

void ExportDialog::showMessage(const QString& message) {
  message_->setText(message);
}

void ExportDialog::choose() {
  settings_.width = width_->value();
  settings_.columns = columns_->value();
  settings_.dpi = dpi_->value();
  settings_.font = font_->currentFont().family().toStdString();
  settings_.points = points_->value();
  settings_.ground = static_cast<FigureSettings::Ground>(ground_->currentIndex());
  settings_.titles = titles_->isChecked();
  settings_.letters = letters_->isChecked();
  settings_.colorBars = colorBars_->isChecked();
  showSettings();
  Q_EMIT settingsChosen(settings_);
}

void ExportDialog::showSettings() {
  const QSignalBlocker quiet[] = {QSignalBlocker(width_),   QSignalBlocker(columns_),
                                  QSignalBlocker(dpi_),     QSignalBlocker(font_),
                                  QSignalBlocker(points_),  QSignalBlocker(titles_),
                                  QSignalBlocker(letters_), QSignalBlocker(colorBars_)};
  width_->setValue(settings_.width);
  const int preset = preset_->findData(settings_.width);
  preset_->setCurrentIndex(preset >= 0 ? preset : preset_->count() - 1);
  columns_->setValue(settings_.columns);
  dpi_->setValue(settings_.dpi);
  font_->setCurrentFont(QFont(QString::fromStdString(settings_.font)));
  points_->setValue(settings_.points);
  ground_->setCurrentIndex(static_cast<int>(settings_.ground));
  titles_->setChecked(settings_.titles);
  letters_->setChecked(settings_.letters);
  colorBars_->setChecked(settings_.colorBars);
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
    showMessage(tr("%1 × %2 mm").arg(size.width(), 0, 'f', 0).arg(size.height(), 0, 'f', 0));
  }
}

void ExportDialog::browse() {
  const QString chosen = QFileDialog::getSaveFileName(
      this, tr("Export the figure"), path(),
      tr("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;Figures (*.pdf *.svg *.png)"), nullptr,
      QFileDialog::DontConfirmOverwrite);
  if (!chosen.isEmpty()) path_->setText(chosen);
}

}  // namespace softscope
