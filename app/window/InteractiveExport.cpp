#include "app/window/InteractiveExport.h"

#include "app/window/OpenFiles.h"
#include "app/window/RecentMenu.h"
#include "app/window/WindowActions.h"
#include "core/Error.h"
#include "core/files/AtomicFile.h"
#include "core/interactive/InteractiveFile.h"
#include "core/live/LiveModels.h"
#include "widgets/controls/NameText.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelRun.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceFigures.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtGui/QAction>
#include <QtWidgets/QDialog>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QVBoxLayout>

#include <utility>

namespace softscope {
namespace {

/// So many layers of a small network fit into a page.
constexpr std::size_t fewLayers = 8;

/// Asks which layers of a model a page holds.
class PageLayersDialog : public QDialog {
 public:
  PageLayersDialog(const OpenedModel& opened, QWidget* parent)
      : QDialog(parent), list_(new QListWidget) {
    setWindowTitle(InteractiveExport::tr("Export interactive page"));
    auto* about = new QLabel(
        InteractiveExport::tr(
            "A single .html file, in which a reader clicks patches of these layers and sees their "
            "heads. It opens in any browser, without a network, and has at most %1.")
            .arg(QString::fromStdString(megabytesText(interactiveLimit))));
    about->setWordWrap(true);
    list_->setAccessibleName(InteractiveExport::tr("Layers"));
    const auto& layers = opened.inspection->layers;
    for (const LayerInspection& layer : layers) {
      auto* item = new QListWidgetItem(QString::fromStdString(layer.name), list_);
      item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsUserCheckable);
      const bool ticked = layers.size() <= fewLayers || layer.name == opened.layer;
      item->setCheckState(ticked ? Qt::Checked : Qt::Unchecked);
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    write_ = buttons->addButton(InteractiveExport::tr("Export…"), QDialogButtonBox::AcceptRole);
    write_->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* ticks = new QHBoxLayout;
    for (const bool all : {true, false}) {
      auto* button =
          new QPushButton(all ? InteractiveExport::tr("All") : InteractiveExport::tr("None"));
      button->setAutoDefault(false);
      connect(button, &QPushButton::clicked, this, [this, all] {
        for (int i = 0; i < list_->count(); ++i) {
          list_->item(i)->setCheckState(all ? Qt::Checked : Qt::Unchecked);
        }
      });
      ticks->addWidget(button);
    }
    ticks->addStretch(1);
    connect(list_, &QListWidget::itemChanged, this,
            [this] { write_->setEnabled(!layersChosen().isEmpty()); });
    auto* column = new QVBoxLayout(this);
    column->addWidget(about);
    column->addWidget(list_, 1);
    column->addLayout(ticks);
    column->addWidget(buttons);
    resize(460, 440);
    write_->setFocus();
  }

  QStringList layersChosen() const {
    QStringList names;
    for (int i = 0; i < list_->count(); ++i) {
      if (list_->item(i)->checkState() == Qt::Checked) names += list_->item(i)->text();
    }
    return names;
  }

 private:
  QListWidget* list_;
  QPushButton* write_ = nullptr;
};

}  // namespace

InteractiveExport::InteractiveExport(QWidget& window, Workspace& workspace, WindowActions& actions,
                                     WindowSettings& settings)
    : JobExport(workspace.jobs()), window_(window), workspace_(workspace), settings_(settings) {
  connect(actions.exportInteractive, &QAction::triggered, this, &InteractiveExport::openDialog);
}

void InteractiveExport::openDialog() {
  const OpenedModel* opened = workspace_.models().current();
  if (!opened || !opened->shownLayer()) return;
  const QString name = asFileName(opened->name());
  Subject shown = subject();
  PageLayersDialog layers(*opened, &window_);
  if (layers.exec() != QDialog::Accepted) return;
  QFileDialog dialog(&window_, tr("Export an interactive page"),
                     usersFolder(settings_.exportFolder), tr("Interactive pages (*.html)"));
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  // The suffix is added before the dialog asks whether a file may be replaced.
  dialog.setDefaultSuffix(QStringLiteral("html"));
  dialog.selectFile(
      QDir(usersFolder(settings_.exportFolder)).filePath(name + QStringLiteral(".html")));
  if (dialog.exec() != QDialog::Accepted) return;
  write(std::move(shown), layers.layersChosen(), dialog.selectedFiles().front());
}

InteractiveExport::Subject InteractiveExport::subject() const {
  const OpenedModel& opened = *workspace_.models().current();
  const auto index = static_cast<std::size_t>(workspace_.models().currentIndex());
  const HeadsSubject shown = headsSubject(workspace_);
  Subject subject;
  PageSubject& page = subject.page;
  page.picture = shown.picture;
  page.models.push_back(
      {shown.modelName, shown.mechanismNote, shown.region, opened.inspection->layers});
  page.map = shown.map;
  page.query = shown.queries.front().query;
  page.direction = shown.direction;
  page.head = workspace_.view().onlyHead().value_or(0);
  page.view = shown.view;
  subject.source = figureSource(workspace_, {index});
  subject.heads = shown;
  subject.onlyHead = workspace_.view().onlyHead();
  subject.text = jobText(workspace_, opened, QStringLiteral("heads"), tr("Interactive page"));
  return subject;
}

std::string InteractiveExport::command(const Subject& subject, const QStringList& layers,
                                       const std::string& path, QString& why) {
  if (!liveName(subject.source.models.front().request.path).empty()) return {};
  AnalysisCommand command = headsCommand(subject.heads);
  command.kind = "page";
  // Instead of the layer and the heads on screen.
  command.options.clear();
  for (const QString& layer : layers) {
    command.options.insert(command.options.end(), {"--layer", layer.toStdString()});
  }
  addMap(command, subject.heads.map, {&subject.heads.layers.front()});
  if (subject.onlyHead) {
    command.options.insert(command.options.end(), {"--head", std::to_string(*subject.onlyHead)});
  }
  try {
    return figureCommandText(command, subject.source, FigureSettings(), path);
  } catch (const Error& error) {
    // The picture is no file, or a file was replaced; the page is none the worse.
    why = QString::fromUtf8(error.what());
    return {};
  }
}

void InteractiveExport::write(const QStringList& layers, const QString& path) {
  if (workspace_.models().shownLayer()) write(subject(), layers, path);
}

void InteractiveExport::write(Subject subject, const QStringList& layers, const QString& path) {
  if (layers.isEmpty()) return;
  QString why;
  const std::string file = QFileInfo(path).absoluteFilePath().toStdString();
  try {
    checkInteractivePath(file);
    refuseOpenFile(workspace_, file);
    subject.page.command = command(subject, layers, file, why);
    std::erase_if(subject.page.models.front().layers, [&layers](const LayerInspection& layer) {
      return !layers.contains(QString::fromStdString(layer.name));
    });
    startJob(file, subject.text, [page = std::move(subject.page), file](const Progress& progress) {
      const InteractivePage made = interactivePage(page, progress);
      writeFileAtomically(file, made.text);
      QStringList leftOut;
      for (const std::string& layer : made.leftOut) {
        leftOut += QString::fromStdString(layer);
      }
      return leftOut;
    });
  } catch (const Error& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
    return;
  }
  settings_.exportFolder = QFileInfo(path).absolutePath();
  const QString name = QFileInfo(path).fileName();
  Q_EMIT said(why.isEmpty() ? tr("Writing %1").arg(name)
                            : tr("Writing %1 without its command: %2").arg(name, why));
}

}  // namespace softscope
