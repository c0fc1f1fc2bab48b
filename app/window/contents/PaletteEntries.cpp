#include "app/window/contents/PaletteEntries.h"

#include "app/window/contents/MenuText.h"
#include "app/window/contents/PageExplanation.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QPointer>
#include <QtGui/QAction>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>

namespace softscope {
namespace {

/// Words by which users of other programs look for an action.
struct OtherWords {
  const char* action;
  const char* words;
};

constexpr OtherWords actionWords[] = {
    {"page-heads", "heat map heatmap heatmaps attention maps overlay"},
    {"page-compare", "side by side models difference"},
    {"page-spectrum", "spectral eigen eigenvalues eigenvectors singular values rank SVD"},
    {"page-norms", "spectral norm condition largest eigenvalue inverse"},
    {"page-convergence", "Newton iterations Moore-Penrose pseudo-inverse"},
    {"page-matrix", "rows columns entries n x n"},
    {"page-share", "knock-outs ablation importance"},
    {"page-deletion", "insertion faithfulness perturbation RISE"},
    {"page-rollout", "attention flow"},
    {"page-saliency", "Grad-CAM gradients"},
    {"page-overview", "head wall distance entropy thumbnails all heads"},
    {"page-cost", "speed time memory FLOPs benchmark"},
    {"page-models", "library checkpoints zoo in the box"},
    {"exportFigure", "save pdf png svg image picture print"},
    {"exportSweep", "animation animated motion gif webp film video movie frames"},
    {"saveNumbers", "csv npz numpy table data"},
    {"copyCommand", "command line terminal reproduce"},
    {"swapDirection", "columns rows transpose attended by keys queries"},
    {"classToken", "CLS registers"},
    {"openModel", "checkpoint weights pth safetensors load network"},
    {"openBeside", "checkpoint weights compare add load network"},
    {"flipModel", "switch toggle swap A/B"},
    {"openPicture", "image photo jpg png load"},
    {"smooth", "interpolate bilinear"},
    {"preferences", "settings options"},
    {"fullScreen", "maximise"},
};

QString otherWordsOf(const QAction& action) {
  QString words;
  const QString page = action.data().toString();
  if (action.objectName() == QStringLiteral("page-") + page) words = pageExplanationWords(page);
  for (const OtherWords& other : actionWords) {
    if (action.objectName() == QLatin1String(other.action)) {
      words += u' ' + QString::fromUtf8(other.words);
    }
  }
  return words;
}

/// Adds actions and those of their submenus. `prefix` is the submenu's name; empty for a menu of
/// the menu bar.
void addActions(const QList<QAction*>& actions, const QString& prefix,
                std::vector<PaletteEntry>& entries) {
  for (QAction* action : actions) {
    if (action->isSeparator() || !action->isEnabled() || !action->isVisible()) continue;
    const QString text = menuText(action->text());
    if (action->menu()) {
      // Some menus are filled when they are opened.
      Q_EMIT action->menu()->aboutToShow();
      addActions(action->menu()->actions(), prefix + text + QStringLiteral(": "), entries);
      continue;
    }
    const QPointer<QAction> chosen(action);
    entries.push_back({prefix + text, action->shortcut().toString(QKeySequence::NativeText),
                       [chosen] {
                         if (chosen) chosen->trigger();
                       },
                       otherWordsOf(*action)});
  }
}

}  // namespace

std::vector<PaletteEntry> paletteEntries(const QMenuBar& menus, Workspace& workspace) {
  const auto text = [](const char* words) {
    return QCoreApplication::translate("PaletteEntries", words);
  };
  std::vector<PaletteEntry> entries;
  for (const QAction* top : menus.actions()) {
    if (top->menu()) addActions(top->menu()->actions(), {}, entries);
  }
  const OpenModels& models = workspace.models();
  if (const OpenedModel* current = models.current()) {
    for (const LayerSummary& layer : current->summary().layers) {
      const std::string name = layer.name;
      entries.push_back({text("Layer ") + QString::fromStdString(name),
                         QString::fromStdString(layer.mechanism),
                         [&workspace, name] { workspace.layers().choose(name); }});
    }
  }
  for (const OpenedModel& model : models.all()) {
    const int id = model.id;
    entries.push_back({text("Model ") + model.name(), text("open"), [&workspace, id] {
                         const auto& all = workspace.models().all();
                         for (std::size_t i = 0; i < all.size(); ++i) {
                           if (all[i].id == id) workspace.models().setCurrent(static_cast<int>(i));
                         }
                       }});
  }
  return entries;
}

}  // namespace softscope
