#include "widgets/panels/ModelPanel.h"

#include "core/attention/Mechanism.h"
#include "widgets/controls/ElidedLabel.h"
#include "widgets/controls/ToolTips.h"
#include "widgets/panels/SettingRows.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <initializer_list>

namespace softscope {
namespace {

QString countText(double count) {
  if (count >= 1e6) return QStringLiteral("%1 M").arg(count / 1e6, 0, 'f', 1);
  if (count >= 1e3) return QStringLiteral("%1 k").arg(count / 1e3, 0, 'f', 1);
  return QString::number(count);
}

QString classesText(int classes) {
  return classes == 1 ? QStringLiteral("1 class") : QStringLiteral("%1 classes").arg(classes);
}

QString recordingText(const ModelSummary& summary) {
  QString text = QStringLiteral("recording");
  if (summary.isPublished()) {
    text += QStringLiteral(" of ") + QString::fromStdString(summary.variant);
  }
  text += QStringLiteral(" · no weights");
  if (summary.classes > 0) text += QStringLiteral(" · ") + classesText(summary.classes);
  return text;
}

QString liveText(const ModelSummary& summary) {
  QString text = QStringLiteral("in Python");
  if (summary.isPublished()) {
    text = QString::fromStdString(summary.variant) + QStringLiteral(" ") + text;
  }
  if (summary.classes > 0) text += QStringLiteral(" · ") + classesText(summary.classes);
  return text;
}

QString aboutModelText(const ModelSummary& summary) {
  if (summary.recorded) return recordingText(summary);
  if (summary.isLive) return liveText(summary);
  if (summary.isPublished()) return QString::fromStdString(summary.variant);
  return ModelPanel::tr("Family %1, no published variant")
      .arg(QString::fromStdString(summary.family));
}

/// Returns `22 M parameters · 10 classes`; empty for a recording and for a live model.
QString countsText(const ModelSummary& summary) {
  if (summary.recorded || summary.isLive) return {};
  const QString parameters =
      QStringLiteral("%1 parameters · ").arg(countText(double(summary.parameters)));
  return parameters +
         (summary.classes > 0 ? classesText(summary.classes) : QStringLiteral("backbone"));
}

QComboBox* makeCombo(QWidget* parent, const QString& name, const QString& tip) {
  auto* combo = new QComboBox(parent);
  combo->setAccessibleName(name);
  combo->setToolTip(tip);
  combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  combo->setMinimumContentsLength(5);
  return combo;
}

}  // namespace

ModelPanel::ModelPanel(QWidget* parent)
    : QWidget(parent),
      name_(new ElidedLabel(this)),
      about_(new ElidedLabel(this)),
      counts_(new ElidedLabel(this)),
      counterfactual_(new QLabel(this)),
      mechanism_(makeCombo(this, tr("Mechanism"),
                           tr("The attention mechanism; lists those that these weights allow"))),
      landmarks_(makeCombo(this, tr("Landmarks"),
                           tr("The tokens through which all others attend: the landmarks that were "
                              "trained, means of queries that lie together, queries drawn at "
                              "random, or the first ones"))),
      landmarkNumbers_(new LandmarkNumbers(this)),
      headCount_(makeCombo(this, tr("Number of heads"),
                           tr("Heads of each stage; where no weight tells them, another number can "
                              "be chosen"))),
      assumed_(new QLabel(this)),
      granted_(new QLabel(this)),
      settings_(new SettingRows(this)),
      size_(makeCombo(this, tr("Input size"),
                      tr("What the picture is scaled to: a side of the centre crop (224), the "
                         "whole picture at height x width (320x480), or full"))),
      device_(makeCombo(this, tr("Device"), tr("Where the model runs"))),
      run_(new ElidedLabel(this)),
      form_(new QFormLayout) {
  describe();
  fillForm();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 6, 12, 10);
  column->setSpacing(2);
  column->addWidget(name_);
  column->addWidget(about_);
  column->addWidget(counts_);
  column->addSpacing(6);
  column->addLayout(form_);
  column->addSpacing(4);
  column->addWidget(run_);
  column->addStretch(1);
  connectControls();
  clearModel();
}

void ModelPanel::describe() {
  name_->setScale(1.0, QFont::DemiBold);
  name_->setElideMode(Qt::ElideMiddle);
  for (ElidedLabel* label : {about_, counts_, run_}) {
    label->setMuted(true);
    label->setScale(0.92);
  }
  assumed_->setWordWrap(true);
  assumed_->setTextFormat(Qt::PlainText);
  granted_->setWordWrap(true);
  granted_->setTextFormat(Qt::PlainText);
  granted_->setText(tr("Taken for granted: what no file tells"));
  counterfactual_->setText(tr("Not as it was trained: a what-if"));
  counterfactual_->setToolTip(
      tr("These weights were trained with another mechanism, activation or number of heads, or "
         "with landmarks of their own."));
}

void ModelPanel::fillForm() {
  for (const LandmarkSource source : landmarkSources) {
    landmarks_->addItem(QString::fromStdString(nameOf(source)));
  }
  size_->setEditable(true);
  size_->setInsertPolicy(QComboBox::NoInsert);
  form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form_->setVerticalSpacing(6);
  form_->setHorizontalSpacing(10);
  form_->addRow(tr("Mechanism"), mechanism_);
  form_->addRow(tr("Landmarks"), landmarks_);
  form_->addRow(QString(), landmarkNumbers_);
  form_->addRow(counterfactual_);
  form_->addRow(tr("Heads"), headCount_);
  form_->addRow(assumed_);
  form_->addRow(granted_);
  form_->addRow(settings_);
  form_->addRow(tr("Input"), size_);
  form_->addRow(tr("Device"), device_);
  int labelWidth = 0;
  for (QWidget* field : std::initializer_list<QWidget*>{mechanism_, landmarks_, device_}) {
    labelWidth = std::max(labelWidth, form_->labelForField(field)->sizeHint().width());
  }
  settings_->setLabelWidth(labelWidth);
}

void ModelPanel::connectControls() {
  connect(mechanism_, &QComboBox::activated, this,
          [this] { Q_EMIT mechanismChosen(mechanism_->currentData().toString().toStdString()); });
  connect(landmarks_, &QComboBox::activated, this, [this](int index) {
    LandmarkChoice landmarks = shownLandmarks_;
    landmarks.source = landmarkSources[static_cast<std::size_t>(index)];
    if (landmarks.source != LandmarkSource::Random) landmarks.seed = 0;
    Q_EMIT landmarksChosen(landmarks.isTrained() ? LandmarkChoice() : landmarks);
  });
  connect(landmarkNumbers_, &LandmarkNumbers::chosen, this, &ModelPanel::landmarksChosen);
  connect(headCount_, &QComboBox::activated, this, [this] {
    const std::string text = headCount_->currentText().toStdString();
    if (const auto heads = parseHeadCounts(text)) Q_EMIT headsChosen(*heads);
  });
  connect(settings_, &SettingRows::chosen, this, &ModelPanel::settingChosen);
  connect(device_, &QComboBox::activated, this,
          [this] { Q_EMIT deviceChosen(device_->currentData().toString().toStdString()); });
  connect(size_, &QComboBox::activated, this, [this](int index) {
    if (size_->itemData(index).isValid()) {
      const std::string text = size_->itemData(index).toString().toStdString();
      Q_EMIT inputSizeChosen(parseInputSize(text).value_or(InputSize()));
    }
  });
  connect(size_->lineEdit(), &QLineEdit::returnPressed, this, &ModelPanel::chooseTypedSize);
  // Keeps the beginning of the text, which is the number, visible in a narrow field.
  connect(size_, &QComboBox::currentIndexChanged, size_->lineEdit(),
          [this] { size_->lineEdit()->setCursorPosition(0); });
}

void ModelPanel::clearModel() {
  name_->setText(tr("No model"));
  about_->setText(tr("Open a checkpoint"));
  counts_->hide();
  counterfactual_->hide();
  form_->setRowVisible(landmarks_, false);
  form_->setRowVisible(landmarkNumbers_, false);
  fillSettings({}, {});
  run_->setText({});
  for (QComboBox* combo : {mechanism_, headCount_, size_}) {
    const QSignalBlocker quiet(combo);
    combo->clear();
    combo->setEnabled(false);
  }
  size_->lineEdit()->setModified(false);
  device_->setEnabled(false);
}

void ModelPanel::setDevices(const std::vector<ComputeDevice>& devices) {
  const QSignalBlocker quiet(device_);
  device_->clear();
  for (const ComputeDevice& device : devices) {
    const QString text = QString::fromStdString(deviceText(device));
    device_->addItem(text, QString::fromStdString(device.name));
    device_->setItemData(device_->count() - 1, text, Qt::ToolTipRole);
  }
}

void ModelPanel::setRun(const QString& text) {
  run_->setText(text);
}

void ModelPanel::setModel(const QString& name, const ModelSummary& summary, const InputSize& size,
                          const std::string& device) {
  const QSignalBlocker quietMechanism(mechanism_);
  const QSignalBlocker quietSize(size_);
  const QSignalBlocker quietDevice(device_);
  name_->setText(name);
  about_->setText(aboutModelText(summary));
  counts_->setText(countsText(summary));
  counts_->setVisible(!counts_->text().isEmpty());
  counterfactual_->setVisible(summary.counterfactual);
  mechanism_->clear();
  const auto addMechanism = [this](const std::string& name) {
    mechanism_->addItem(QString::fromStdString(titleOfMechanism(name)),
                        QString::fromStdString(name));
  };
  for (const std::string& alternative : summary.alternatives) addMechanism(alternative);
  const QString chosen = QString::fromStdString(summary.mechanism);
  if (mechanism_->findData(chosen) < 0) addMechanism(summary.mechanism);
  // The order does not depend on the chosen mechanism.
  mechanism_->model()->sort(0);
  mechanism_->setCurrentIndex(mechanism_->findData(chosen));
  mechanism_->setEnabled(mechanism_->count() > 1);
  fillLandmarks(summary);
  fillHeads(summary);
  fillSettings(summary, size);
  fillSizes(summary, size);
  const int index = device_->findData(QString::fromStdString(device));
  if (index >= 0) device_->setCurrentIndex(summary.isLive ? -1 : index);
  device_->setPlaceholderText(summary.isLive ? tr("where Python has it")
                                             : QString::fromStdString(device));
  // The closed combo box is too narrow for the full text.
  const QString where =
      tr("Where the model runs: %1")
          .arg(device_->currentIndex() < 0 ? device_->placeholderText() : device_->currentText());
  // Devices are not listed before the model has run.
  device_->setToolTip(device_->count() == 1 ? where + tr("; this computer has no other device")
                                            : where);
  const bool runsHere = !summary.recorded && !summary.isLive;
  size_->setEnabled(runsHere);
  device_->setEnabled(runsHere && device_->count() > 1);
}

void ModelPanel::fillLandmarks(const ModelSummary& summary) {
  const QSignalBlocker quiet(landmarks_);
  shownLandmarks_ = summary.landmarks;
  const auto* shown =
      std::find(landmarkSources.begin(), landmarkSources.end(), summary.landmarks.source);
  landmarks_->setCurrentIndex(static_cast<int>(shown - landmarkSources.begin()));
  landmarkNumbers_->setChoice(summary.landmarks);
  const bool takes = takesLandmarks(summary.mechanism) && !summary.recorded;
  form_->setRowVisible(landmarks_, takes);
  form_->setRowVisible(landmarkNumbers_, takes && !summary.landmarks.isTrained());
}

void ModelPanel::fillHeads(const ModelSummary& summary) {
  const QSignalBlocker quiet(headCount_);
  headCount_->clear();
  const NetworkSetting* heads = summary.setting("heads");
  const bool isChoosable = heads && heads->isChoosable();
  enableFor(*headCount_, isChoosable ? QString()
                                     : tr("Heads of each stage, as the file or its family tells "
                                          "them; there is no other number to choose"));
  if (isChoosable) {
    std::vector<HeadCounts> counts;
    for (const std::string& choice : heads->choices) {
      if (const auto read = parseHeadCounts(choice)) counts.push_back(*read);
    }
    std::sort(counts.begin(), counts.end(),
              [](const HeadCounts& a, const HeadCounts& b) { return a.counts() < b.counts(); });
    for (const HeadCounts& count : counts) {
      headCount_->addItem(QString::fromStdString(count.text()));
    }
    headCount_->setCurrentText(QString::fromStdString(heads->value));
    return;
  }
  QStringList stages;
  for (const int count : summary.heads) stages += QString::number(count);
  headCount_->addItem(stages.join(QStringLiteral(", ")));
}

void ModelPanel::fillSettings(const ModelSummary& summary, const InputSize& size) {
  QStringList assumed;
  // The panel has room for titles alone; reasons and options stand in the tool tip.
  QStringList reasons;
  const bool hasSize = size.kind != InputSize::Kind::Published;
  for (const NetworkSetting& setting : summary.undetermined()) {
    if (hasSize && setting.option == "size") continue;
    const QString title = settingTitle(setting.option);
    assumed += title.toLower();
    reasons += QStringLiteral("%1: %2").arg(title, QString::fromStdString(setting.why));
  }
  // A size that the user chooses says itself whether pictures are cropped.
  const bool isExtentAssumed = summary.family == "structure" && !hasSize;
  QStringList preparation;
  if (isExtentAssumed) {
    for (const std::string& doubt : summary.preparationDoubts) {
      preparation += QString::fromStdString(doubt);
    }
  }
  if (!preparation.isEmpty()) assumed += tr("how pictures are resized");
  assumed_->setToolTip((reasons + preparation).join(u'\n'));
  assumed_->setAccessibleDescription(assumed_->toolTip());
  assumed_->setText(tr("Assumed, since the file does not tell: %1").arg(assumed.join(u", ")));
  form_->setRowVisible(assumed_, !assumed.empty());
  const QString granted = QString::fromStdString(summary.takenForGranted);
  granted_->setToolTip(granted);
  granted_->setAccessibleDescription(granted);
  form_->setRowVisible(granted_, !granted.isEmpty());
  settings_->setSettings(summary.settings);
  form_->setRowVisible(settings_, !settings_->isHidden());
}

void ModelPanel::fillSizes(const ModelSummary& summary, const InputSize& size) {
  shownSize_ = size;
  // The size of a variant, of a configuration or of a family: a file may have been trained at
  // another without telling.
  const InputTransform& byDefault = summary.transform;
  QString defaultText = QString::number(byDefault.height);
  if (byDefault.width != byDefault.height) {
    defaultText += QStringLiteral(" × %1").arg(byDefault.width);
  }
  // Text that the user is typing is kept when the panel is updated.
  const QLineEdit& field = *size_->lineEdit();
  const bool typing = field.hasFocus() && field.isModified();
  const QString typed = field.text();
  size_->clear();
  size_->addItem(summary.recorded ? tr("%1 (recorded)").arg(defaultText)
                 : summary.isLive ? tr("as Python prepares it")
                                  : tr("%1 (default)").arg(defaultText),
                 QString());
  for (const int side : {128, 160, 192, 224, 256, 384, 512}) {
    size_->addItem(QString::number(side), QString::number(side));
  }
  size_->addItem(tr("Whole picture"), QStringLiteral("full"));
  const QString wanted = QString::fromStdString(inputSizeText(size));
  int index = size_->findData(wanted);
  if (index < 0) {
    size_->addItem(wanted, wanted);
    index = size_->count() - 1;
  }
  size_->setCurrentIndex(index);
  // Keeps the number visible in a narrow field; the signal does this only if the index has changed.
  size_->lineEdit()->setCursorPosition(0);
  if (!typing) return;
  size_->setEditText(typed);
  size_->lineEdit()->setModified(true);
}

void ModelPanel::chooseTypedSize() {
  size_->lineEdit()->setModified(false);
  const QString text = size_->currentText().trimmed();
  const int known = size_->findText(text);
  const std::string spec =
      known >= 0 ? size_->itemData(known).toString().toStdString() : text.toStdString();
  const std::optional<InputSize> size = spec.empty() ? InputSize() : parseInputSize(spec);
  if (size) {
    Q_EMIT inputSizeChosen(*size);
  } else {
    const QString wanted = QString::fromStdString(inputSizeText(shownSize_));
    size_->setCurrentIndex(size_->findData(wanted));
    size_->setEditText(size_->currentText());
    Q_EMIT inputSizeRefused(text);
  }
}

}  // namespace softscope
