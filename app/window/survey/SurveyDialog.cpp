#include "app/window/survey/SurveyDialog.h"

#include "core/Error.h"
#include "core/survey/measures/Measure.h"
#include "widgets/controls/BusyBar.h"
#include "widgets/controls/NameText.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QStandardPaths>
#include <QtCore/QThread>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

constexpr int mostPictures = 10'000'000;

QStringList wordsOf(const std::vector<std::string>& words) {
  QStringList list;
  for (const std::string& word : words) list.append(QString::fromStdString(word));
  return list;
}

QListWidget* checkList(const QString& name, int rows) {
  auto* list = new QListWidget;
  list->setAccessibleName(name);
  list->setSelectionMode(QAbstractItemView::NoSelection);
  // Long titles are elided; the tips name all.
  list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list->setMinimumHeight(rows * (list->fontMetrics().height() + 6));
  return list;
}

QListWidgetItem* addCheck(QListWidget& list, const QString& text, bool checked) {
  auto* item = new QListWidgetItem(text, &list);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsUserCheckable);
  item->setCheckState(checked ? Qt::Checked : Qt::Unchecked);
  return item;
}

/// Returns a button that sets all checks of a list.
QPushButton* checkAllButton(QListWidget& list, const QString& text, Qt::CheckState state) {
  auto* button = new QPushButton(text);
  button->setAccessibleName(text + u' ' + list.accessibleName().toLower());
  button->setAutoDefault(false);
  QObject::connect(button, &QPushButton::clicked, &list, [&list, state] {
    for (int i = 0; i < list.count(); ++i) list.item(i)->setCheckState(state);
  });
  return button;
}

/// Returns the indices of the checked rows.
std::vector<int> checkedRows(const QListWidget& list) {
  std::vector<int> rows;
  for (int i = 0; i < list.count(); ++i) {
    if (list.item(i)->checkState() == Qt::Checked) rows.push_back(i);
  }
  return rows;
}

/// Returns an input line beside a button that chooses its content.
QWidget* withButton(QLineEdit* line, QPushButton* button) {
  auto* both = new QWidget;
  auto* row = new QHBoxLayout(both);
  row->setContentsMargins({});
  row->addWidget(line);
  row->addWidget(button);
  return both;
}

}  // namespace

SurveyDialog::SurveyDialog(const QString& program, std::vector<FigureModel> models, QWidget* parent)
    : QDialog(parent),
      process_(program),
      models_(std::move(models)),
      folder_(new QLineEdit),
      file_(new QLineEdit),
      limit_(new QSpinBox),
      modelList_(checkList(tr("Models"), 3)),
      measureList_(checkList(tr("Measures"), 8)),
      choices_(new QWidget),
      bar_(new BusyBar),
      words_(new QLabel),
      run_(new QPushButton) {
  setWindowTitle(tr("New survey"));
  auto* column = new QVBoxLayout(this);
  auto* form = new QFormLayout(choices_);
  form->setContentsMargins({});
  column->addWidget(choices_);
  addPlaces();
  addModels();
  addMeasures();
  addProgress();
  connect(run_, &QPushButton::clicked, this, &SurveyDialog::startOrStop);
  connect(&process_, &SurveyProcess::progressed, this, &SurveyDialog::showProgress);
  connect(&process_, &SurveyProcess::ended, this, &SurveyDialog::finish);
  showRunning(false);
  resize(560, sizeHint().height());
}

void SurveyDialog::addPlaces() {
  auto* form = static_cast<QFormLayout*>(choices_->layout());
  folder_->setPlaceholderText(tr("A folder of pictures, with or without class folders"));
  folder_->setAccessibleName(tr("Folder of pictures"));
  auto* chooseFolderButton = new QPushButton(tr("Choose…"));
  chooseFolderButton->setAccessibleName(tr("Choose the folder of pictures"));
  connect(chooseFolderButton, &QPushButton::clicked, this, &SurveyDialog::chooseFolder);
  connect(folder_, &QLineEdit::textChanged, this, &SurveyDialog::showObstacle);
  connect(folder_, &QLineEdit::editingFinished, this, [this] {
    if (!folder_->text().isEmpty()) setFolder(folder_->text());
  });
  form->addRow(tr("Pictures"), withButton(folder_, chooseFolderButton));

  limit_->setRange(0, mostPictures);
  limit_->setSpecialValueText(tr("All"));
  limit_->setAccessibleName(tr("How many pictures"));
  limit_->setToolTip(tr("Number of pictures, spread evenly over the folder"));
  form->addRow(tr("How many"), limit_);

  file_->setAccessibleName(tr("Survey file"));
  file_->setToolTip(tr("If this survey was stopped before, it continues where it left off"));
  auto* chooseFileButton = new QPushButton(tr("Choose…"));
  chooseFileButton->setAccessibleName(tr("Choose the survey file"));
  connect(chooseFileButton, &QPushButton::clicked, this, &SurveyDialog::chooseFile);
  connect(file_, &QLineEdit::textChanged, this, &SurveyDialog::showObstacle);
  form->addRow(tr("Write to"), withButton(file_, chooseFileButton));
}

void SurveyDialog::addModels() {
  for (const FigureModel& model : models_) {
    addCheck(*modelList_, QString::fromStdString(model.name), true)
        ->setToolTip(QString::fromStdString(model.request.path));
  }
  modelList_->setMaximumHeight(modelList_->minimumHeight());
  connect(modelList_, &QListWidget::itemChanged, this, &SurveyDialog::showObstacle);
  static_cast<QFormLayout*>(choices_->layout())->addRow(tr("Models"), modelList_);
}

void SurveyDialog::addMeasures() {
  for (const Measure& measure : allMeasures()) {
    const QString title = QString::fromStdString(measure.title);
    auto* item =
        addCheck(*measureList_, measure.isCheap() ? title : tr("%1 (takes long)").arg(title),
                 measure.isCheap());
    item->setData(Qt::UserRole, QString::fromStdString(measure.name));
    item->setToolTip(
        tr("%1, of every %2")
            .arg(QString::fromStdString(measure.name), QString::fromStdString(measure.scope())));
  }
  connect(measureList_, &QListWidget::itemChanged, this, &SurveyDialog::showObstacle);
  auto* form = static_cast<QFormLayout*>(choices_->layout());
  form->addRow(tr("Measures"), measureList_);
  auto* checks = new QHBoxLayout;
  checks->addWidget(checkAllButton(*measureList_, tr("All"), Qt::Checked));
  checks->addWidget(checkAllButton(*measureList_, tr("None"), Qt::Unchecked));
  checks->addStretch(1);
  form->addRow(QString(), checks);
}

void SurveyDialog::addProgress() {
  words_->setWordWrap(true);
  bar_->setTextVisible(false);
  auto* buttons = new QHBoxLayout;
  auto* close = new QPushButton(tr("Close"));
  buttons->addWidget(words_, 1);
  auto* box = new QDialogButtonBox;
  box->addButton(run_, QDialogButtonBox::AcceptRole);
  box->addButton(close, QDialogButtonBox::RejectRole);
  buttons->addWidget(box);
  static_cast<QVBoxLayout*>(layout())->addWidget(bar_);
  static_cast<QVBoxLayout*>(layout())->addLayout(buttons);
  run_->setDefault(true);
  close->setAutoDefault(false);
  connect(close, &QPushButton::clicked, this, &SurveyDialog::reject);
}

std::vector<FigureModel> SurveyDialog::chosenModels() const {
  std::vector<FigureModel> chosen;
  for (const int row : checkedRows(*modelList_)) {
    chosen.push_back(models_[static_cast<std::size_t>(row)]);
  }
  return chosen;
}

QStringList SurveyDialog::arguments() const {
  const std::vector<FigureModel> chosen = chosenModels();
  QStringList measures;
  for (const int row : checkedRows(*measureList_)) {
    measures.append(measureList_->item(row)->data(Qt::UserRole).toString());
  }
  QStringList words = wordsOf(modelOptions(chosen));
  // A survey has one input size for all of its models: the window's, if these models share one.
  const QStringList size = wordsOf(sizeOptions(chosen));
  if (size.size() == 2) words += size;
  words += {QStringLiteral("--measure"), measures.join(u','), QStringLiteral("-o"), file_->text()};
  // Leave one core to the window, unless the user has set the number to use.
  const int cores = QThread::idealThreadCount();
  const int workers = threads_ > 0 ? std::min(threads_, cores) : std::max(1, cores - 1);
  words += {QStringLiteral("--workers"), QString::number(workers)};
  if (limit_->value() > 0) words += {QStringLiteral("--limit"), QString::number(limit_->value())};
  return words + QStringList{QStringLiteral("--"), folder_->text()};
}

void SurveyDialog::setFolder(const QString& folder) {
  folder_->setText(folder);
  if (!file_->text().isEmpty()) return;
  const QString place = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  const QDir documents(QFileInfo(place).isDir() ? place : QDir::homePath());
  file_->setText(documents.filePath(QDir(folder).dirName() + QStringLiteral(".survey")));
}

QString SurveyDialog::file() const {
  return file_->text();
}

void SurveyDialog::setFile(const QString& file) {
  file_->setText(file);
}

void SurveyDialog::chooseFolder() {
  const QString folder =
      QFileDialog::getExistingDirectory(this, tr("The folder of pictures"), folder_->text());
  if (!folder.isEmpty()) setFolder(folder);
}

void SurveyDialog::chooseFile() {
  // An existing survey with the same choices is continued, so overwriting need not be confirmed.
  const QString file = QFileDialog::getSaveFileName(this, tr("The survey to create or to continue"),
                                                    file_->text(), tr("Surveys (*.survey)"),
                                                    nullptr, QFileDialog::DontConfirmOverwrite);
  if (!file.isEmpty()) {
    setFile(file.endsWith(QLatin1String(".survey")) ? file : file + QStringLiteral(".survey"));
  }
}

QString SurveyDialog::obstacle() const {
  if (models_.empty()) return tr("Open a model with weights first");
  if (folder_->text().isEmpty()) return tr("Choose a folder of pictures");
  if (!file_->text().endsWith(QLatin1String(".survey"))) {
    return tr("Choose a file that ends in .survey");
  }
  if (checkedRows(*modelList_).empty()) return tr("Choose a model");
  if (checkedRows(*measureList_).empty()) return tr("Choose a measure");
  return {};
}

void SurveyDialog::showObstacle() {
  if (process_.isRunning()) return;
  run_->setEnabled(obstacle().isEmpty());
  words_->setText(breakable(obstacle()));
}

void SurveyDialog::startOrStop() {
  if (process_.isRunning()) {
    stop();
  } else {
    start();
  }
}

void SurveyDialog::start() {
  if (process_.isRunning()) return;
  try {
    requireUnchanged(chosenModels());
  } catch (const Error& error) {
    words_->setText(breakable(QString::fromUtf8(error.what())));
    return;
  }
  showRunning(true);
  // The button now says Stop: pressing Return once more must not stop what it has just begun.
  if (run_->hasFocus()) setFocus();
  Q_EMIT started(file());
  Q_EMIT progressed(words_->text(), 0);
  process_.start(arguments());
}

void SurveyDialog::stop() {
  if (!process_.isRunning()) return;
  run_->setEnabled(false);
  words_->setText(tr("Stopping; what is measured stays"));
  Q_EMIT progressed(words_->text(),
                    bar_->maximum() > 0 ? double(bar_->value()) / bar_->maximum() : 0);
  process_.stop();
}

void SurveyDialog::showRunning(bool running) {
  choices_->setEnabled(!running);
  bar_->setVisible(running);
  bar_->setRange(0, 0);
  run_->setText(running ? tr("Stop") : tr("Measure"));
  run_->setEnabled(true);
  if (running) {
    words_->setText(tr("Opening models"));
  } else {
    showObstacle();
  }
}

void SurveyDialog::showProgress(int done, int pictures, const QString& words) {
  bar_->setRange(0, pictures);
  bar_->setValue(done);
  words_->setText(breakable(words));
  Q_EMIT progressed(words, pictures > 0 ? double(done) / pictures : 0);
}

void SurveyDialog::finish(const QString& failure) {
  const QString file = file_->text();
  const QString said = words_->text();
  showRunning(false);
  Q_EMIT ended(failure);
  if (failure.isEmpty()) {
    const QStringList& passedOver = process_.passedOver();
    words_->setText(
        passedOver.isEmpty()
            ? said
            : breakable(tr("Everything else is measured; %1").arg(passedOver.join(u"; "))));
    // Stays open for its user to read which pictures were passed over.
    setVisible(!passedOver.isEmpty());
    Q_EMIT measured(file);
  } else {
    words_->setText(breakable(failure));
    show();
  }
}

void SurveyDialog::reject() {
  hide();
}

void SurveyDialog::keyPressEvent(QKeyEvent* event) {
  const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  const QWidget* at = focusWidget();
  const bool isInField = at && (at == limit_ || at == folder_ || at == file_);
  // A button that has the focus takes Return itself.
  if (isEnter && (isInField || process_.isRunning())) return;
  QDialog::keyPressEvent(event);
}

}  // namespace softscope
