#include "widgets/workspace/Workspace.h"

#include <algorithm>

namespace softscope {
namespace {

constexpr double closest = 0.01;
constexpr std::size_t mostPins = 26;

}  // namespace

Workspace::Workspace(ModelOpener opener, ModelInspector inspector, QObject* parent)
    : QObject(parent), opener_(std::move(opener)), inspector_(std::move(inspector)) {
  connect(&worker_, &Worker::progressed, this, &Workspace::progressed);
  connect(&worker_, &Worker::busyChanged, this, &Workspace::busyChanged);
  connect(&worker_, &Worker::failed, this,
          [this](Worker::Kind kind, const QString& message, const QString& details) {
            Q_EMIT failed(message, details);
            takeFailure(kind, message);
            proceed();
          });
}

const OpenedModel* Workspace::current() const {
  return models_.empty() ? nullptr : &models_[static_cast<std::size_t>(current_)];
}

OpenedModel* Workspace::find(int id) {
  const auto found = std::find_if(models_.begin(), models_.end(),
                                  [id](const OpenedModel& model) { return model.id == id; });
  return found == models_.end() ? nullptr : &*found;
}

PictureQuery Workspace::within(PictureQuery query) const {
  const PictureExtent seen = extent();
  const PictureRegion& region = seen.region;
  query.x = std::clamp(query.x, region.x / seen.width, (region.x + region.width) / seen.width);
  query.y = std::clamp(query.y, region.y / seen.height, (region.y + region.height) / seen.height);
  return query;
}

void Workspace::changeQueries(const Queries& next) {
  const bool differs = next != history_.now();
  history_.change(next);
  if (differs) Q_EMIT queryChanged();
}

void Workspace::setQuery(const PictureQuery& query) {
  changeQueries({within(query), pins()});
}

void Workspace::dragQuery(const PictureQuery& query) {
  const PictureQuery next = within(query);
  if (next == history_.now().active) return;
  history_.move(next);
  Q_EMIT queryChanged();
}

void Workspace::stepQuery(int rows, int columns) {
  const std::optional<TokenGrid> patches = grid();
  if (!patches) return;
  Patch patch = patchAt(*patches, extent(), query());
  patch.row = std::clamp(patch.row + rows, 0, patches->height - 1);
  patch.column = std::clamp(patch.column + columns, 0, patches->width - 1);
  setPatch(patch);
}

void Workspace::setPatch(const Patch& patch) {
  const std::optional<TokenGrid> patches = grid();
  if (!patches) return;
  const bool stays = !query().classToken && patchAt(*patches, extent(), query()) == patch;
  if (!stays) setQuery(queryAt(*patches, extent(), patch));
}

bool Workspace::hasClassToken() const {
  const LayerInspection* layer = current() ? current()->shownLayer() : nullptr;
  if (!layer || !grid()) return false;
  const AttentionDescription& attention = layer->attention->description();
  return (direction_ == Direction::Rows ? queryPrefix(attention) : keyPrefix(attention)) > 0;
}

void Workspace::toggleClassToken() {
  if (!hasClassToken() && !query().classToken) return;
  PictureQuery next = query();
  next.classToken = !next.classToken;
  setQuery(next);
}

void Workspace::pin(const PictureQuery& query) {
  Queries next = history_.now();
  const PictureQuery pinned = within(query);
  const bool there = std::find(next.pins.begin(), next.pins.end(), pinned) != next.pins.end();
  if (there || next.pins.size() >= mostPins) return;
  next.pins.push_back(pinned);
  changeQueries(next);
}

void Workspace::unpin(int index) {
  if (index < 0 || index >= static_cast<int>(pins().size())) return;
  Queries next = history_.now();
  next.pins.erase(next.pins.begin() + index);
  changeQueries(next);
}

void Workspace::clearPins() {
  changeQueries({query(), {}});
}

void Workspace::undoQuery() {
  if (!canUndo()) return;
  history_.undo();
  Q_EMIT queryChanged();
}

void Workspace::redoQuery() {
  if (!canRedo()) return;
  history_.redo();
  Q_EMIT queryChanged();
}

void Workspace::setDirection(Direction direction) {
  worker_.cancel(Worker::Kind::Columns);
  if (direction == direction_) return;
  Maps shown;
  for (const OpenedModel& model : models_) {
    if (const LayerInspection* layer = model.shownLayer()) shown.push_back(layer->attention);
  }
  const bool waits =
      direction == Direction::Columns &&
      preparesColumns(Worker::Kind::Columns, shown, [this, direction] { setDirection(direction); });
  if (waits) return;
  direction_ = direction;
  Q_EMIT queryChanged();
}

void Workspace::setView(const ViewSettings& view) {
  if (view == view_) return;
  view_ = view;
  Q_EMIT viewChanged();
}

void Workspace::setIncludesMean(bool includes) {
  if (includes == includesMean_) return;
  includesMean_ = includes;
  Q_EMIT viewChanged();
}

std::optional<int> Workspace::onlyHead() const {
  const LayerInspection* layer = current() ? current()->shownLayer() : nullptr;
  if (!onlyHead_ || !layer) return onlyHead_;
  return std::min(*onlyHead_, layer->attention->description().heads - 1);
}

void Workspace::setOnlyHead(std::optional<int> head) {
  if (head == onlyHead_) return;
  onlyHead_ = head;
  Q_EMIT viewChanged();
}

void Workspace::stepHead(int by) {
  const LayerInspection* layer = current() ? current()->shownLayer() : nullptr;
  if (!layer) return;
  const int heads = layer->attention->description().heads;
  // Heads in a circle, with all of them between the last and the first.
  const int place = (onlyHead().value_or(heads) + by + heads + 1) % (heads + 1);
  setOnlyHead(place == heads ? std::nullopt : std::optional(place));
}

void Workspace::setAnalysis(const AnalysisSettings& analysis) {
  if (analysis == analysis_) return;
  analysis_ = analysis;
  Q_EMIT analysisChanged();
}

void Workspace::setIncludesLargest(bool includes) {
  if (includes == includesLargest_) return;
  includesLargest_ = includes;
  Q_EMIT viewChanged();
}

void Workspace::setVisible(const QRectF& visible) {
  const QSizeF size(std::clamp(visible.width(), closest, 1.0),
                    std::clamp(visible.height(), closest, 1.0));
  const QRectF next(std::clamp(visible.x(), 0.0, 1 - size.width()),
                    std::clamp(visible.y(), 0.0, 1 - size.height()), size.width(), size.height());
  if (next == visible_) return;
  visible_ = next;
  Q_EMIT viewChanged();
}

void Workspace::zoom(double factor, const QPointF& about) {
  const double side = std::clamp(visible_.width() / factor, closest, 1.0);
  const double scale = side / visible_.width();
  setVisible({about.x() - (about.x() - visible_.x()) * scale,
              about.y() - (about.y() - visible_.y()) * scale, side, side});
}

void Workspace::pan(const QPointF& by) {
  setVisible(visible_.translated(by));
}

void Workspace::setPage(const QString& page) {
  if (page == page_) return;
  page_ = page;
  Q_EMIT pageChanged();
}

PictureExtent Workspace::extentOf(const OpenedModel& opened) const {
  if (!picture_) return {};
  if (opened.inspection) return PictureExtent(*picture_, opened.region);
  return PictureExtent(*picture_, {0, 0, double(picture_->width), double(picture_->height)});
}

PictureExtent Workspace::extent() const {
  return current() ? extentOf(*current()) : extentOf(OpenedModel());
}

std::optional<TokenGrid> Workspace::grid() const {
  const LayerInspection* layer = current() ? current()->shownLayer() : nullptr;
  if (!layer) return std::nullopt;
  return chosenGrid(layer->attention->description(), direction_);
}

int Workspace::token() const {
  const LayerInspection* layer = current() ? current()->shownLayer() : nullptr;
  if (!layer) return 0;
  return queryToken(layer->attention->description(), extent(), query(), direction_);
}

}  // namespace softscope
