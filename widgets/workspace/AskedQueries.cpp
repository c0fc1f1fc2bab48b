#include "widgets/workspace/AskedQueries.h"

#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"

#include <algorithm>

namespace softscope {

AskedQueries::AskedQueries(const OpenedPicture& picture, const OpenModels& models,
                           const ShownLayers& layers)
    : picture_(picture), models_(models), layers_(layers) {
  connect(&picture, &OpenedPicture::changed, this, &AskedQueries::followPicture);
  connect(&models, &OpenModels::layerChanged, this, &AskedQueries::followLayer);
  connect(&layers, &ShownLayers::directionChanged, this, &AskedQueries::changed);
}

void AskedQueries::followPicture() {
  const Picture* picture = picture_.get();
  const Asked now{picture ? picture->path : "", picture_.bytes()};
  const bool isAnother = picture && asked_ && *asked_ != now;
  if (isAnother) {
    Queries middle;
    // The class token is not a place, so it stays chosen.
    middle.active.prefixToken = query().prefixToken;
    history_.change(middle);
    isUnasked_ = true;
  }
  asked_ = picture ? std::optional(now) : std::nullopt;
  history_.forget();
  Q_EMIT changed();
}

void AskedQueries::followLayer() {
  if (const auto patches = isUnasked_ ? grid() : std::nullopt) {
    Queries middle = history_.now();
    const std::optional<int> prefixToken = middle.active.prefixToken;
    middle.active = queryAt(*patches, extent(), patchAt(*patches, extent(), middle.active));
    middle.active.prefixToken = prefixToken;
    history_.change(middle);
    history_.forget();
    isUnasked_ = false;
  }
  Q_EMIT changed();
}

bool AskedQueries::isOutside() const {
  return asksPatch() && softscope::isOutside(extent(), query());
}

PictureQuery AskedQueries::within(PictureQuery query) const {
  const PictureExtent seen = extent();
  const PictureRegion& region = seen.region;
  query.x = std::clamp(query.x, region.x / seen.width, (region.x + region.width) / seen.width);
  query.y = std::clamp(query.y, region.y / seen.height, (region.y + region.height) / seen.height);
  return query;
}

void AskedQueries::change(const Queries& next) {
  const bool differs = next != history_.now();
  isUnasked_ = false;
  history_.change(next);
  if (differs) Q_EMIT changed();
}

void AskedQueries::ask(const PictureQuery& query) {
  change({within(query), pins()});
}

void AskedQueries::drag(const PictureQuery& query) {
  const PictureQuery next = within(query);
  if (next == history_.now().active) return;
  isUnasked_ = false;
  history_.move(next);
  Q_EMIT changed();
}

void AskedQueries::step(int rows, int columns) {
  const std::optional<TokenGrid> patches = grid();
  if (!patches) return;
  Patch patch = patchAt(*patches, extent(), query());
  patch.row = std::clamp(patch.row + rows, 0, patches->height - 1);
  patch.column = std::clamp(patch.column + columns, 0, patches->width - 1);
  askPatch(patch);
}

void AskedQueries::askPatch(const Patch& patch) {
  const std::optional<TokenGrid> patches = grid();
  if (!patches) return;
  const bool stays = !query().prefixToken && patchAt(*patches, extent(), query()) == patch;
  if (!stays) ask(queryAt(*patches, extent(), patch));
}

int AskedQueries::prefixTokens() const {
  const LayerInspection* layer = models_.shownLayer();
  if (!layer || !grid()) return 0;
  const AttentionDescription& attention = layer->attention->description();
  return singleTokens(attention, layers_.direction());
}

void AskedQueries::askNextPrefixToken() {
  PictureQuery next = query();
  const int token = next.prefixToken ? *next.prefixToken + 1 : 0;
  if (token == 0 && prefixTokens() == 0) return;
  next.prefixToken = token < prefixTokens() ? std::optional(token) : std::nullopt;
  ask(next);
}

void AskedQueries::pin(const PictureQuery& query) {
  Queries next = history_.now();
  const PictureQuery pinned = within(query);
  const bool there = std::find(next.pins.begin(), next.pins.end(), pinned) != next.pins.end();
  if (there || next.pins.size() >= mostPins) return;
  next.pins.push_back(pinned);
  change(next);
}

void AskedQueries::unpin(int index) {
  if (index < 0 || index >= static_cast<int>(pins().size())) return;
  Queries next = history_.now();
  next.pins.erase(next.pins.begin() + index);
  change(next);
}

void AskedQueries::clearPins() {
  change({query(), {}});
}

void AskedQueries::undo() {
  if (!canUndo()) return;
  history_.undo();
  Q_EMIT changed();
}

void AskedQueries::redo() {
  if (!canRedo()) return;
  history_.redo();
  Q_EMIT changed();
}

void AskedQueries::forgetHistory() {
  if (!canUndo() && !canRedo()) return;
  history_.forget();
  Q_EMIT changed();
}

PictureExtent AskedQueries::extent() const {
  const Picture* picture = picture_.get();
  if (!picture) return {};
  const OpenedModel* opened = models_.current();
  if (opened && opened->inspection) return PictureExtent(*picture, opened->region);
  return PictureExtent(*picture, {0, 0, double(picture->width), double(picture->height)});
}

std::optional<TokenGrid> AskedQueries::grid() const {
  const LayerInspection* layer = models_.shownLayer();
  if (!layer) return std::nullopt;
  return chosenGrid(layer->attention->description(), layers_.direction());
}

int AskedQueries::token() const {
  const LayerInspection* layer = models_.shownLayer();
  if (!layer) return 0;
  return queryToken(layer->attention->description(), extent(), query(), layers_.direction());
}

std::vector<MarkedQuery> AskedQueries::marked() const {
  std::vector<MarkedQuery> marked;
  for (std::size_t i = 0; i < pins().size(); ++i) {
    const int index = static_cast<int>(i);
    marked.push_back({pins()[i], queryColor(index), queryLetter(index)});
  }
  const bool pinned = std::find(pins().begin(), pins().end(), query()) != pins().end();
  if (!pinned) marked.push_back({query(), Qt::white, {}});
  return marked;
}

std::optional<QueryMark> AskedQueries::mark() const {
  if (!asksPatch()) return std::nullopt;
  return patchMark(*grid(), extent(), {query(), Qt::white, {}});
}

std::vector<QueryMark> AskedQueries::pinMarks() const {
  std::vector<QueryMark> marks;
  const std::optional<TokenGrid> patches = grid();
  if (!patches) return marks;
  std::vector<MarkedQuery> pinned = marked();
  pinned.resize(pins().size());
  for (const MarkedQuery& pin : pinned) {
    if (!pin.query.prefixToken) marks.push_back(patchMark(*patches, extent(), pin));
  }
  return marks;
}

void AskedQueries::restore(const Queries& queries) {
  isUnasked_ = false;
  history_ = {};
  history_.change(queries);
  history_.forget();
  Q_EMIT changed();
}

}  // namespace softscope
