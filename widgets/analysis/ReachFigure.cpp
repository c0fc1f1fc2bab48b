#include "core/analysis/GridSampling.h"
#include "core/query/QueryToken.h"
#include "widgets/analysis/PatchFigures.h"
#include "widgets/figure/QueriedPanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <QtCore/QStringList>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

/// Returns the norms of a Jacobian, or the influences as they are, on all that the token's grid
/// covers: beyond the input there is no influence.
AttentionValues influenceValues(const Reach& reach, ReachGradient of) {
  const TokenGrid source{reach.height, reach.width};
  AttentionValues values;
  values.grid = reach.seen ? pixelGridOf(*reach.seen) : source;
  values.onPicture = true;
  const auto shown = [of](const Eigen::VectorXd& influences) -> Vector {
    if (of == ReachGradient::Jacobian) return influences.cwiseSqrt().cast<float>();
    return influences.cast<float>();
  };
  values.patches = shown(reach.seen ? laidOver(*reach.seen, reach.pixels, source) : reach.pixels);
  values.prefix = shown(reach.prefix);
  return values;
}

QString reachedToken(const LayerReach& of) {
  const Reach& reach = of.reach;
  if (!reach.patch) {
    return QString::fromStdString(prefixTokenName(of.of.attention(), reach.token));
  }
  return QStringLiteral("patch (%1, %2)")
      .arg(*reach.patch / reach.grid.width)
      .arg(*reach.patch % reach.grid.width);
}

QString ownText(double share) {
  return QStringLiteral("%1 % from itself").arg(valueText(100 * share, 2));
}

/// Returns `half within 31.2 of 224 pixels`, of tokens `93 % from itself`; empty for a token that
/// is no patch.
QString halfText(const LayerReach& of) {
  if (const auto own = ownShare(of.reach)) return ownText(*own);
  const std::string radius = radiusText(of);
  if (radius.empty()) return {};
  return QStringLiteral("half within ") + QString::fromStdString(radius);
}

/// Returns `31.2 px` or `93 % from itself`, which is short enough for a panel among many;
/// reachText() says of what.
QString radiusNote(const LayerReach& of) {
  if (const auto own = ownShare(of.reach)) return ownText(*own);
  const auto radius = reachRadius(of.reach);
  if (!radius) return {};
  const bool ofPixels = of.reach.from == ReachSource::Pixels;
  return valueText(*radius, 3) + (ofPixels ? QStringLiteral(" px") : QStringLiteral(" patches"));
}

/// Returns what is asked of a single token, or of one behind each block.
QString reachQuestion(const LayerReach& of, const ReachSettings& settings, bool single) {
  const QString what = settings.from == ReachSource::Pixels
                           ? QStringLiteral("which pixels reach ")
                           : QStringLiteral("which tokens before the block reach ");
  const QString token =
      single ? reachedToken(of) : QStringLiteral("the query's token behind each block");
  if (settings.behind == ReachedToken::BehindBlock) return what + token;
  return what + QStringLiteral("what attention adds to ") + token;
}

QString influenceText(const Reach& reach, const ReachSettings& settings) {
  if (settings.of == ReachGradient::PositiveSum) {
    return QStringLiteral(
        "positive part of the gradient of the sum of the token's positive channels");
  }
  if (reach.directions == reach.channels) return QStringLiteral("norm of the token's Jacobian");
  return QStringLiteral("norm of the token's Jacobian, by %1 directions at random of %2")
      .arg(reach.directions)
      .arg(reach.channels);
}

/// Returns the mean and the spread of the radius over pictures.
QString radiiText(const LayerReach& of) {
  if (of.pictures == 1 || of.radii.empty()) return {};
  const auto [least, most] = std::ranges::minmax_element(of.radii);
  return QStringLiteral("mean over %1 pictures, of which half is within %2 to %3")
      .arg(of.pictures)
      .arg(valueText(*least, 3), valueText(*most, 3));
}

/// Returns the range of colours: without the token itself, beside which no other could be told.
ValueRange rangeOf(const Reach& reach, AttentionValues values, const ViewSettings& view) {
  if (!ownShare(reach) || !reach.patch || values.patches.size() <= 1) {
    return valueRanges({values}, view).front();
  }
  const float own = std::exchange(values.patches[*reach.patch], 0);
  values.patches[*reach.patch] = values.patches.maxCoeff();
  ValueRange range = valueRanges({values}, view).front();
  range.exceeded = range.exceeded || own > range.high;
  return range;
}

}  // namespace

std::vector<HeadPanel> reachPanels(const std::vector<LayerReach>& reaches,
                                   const ReachSettings& settings, const ViewSettings& view) {
  std::vector<HeadPanel> panels;
  for (const LayerReach& of : reaches) {
    if (!of.obstacle.empty()) continue;
    HeadPanel panel;
    panel.title = shortLayerName(QString::fromStdString(of.of.layer().name));
    panel.note = reaches.size() == 1 ? reachedToken(of) : radiusNote(of);
    if (panel.note.isEmpty()) panel.note = reachedToken(of);
    panel.values = influenceValues(of.reach, settings.of);
    // Derivatives of different blocks have no scale in common.
    panel.range = rangeOf(of.reach, panel.values, view);
    panel.heat = heatmapStyle(view, panel.range);
    panels.push_back(std::move(panel));
  }
  return panels;
}

QString reachText(const std::vector<LayerReach>& reaches, const ReachSettings& settings) {
  const auto shown =
      std::ranges::find_if(reaches, [](const LayerReach& of) { return of.obstacle.empty(); });
  if (shown == reaches.end()) return {};
  const bool single = reaches.size() == 1;
  QString first = reachQuestion(*shown, settings, single);
  QStringList parts;
  const QString half = single ? halfText(*shown) : QString();
  if (!half.isEmpty()) first += QStringLiteral(": ") + half;
  if (!single && settings.from == ReachSource::Pixels && reachRadius(shown->reach)) {
    first += QStringLiteral(", and within how many pixels half of them are");
  }
  parts += first;
  if (ownShare(shown->reach)) parts += QStringLiteral("colours leave the token itself out");
  const auto uniform = uniformRadius(shown->reach);
  if (uniform && settings.from == ReachSource::Pixels) {
    parts += QStringLiteral("half of uniform influence is within %1").arg(valueText(*uniform, 3));
  }
  const QString spread = radiiText(*shown);
  if (single && !spread.isEmpty()) parts += spread;
  if (!single && shown->pictures > 1) {
    parts += QStringLiteral("mean over %1 pictures").arg(shown->pictures);
  }
  parts += influenceText(shown->reach, settings);
  return parts.join(QStringLiteral(" · "));
}

PanelFigure reachFigure(const std::vector<LayerReach>& reaches, const ReachSettings& settings,
                        const PictureQuery& query, const std::vector<MarkedQuery>& queries,
                        const std::shared_ptr<const Picture>& picture, const ViewSettings& view) {
  std::vector<std::vector<LayerReach>> models;
  for (const LayerReach& of : reaches) {
    if (!of.obstacle.empty()) continue;
    if (models.empty() || models.back().front().of.model != of.of.model) models.emplace_back();
    models.back().push_back(of);
  }
  PanelFigure figure;
  for (const std::vector<LayerReach>& model : models) {
    const AnalysedLayer& layer = model.front().of;
    PictureBlock block{.region = layer.region};
    block.caption.name = QString::fromStdString(layer.model);
    block.caption.detail = QString::fromStdString(layer.mechanismNote);
    block.caption.about = reachText(model, settings);
    block.panels = reachPanels(model, settings, view);
    block.grid = block.panels.front().values.grid;
    for (std::size_t i = 0; i < model.size(); ++i) {
      if (!model[i].reach.patch) continue;
      block.panels[i].query =
          markOn(model[i].reach.grid, extentOf(picture.get(), layer.region), query, queries);
    }
    figure.blocks.push_back(pictureBlock(std::move(block), picture));
  }
  return figure;
}

}  // namespace softscope
