#include "core/query/Caveats.h"
#include "widgets/analysis/PatchFigures.h"
#include "widgets/figure/QueriedPanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace softscope {
namespace {

AttentionValues valuesOf(const Rollout& rollout) {
  AttentionValues values;
  values.grid = rollout.grid;
  values.onPicture = true;
  values.patches = rollout.patches;
  return values;
}

/// Returns how many values of a rollout are not finite; empty if all are.
QString lackingText(const LayerRollout& rollout) {
  AttentionValues values = valuesOf(rollout.rollout);
  values.prefix = rollout.rollout.prefix;
  return QString::fromStdString(notFiniteText(values));
}

/// A rollout's values, parted into the largest on the query's own patch and those on all other
/// patches.
struct OwnAndOthers {
  float own = 0;
  Vector others;
};

/// Returns both if the own patch is above all others, which would then be alike in colour: the
/// residual connections keep it there. Gradients leave it out themselves.
std::optional<OwnAndOthers> dominantOwn(const LayerRollout& rollout) {
  if (!rollout.obstacle.empty() || !rollout.rollout.speaksFor.empty()) return std::nullopt;
  const std::vector<Eigen::Index> own = ownPatches(rollout);
  const Vector& all = rollout.rollout.patches;
  if (!all.allFinite()) return std::nullopt;
  if (own.empty() || static_cast<Eigen::Index>(own.size()) >= all.size()) return std::nullopt;
  OwnAndOthers parted;
  parted.others.resize(all.size() - static_cast<Eigen::Index>(own.size()));
  Eigen::Index next = 0;
  for (Eigen::Index i = 0; i < all.size(); ++i) {
    if (std::ranges::binary_search(own, i)) {
      parted.own = std::max(parted.own, all[i]);
    } else {
      parted.others[next++] = all[i];
    }
  }
  if (!(parted.own > parted.others.maxCoeff())) return std::nullopt;
  return parted;
}

QString rolloutNote(const LayerRollout& rollout) {
  const Vector& prefix = rollout.rollout.prefix;
  QString note =
      QString::fromStdString(tokenName(rollout.of.attention(), Direction::Rows, rollout.token));
  // Gradients leave the patch itself out.
  const std::optional<double> kept =
      rollout.rollout.speaksFor.empty() ? keptOfItself(rollout) : std::nullopt;
  if (kept) note += QStringLiteral(", itself %1").arg(valueText(*kept));
  if (prefix.size() > 0) {
    note += QStringLiteral(" · not on patches %1").arg(valueText(prefix.sum(), 2));
  }
  const QString lacking = lackingText(rollout);
  return lacking.isEmpty() ? note : lacking + captionSeparator + note;
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
  return text + QStringLiteral(" · ") + typesetText(deviation);
}

}  // namespace

std::vector<HeadPanel> rolloutPanels(const std::vector<LayerRollout>& rollouts,
                                     const ViewSettings& view) {
  std::vector<AttentionValues> values;
  std::vector<AttentionValues> ranged;
  std::vector<std::optional<OwnAndOthers>> parted;
  for (const LayerRollout& rollout : rollouts) {
    if (!rollout.obstacle.empty()) continue;
    values.push_back(valuesOf(rollout.rollout));
    ranged.push_back(values.back());
    parted.push_back(dominantOwn(rollout));
    if (parted.back()) ranged.back().patches = parted.back()->others;
  }
  std::vector<ValueRange> ranges = valueRanges(ranged, view);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    ranges[i].exceeded = parted[i] && parted[i]->own > ranges[i].high;
  }
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
  // The rollout of the last layer passes through those of all others.
  const auto shown = std::find_if(rollouts.rbegin(), rollouts.rend(),
                                  [](const LayerRollout& of) { return of.obstacle.empty(); });
  if (shown == rollouts.rend()) return {};
  const Rollout& rollout = shown->rollout;
  QString text =
      rollout.speaksFor.empty() ? attentionText(rollout, settings) : gradientText(rollout);
  if (std::any_of(rollouts.begin(), rollouts.end(), dominantOwn)) {
    text += QStringLiteral(
        " · colours end at the largest of the other patches, which the query's own exceeds");
  }
  if (rollout.passed > 0) {
    text +=
        rollout.passed == 1
            ? QStringLiteral(" · 1 layer that mixes channels is passed by")
            : QStringLiteral(" · %1 layers that mix channels are passed by").arg(rollout.passed);
  }
  QStringList lacking;
  for (const LayerRollout& of : rollouts) {
    const QString values = of.obstacle.empty() ? lackingText(of) : QString();
    if (values.isEmpty()) continue;
    lacking += captionSeparator + shortLayerName(QString::fromStdString(of.of.layer().name)) +
               QStringLiteral(": ") + values;
  }
  // Several queries may lack as many.
  lacking.removeDuplicates();
  return text + lacking.join(QString());
}

PanelFigure rolloutFigure(const std::vector<LayerRollout>& rollouts,
                          const RolloutSettings& settings, const std::vector<MarkedQuery>& queries,
                          const std::shared_ptr<const Picture>& picture, const ViewSettings& view) {
  std::vector<HeadPanel> panels = rolloutPanels(rollouts, view);
  std::vector<PictureBlock> blocks;
  std::vector<std::vector<LayerRollout>> ofBlocks;
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
      blocks.push_back(std::move(block));
      ofBlocks.emplace_back();
    }
    ofBlocks.back().push_back(rollout);
    blocks.back().panels.push_back(std::move(panel));
  }
  PanelFigure figure;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].caption.about = rolloutText(ofBlocks[i], settings);
    figure.blocks.push_back(pictureBlock(std::move(blocks[i]), picture));
  }
  return figure;
}

}  // namespace softscope
