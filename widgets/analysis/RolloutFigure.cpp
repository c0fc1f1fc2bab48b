#include "widgets/analysis/RolloutFigure.h"

#include "widgets/figure/PictureBlock.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace softscope {
namespace {

AttentionValues valuesOf(const Rollout& rollout) {
  AttentionValues values;
  values.grid = rollout.grid;
  values.onPicture = true;
  values.patches = rollout.patches;
  return values;
}

QString rolloutNote(const LayerRollout& rollout) {
  const Vector& prefix = rollout.rollout.prefix;
  QString note =
      QString::fromStdString(tokenName(rollout.of.attention(), Direction::Rows, rollout.token));
  if (prefix.size() > 0) {
    note += QStringLiteral(" · not on patches %1").arg(valueText(prefix.sum(), 2));
  }
  return note;
}

QString gradientText(const Rollout& rollout) {
  return QStringLiteral(
             "rollout of attention × gradient of %1: what reaches the query's token from the first "
             "layer's patches and speaks for the class, a row of R − I, R ← R + R E from this "
             "layer to the first, E the mean over heads of (A ∘ ∂y/∂A)⁺")
      .arg(QString::fromStdString(rollout.speaksFor));
}

QString attentionText(const Rollout& rollout, const RolloutSettings& settings) {
  const QString heads = settings.heads == RolloutHeads::Mean
                            ? QStringLiteral("A the mean over heads")
                            : QStringLiteral("A the largest entry over heads");
  const bool isHalf = std::none_of(rollout.layers.begin(), rollout.layers.end(),
                                   [](const RolloutLayer& layer) { return layer.byNorms; });
  const QString text =
      QStringLiteral(
          "rollout: what the query's token sees of the first layer's patches through all layers up "
          "to this one, a row of the product of %1, %2")
          .arg(isHalf ? QStringLiteral("(A + I) / 2") : QStringLiteral("w A + (1 − w) I"), heads);
  const std::string deviation = rolloutDeviation(rollout);
  if (deviation.empty()) return text;
  return text + QStringLiteral(" · ") + QString::fromStdString(deviation);
}

}  // namespace

std::vector<HeadPanel> rolloutPanels(const std::vector<LayerRollout>& rollouts,
                                     const ViewSettings& view) {
  std::vector<AttentionValues> values;
  for (const LayerRollout& rollout : rollouts) {
    if (rollout.obstacle.empty()) values.push_back(valuesOf(rollout.rollout));
  }
  const std::vector<ValueRange> ranges = valueRanges(values, view);
  std::vector<HeadPanel> panels;
  for (const LayerRollout& rollout : rollouts) {
    if (!rollout.obstacle.empty()) continue;
    const std::size_t i = panels.size();
    HeadPanel panel;
    panel.title = shortLayerName(QString::fromStdString(rollout.of.layer().name));
    panel.note = rolloutNote(rollout);
    panel.values = std::move(values[i]);
    panel.range = ranges[i];
    panel.heat = heatmapStyle(view, ranges[i]);
    panels.push_back(std::move(panel));
  }
  return panels;
}

QString rolloutText(const std::vector<LayerRollout>& rollouts, const RolloutSettings& settings) {
  const auto shown = std::find_if(rollouts.begin(), rollouts.end(),
                                  [](const LayerRollout& of) { return of.obstacle.empty(); });
  if (shown == rollouts.end()) return {};
  const Rollout& rollout = shown->rollout;
  QString text =
      rollout.speaksFor.empty() ? attentionText(rollout, settings) : gradientText(rollout);
  if (rollout.passed > 0) {
    text +=
        rollout.passed == 1
            ? QStringLiteral(" · 1 layer that mixes channels is passed by")
            : QStringLiteral(" · %1 layers that mix channels are passed by").arg(rollout.passed);
  }
  return text;
}

PanelFigure rolloutFigure(const std::vector<LayerRollout>& rollouts,
                          const RolloutSettings& settings, const std::vector<MarkedQuery>& queries,
                          const std::shared_ptr<const Picture>& picture, const ViewSettings& view) {
  std::vector<HeadPanel> panels = rolloutPanels(rollouts, view);
  std::vector<PictureBlock> blocks;
  std::size_t next = 0;
  for (const LayerRollout& rollout : rollouts) {
    if (!rollout.obstacle.empty()) continue;
    HeadPanel& panel = panels[next++];
    const AttentionDescription& attention = rollout.of.attention();
    const auto grid = chosenGrid(attention, Direction::Rows);
    if (grid && !singleTokenAt(attention, Direction::Rows, rollout.token)) {
      panel.query =
          markOn(*grid, extentOf(picture.get(), rollout.of.region), rollout.query, queries);
    }
    const QString model = QString::fromStdString(rollout.of.model);
    if (blocks.empty() || blocks.back().caption.name != model) {
      PictureBlock block{.region = rollout.of.region, .grid = rollout.rollout.grid};
      block.caption.name = model;
      block.caption.detail = QString::fromStdString(rollout.of.mechanismNote);
      block.caption.about = rolloutText({rollout}, settings);
      blocks.push_back(std::move(block));
    }
    blocks.back().panels.push_back(std::move(panel));
  }
  PanelFigure figure;
  for (PictureBlock& block : blocks) {
    figure.blocks.push_back(pictureBlock(std::move(block), picture));
  }
  return figure;
}

}  // namespace softscope
