#include "widgets/analysis/PatchFigures.h"
#include "widgets/figure/QueriedPanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <QtCore/QStringList>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

/// Returns a title that is no wider than a panel.
QString methodTitle(ClassMethod method) {
  if (method == ClassMethod::GradientRollout) return QStringLiteral("Attention × gradient");
  for (const auto& name : classMethodNames) {
    if (name.value == method) return QString::fromUtf8(name.label);
  }
  return {};
}

QString classTitle(const ModelClassMaps& of, const ClassMaps& maps) {
  return QString::fromStdString(nameOfClass(maps.classIndex, of.classNames));
}

/// Returns `cat (y 8.31, 97.2 %)`.
QString classWithLogit(const ModelClassMaps& of, const ClassMaps& maps) {
  const QString percent = maps.probability
                              ? QStringLiteral(", %1 %").arg(valueText(100 * *maps.probability, 3))
                              : QString();
  return QStringLiteral("%1 (y %2%3)").arg(classTitle(of, maps), valueText(maps.logit, 3), percent);
}

QString mapNote(const ClassMap& map) {
  if (!map.layer.empty()) {
    return QStringLiteral("behind ") + shortLayerName(QString::fromStdString(map.layer));
  }
  return QString::fromStdString(map.note);
}

AttentionValues valuesOnGrid(const TokenGrid& grid, const Vector& patches) {
  AttentionValues values;
  values.grid = grid;
  values.onPicture = true;
  values.patches = patches;
  return values;
}

/// Chooses the range of each panel by itself: methods have no scale in common, and some are signed.
std::vector<HeadPanel> rangedPanels(std::vector<HeadPanel> panels, const ViewSettings& view) {
  for (HeadPanel& panel : panels) {
    panel.range = valueRanges({panel.values}, view).front();
    panel.heat = heatmapStyle(view, panel.range);
  }
  return panels;
}

std::vector<HeadPanel> panelsOfClass(const ClassMaps& maps, const ViewSettings& view) {
  std::vector<HeadPanel> panels;
  for (const ClassMap& map : maps.maps) {
    if (!map.obstacle.empty()) continue;
    HeadPanel panel;
    panel.title = methodTitle(map.method);
    panel.note = mapNote(map);
    panel.values = valuesOnGrid(map.grid, map.patches);
    panels.push_back(std::move(panel));
  }
  return rangedPanels(std::move(panels), view);
}

std::vector<HeadPanel> panelsOfDifference(const ModelClassMaps& maps, const ViewSettings& view) {
  std::vector<HeadPanel> panels;
  for (std::size_t i = 0; i < maps.first.maps.size(); ++i) {
    const ClassMap& first = maps.first.maps[i];
    const ClassMap& second = maps.second->maps[i];
    if (!first.obstacle.empty() || !second.obstacle.empty() || !(first.grid == second.grid)) {
      continue;
    }
    HeadPanel panel;
    panel.title = methodTitle(first.method);
    panel.note = QStringLiteral("difference");
    panel.values = valuesOnGrid(first.grid, differenceOf(first, second));
    panels.push_back(std::move(panel));
  }
  return rangedPanels(std::move(panels), view);
}

QString entriesText(AttentionEntries entries) {
  switch (entries) {
    case AttentionEntries::Positive:
      break;
    case AttentionEntries::Magnitude:
      return QStringLiteral("magnitudes of the attention's entries");
    case AttentionEntries::Signed:
      return QStringLiteral("the attention's entries with their signs");
  }
  return QStringLiteral("the positive part of the attention's entries");
}

/// Returns which methods the network has no map for, and why.
QString missingText(const ClassMaps& maps) {
  QStringList missing;
  for (const ClassMap& map : maps.maps) {
    if (map.obstacle.empty()) continue;
    missing += QStringLiteral("no %1: %2")
                   .arg(methodTitle(map.method), QString::fromStdString(map.obstacle));
  }
  return missing.join(QStringLiteral("; "));
}

/// True if a map is made of the entries that the settings choose.
bool isOfEntries(const ClassMap& map) {
  return map.obstacle.empty() &&
         (map.method == ClassMethod::GradientRollout || map.method == ClassMethod::LeGrad);
}

/// Returns `about`, then how the maps were made, and which there are not.
QString withHow(const QString& about, const ModelClassMaps& of, const ClassMapSettings& settings) {
  QStringList parts{about};
  if (std::ranges::any_of(of.first.maps, isOfEntries)) parts += entriesText(settings.entries);
  const QString missing = missingText(of.first);
  if (!missing.isEmpty()) parts += missing;
  return parts.join(captionSeparator);
}

PictureBlock blockOf(const ModelClassMaps& of, std::vector<HeadPanel> panels) {
  PictureBlock block{.region = of.region};
  if (!panels.empty()) block.grid = panels.front().values.grid;
  block.caption.name = QString::fromStdString(of.model);
  block.caption.detail = QString::fromStdString(of.mechanismNote);
  block.panels = std::move(panels);
  return block;
}

}  // namespace

std::vector<HeadPanel> classPanels(const ModelClassMaps& maps, const ViewSettings& view) {
  std::vector<HeadPanel> panels = panelsOfClass(maps.first, view);
  if (!maps.second) return panels;
  const auto add = [&](std::vector<HeadPanel> more, const QString& of) {
    for (HeadPanel& panel : more) {
      if (!of.isEmpty()) panel.note = of;
      panels.push_back(std::move(panel));
    }
  };
  for (HeadPanel& panel : panels) panel.note = classTitle(maps, maps.first);
  add(panelsOfClass(*maps.second, view), classTitle(maps, *maps.second));
  add(panelsOfDifference(maps, view), {});
  return panels;
}

QString classText(const ModelClassMaps& maps, const ClassMapSettings& settings) {
  QString text = QStringLiteral("which patches speak for %1").arg(classWithLogit(maps, maps.first));
  if (maps.second) {
    text += QStringLiteral(
                ", which for %1, and the difference, each map divided by its largest "
                "magnitude")
                .arg(classWithLogit(maps, *maps.second));
  }
  return withHow(text, maps, settings);
}

PanelFigure classFigure(const std::vector<ModelClassMaps>& models, const ClassMapSettings& settings,
                        const std::shared_ptr<const Picture>& picture, const ViewSettings& view) {
  PanelFigure figure;
  const auto add = [&](PictureBlock block, const QString& about) {
    block.caption.about = about;
    figure.blocks.push_back(pictureBlock(std::move(block), picture));
  };
  for (const ModelClassMaps& of : models) {
    add(blockOf(of, panelsOfClass(of.first, view)),
        withHow(QStringLiteral("which patches speak for %1").arg(classWithLogit(of, of.first)), of,
                settings));
    if (!of.second) continue;
    add(blockOf(of, panelsOfClass(*of.second, view)),
        QStringLiteral("which patches speak for %1").arg(classWithLogit(of, *of.second)));
    add(blockOf(of, panelsOfDifference(of, view)),
        QStringLiteral("%1 less %2, each map divided by its largest magnitude")
            .arg(classTitle(of, of.first), classTitle(of, *of.second)));
  }
  return figure;
}

}  // namespace softscope
