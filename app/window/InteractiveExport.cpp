#include "app/window/InteractiveExport.h"

#include "app/window/OpenFiles.h"
#include "app/window/RecentMenu.h"
#include "app/window/WindowActions.h"
#include "core/Error.h"
#include "core/files/AtomicFile.h"
#include "core/live/LiveModels.h"
#include "core/page/PageFile.h"
#include "widgets/figure/FigureCommandText.h"
#include "widgets/figure/InteractivePage.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/ViewChoice.h"
#include "widgets/workspace/Worker.h"
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
            .arg(QString::fromStdString(megabytesText(pageLimit))));
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
    : window_(window), workspace_(workspace), settings_(settings) {
  connect(actions.exportInteractive, &QAction::triggered, this, &InteractiveExport::openDialog);
}

void InteractiveExport::openDialog() {
  const OpenedModel* opened = workspace_.models().current();
  if (!opened || !opened->shownLayer()) return;
  const QString name = opened->name();
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
  write(layers.layersChosen(), dialog.selectedFiles().front());
}

std::string InteractiveExport::command(const QStringList& layers, const std::string& path) const {
  const OpenedModel& opened = *workspace_.models().current();
  if (!liveName(opened.request.path).empty()) return {};
  AnalysisCommand command = headsCommand(headsSubject(workspace_));
  command.kind = "page";
  // Instead of the layer and the heads on screen.
  command.options.clear();
  for (const QString& layer : layers) {
    command.options.insert(command.options.end(), {"--layer", layer.toStdString()});
  }
  addMap(command, headsSubject(workspace_).map, opened.shownLayer());
  if (const auto head = workspace_.view().onlyHead()) {
    command.options.insert(command.options.end(), {"--head", std::to_string(*head)});
  }
  try {
    const auto index = static_cast<std::size_t>(workspace_.models().currentIndex());
    return figureCommandText(command, figureSource(workspace_, {index}), FigureSettings(), path);
  } catch (const Error&) {
    // The picture is no file; the page is none the worse.
    return {};
  }
}

void InteractiveExport::write(const QStringList& layers, const QString& path) {
  const OpenedModel* opened = workspace_.models().current();
  if (!opened || !opened->shownLayer() || layers.isEmpty()) return;
  const std::string file = QFileInfo(path).absoluteFilePath().toStdString();
  try {
    checkPagePath(file);
    refuseOpenFile(workspace_, file);
  } catch (const Error& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
    return;
  }
  const HeadsSubject shown = headsSubject(workspace_);
  PageSubject subject;
  subject.picture = shown.picture;
  subject.models.push_back({shown.modelName, shown.mechanismNote, shown.region, {}});
  for (const QString& name : layers) {
    if (const LayerInspection* layer = opened->inspection->find(name.toStdString())) {
      subject.models.front().layers.push_back(*layer);
    }
  }
  subject.map = shown.map;
  subject.query = shown.queries.front().query;
  subject.direction = shown.direction;
  subject.head = workspace_.view().onlyHead().value_or(0);
  subject.view = shown.view;
  subject.command = command(layers, file);
  workspace_.worker().submit(
      Worker::Kind::Page, tr("Writing an interactive page"),
      [this, subject = std::move(subject), file](const Progress& progress) -> Worker::Delivery {
        try {
          const InteractivePage page = interactivePage(subject, progress);
          writeFileAtomically(file, page.text);
          return [this, file, leftOut = page.leftOut] {
            const QString name = QString::fromStdString(file);
            settings_.exportFolder = QFileInfo(name).absolutePath();
            QString message = tr("Wrote %1").arg(name);
            for (const std::string& layer : leftOut) {
              message += QStringLiteral("; ") + QString::fromStdString(layer);
            }
            Q_EMIT said(message);
            Q_EMIT written(name);
          };
        } catch (const Cancelled&) {
          throw;
        } catch (const std::exception& error) {
          return [this, reason = QString::fromUtf8(error.what())] { Q_EMIT failed(reason); };
        }
      });
}

}  // namespace softscope
