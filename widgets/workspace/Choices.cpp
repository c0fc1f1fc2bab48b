#include "widgets/workspace/Choices.h"

#include "widgets/figure/FigureCommandText.h"
#include "widgets/workspace/OpenModels.h"

#include <algorithm>

namespace softscope {

void AnalysisChoice::set(const AnalysisSettings& settings) {
  if (settings == settings_) return;
  settings_ = settings;
  Q_EMIT changed();
}

void AnalysisChoice::compareVectors(const QStringList& paths) {
  AnalysisSettings changed = settings_;
  TokenSettings& tokens = changed.of<TokenSettings>();
  tokens.of = TokenQuantity::Similarity;
  tokens.vectors.clear();
  tokens.compared = ComparedTokens::Fitting;
  for (const QString& path : paths) tokens.vectors.push_back(absolutePath(path.toStdString()));
  set(changed);
}

void ComparisonChoice::set(const Comparison& settings) {
  if (settings == settings_) return;
  const bool links = settings.linkedLayers && !settings_.linkedLayers;
  settings_ = settings;
  Q_EMIT changed();
  if (links) Q_EMIT layersLinked();
}

namespace {

constexpr double smallestVisible = 0.01;

}  // namespace

ViewChoice::ViewChoice(const OpenModels& models) : models_(models) {}

template <typename Value>
void ViewChoice::change(Value& value, const Value& next) {
  if (next == value) return;
  value = next;
  Q_EMIT changed();
}

void ViewChoice::set(const ViewSettings& settings) {
  change(settings_, settings);
}

void ViewChoice::setMap(ShownMap map) {
  change(map_, map);
}

void ViewChoice::setChannel(const ChannelSettings& channel) {
  change(channel_, channel);
}

void ViewChoice::setOverHeads(const OverHeads& overHeads) {
  change(overHeads_, overHeads);
}

std::optional<int> ViewChoice::onlyHead() const {
  const LayerInspection* layer = models_.shownLayer();
  if (!onlyHead_ || !layer) return onlyHead_;
  return std::min(*onlyHead_, layer->attention->description().heads - 1);
}

void ViewChoice::setOnlyHead(std::optional<int> head) {
  change(onlyHead_, head);
}

void ViewChoice::stepHead(int by) {
  const LayerInspection* layer = models_.shownLayer();
  if (!layer) return;
  const int heads = layer->attention->description().heads;
  // Cycles through the heads, with all heads between the last and the first.
  const int place = (onlyHead().value_or(heads) + by + heads + 1) % (heads + 1);
  setOnlyHead(place == heads ? std::nullopt : std::optional(place));
}

void ViewChoice::setVisible(const QRectF& visible) {
  const QSizeF size(std::clamp(visible.width(), smallestVisible, 1.0),
                    std::clamp(visible.height(), smallestVisible, 1.0));
  change(visible_, {std::clamp(visible.x(), 0.0, 1 - size.width()),
                    std::clamp(visible.y(), 0.0, 1 - size.height()), size.width(), size.height()});
}

void ViewChoice::zoom(double factor, const QPointF& about) {
  const double side = std::clamp(visible_.width() / factor, smallestVisible, 1.0);
  const double scale = side / visible_.width();
  setVisible({about.x() - (about.x() - visible_.x()) * scale,
              about.y() - (about.y() - visible_.y()) * scale, side, side});
}

void ViewChoice::pan(const QPointF& by) {
  setVisible(visible_.translated(by));
}

}  // namespace softscope
