#include "widgets/Workspace.h"

#include <QtCore/QFileInfo>

#include <algorithm>

namespace softscope {
namespace {

constexpr std::size_t rememberedQueries = 1000;

QString fileName(const std::string& path) {
  return QFileInfo(QString::fromStdString(path)).fileName();
}

void remember(std::vector<PictureQuery>& queries, const PictureQuery& query) {
  if (queries.size() >= rememberedQueries) queries.erase(queries.begin());
  queries.push_back(query);
}

}  // namespace

const LayerInspection* OpenedModel::shownLayer() const {
  return inspection ? inspection->find(layer) : nullptr;
}

QString OpenedModel::name() const {
  return QFileInfo(QString::fromStdString(summary().path.empty() ? request.path : summary().path))
      .completeBaseName();
}

Workspace::Workspace(ModelOpener opener, ModelInspector inspector, QObject* parent)
    : QObject(parent), opener_(std::move(opener)), inspector_(std::move(inspector)) {
  connect(&worker_, &Worker::progressed, this, &Workspace::progressed);
  connect(&worker_, &Worker::busyChanged, this, [this](bool busy) {
    // Cancelled, or failed, on the way to the picture: the model itself was opened.
    if (!busy && arriving_) replaceModel(*std::exchange(arriving_, std::nullopt));
    Q_EMIT busyChanged(busy);
  });
  connect(&worker_, &Worker::failed, this,
          [this](Worker::Kind kind, const QString& message, const QString& details) {
            Q_EMIT failed(message, details);
            // What was being opened had cut off a run, and now does not come.
            const bool cutOff = kind != Worker::Kind::Inspection && current() && picture_ &&
                                !current()->inspection && !worker_.isBusy();
            if (cutOff) inspectAgain();
          });
}

void Workspace::openPicture(const QString& path) {
  worker_.cancel(Worker::Kind::Inspection);
  const std::string file = path.toStdString();
  worker_.submit(Worker::Kind::Picture, tr("Reading %1").arg(QFileInfo(path).fileName()),
                 [this, file](const Progress&) -> Worker::Delivery {
                   auto picture = std::make_shared<const Picture>(readPicture(file));
                   QImage image = softscope::pictureImage(*picture);
                   return [this, picture, image] { takePicture(picture, image); };
                 });
}

void Workspace::decodePicture(const QByteArray& bytes, const QString& name) {
  worker_.cancel(Worker::Kind::Inspection);
  worker_.submit(Worker::Kind::Picture, tr("Reading %1").arg(name),
                 [this, bytes, title = name.toStdString()](const Progress&) -> Worker::Delivery {
                   auto picture = std::make_shared<const Picture>(softscope::decodePicture(
                       reinterpret_cast<const std::uint8_t*>(bytes.constData()),
                       static_cast<std::size_t>(bytes.size()), title));
                   QImage image = softscope::pictureImage(*picture);
                   return [this, picture, image] { takePicture(picture, image); };
                 });
}

void Workspace::takePicture(std::shared_ptr<const Picture> picture, QImage image) {
  picture_ = std::move(picture);
  pictureImage_ = std::move(image);
  history_ = {};
  for (OpenedModel& opened : models_) opened.inspection.reset();
  Q_EMIT pictureChanged();
  Q_EMIT inspectionChanged();
  Q_EMIT queryChanged();
  if (arriving_) {
    inspect(*arriving_);
  } else if (const OpenedModel* opened = current()) {
    inspect(*opened);
  }
}

void Workspace::openModel(const ModelRequest& request) {
  worker_.cancel(Worker::Kind::Inspection);
  worker_.submit(Worker::Kind::Model, tr("Opening %1").arg(fileName(request.path)),
                 [this, request](const Progress& progress) -> Worker::Delivery {
                   auto model = opener_(request, progress);
                   return [this, request, model] {
                     OpenedModel opened;
                     opened.request = request;
                     opened.model = model;
                     opened.inputSize = current() ? current()->inputSize : firstInputSize_;
                     opened.layer = firstLayerOf(opened);
                     takeModel(std::move(opened));
                   };
                 });
}

void Workspace::takeModel(OpenedModel opened) {
  if (!picture_) {
    replaceModel(std::move(opened));
    return;
  }
  arriving_ = std::move(opened);
  inspect(*arriving_);
}

void Workspace::replaceModel(OpenedModel opened) {
  if (models_.empty()) {
    models_.push_back(std::move(opened));
  } else {
    models_.front() = std::move(opened);
  }
  Q_EMIT modelChanged();
  Q_EMIT inspectionChanged();
  Q_EMIT layerChanged();
  Q_EMIT queryChanged();
}

std::string Workspace::firstLayerOf(const OpenedModel& opened) const {
  const std::vector<LayerSummary>& layers = opened.summary().layers;
  const auto has = [&](const std::string& name) {
    return std::any_of(layers.begin(), layers.end(),
                       [&](const LayerSummary& layer) { return layer.name == name; });
  };
  if (current() && has(current()->layer)) return current()->layer;
  if (has(firstLayer_)) return firstLayer_;
  // Heads are there to be compared, and early layers often have but one.
  const auto several = std::find_if(layers.begin(), layers.end(),
                                    [](const LayerSummary& layer) { return layer.heads > 1; });
  if (several != layers.end()) return several->name;
  return layers.empty() ? std::string() : layers.front().name;
}

void Workspace::inspect(const OpenedModel& opened) {
  if (!picture_) return;
  const InputTransform transform = withInputSize(opened.summary().transform, opened.inputSize);
  const QString what = tr("Running %1 on the picture").arg(opened.name());
  worker_.submit(
      Worker::Kind::Inspection, what,
      [this, transform, opened, picture = picture_](const Progress& progress) -> Worker::Delivery {
        const PreparedPicture prepared = preparePicture(*picture, transform);
        progress.throwIfCancelled();
        OpenedModel done = opened;
        done.region = prepared.region;
        done.inspection = inspector_(*opened.model, prepared.input, progress);
        const std::vector<LayerInspection>& layers = done.inspection->layers;
        if (!done.shownLayer() && !layers.empty()) done.layer = layers.front().name;
        return [this, done] {
          arriving_.reset();
          // The layer may have been changed while the model ran.
          OpenedModel shown = done;
          if (current() && current()->model == done.model &&
              done.inspection->find(current()->layer))
            shown.layer = current()->layer;
          replaceModel(std::move(shown));
        };
      });
}

const OpenedModel* Workspace::current() const {
  return models_.empty() ? nullptr : &models_.front();
}

OpenedModel* Workspace::currentModel() {
  return models_.empty() ? nullptr : &models_.front();
}

void Workspace::setAttention(const std::string& mechanism) {
  if (!current() || current()->summary().mechanism == mechanism) return;
  ModelRequest request = current()->request;
  request.attention = mechanism;
  openModel(request);
}

void Workspace::setDevice(const std::string& device) {
  if (!current() || current()->request.device == device) return;
  ModelRequest request = current()->request;
  request.device = device;
  openModel(request);
}

void Workspace::setInputSize(const InputSize& size) {
  if (!current()) {
    firstInputSize_ = size;
    return;
  }
  if (current()->inputSize == size) return;
  OpenedModel resized = *current();
  resized.inputSize = size;
  if (picture_) {
    inspect(resized);
  } else {
    replaceModel(std::move(resized));
  }
}

void Workspace::inspectAgain() {
  if (current()) inspect(*current());
}

void Workspace::setLayer(const std::string& name) {
  OpenedModel* opened = currentModel();
  if (!opened || opened->layer == name) return;
  if (opened->inspection && !opened->inspection->find(name)) return;
  opened->layer = name;
  Q_EMIT layerChanged();
  Q_EMIT queryChanged();
}

void Workspace::stepLayer(int steps) {
  const OpenedModel* opened = current();
  if (!opened || !opened->inspection) return;
  const std::vector<LayerInspection>& layers = opened->inspection->layers;
  const auto found = std::find_if(layers.begin(), layers.end(), [&](const LayerInspection& layer) {
    return layer.name == opened->layer;
  });
  if (found == layers.end()) return;
  const auto last = static_cast<int>(layers.size()) - 1;
  const int next = std::clamp(static_cast<int>(found - layers.begin()) + steps, 0, last);
  setLayer(layers[static_cast<std::size_t>(next)].name);
}

PictureQuery Workspace::within(PictureQuery query) const {
  const PictureExtent seen = extent();
  const PictureRegion& region = seen.region;
  query.x = std::clamp(query.x, region.x / seen.width, (region.x + region.width) / seen.width);
  query.y = std::clamp(query.y, region.y / seen.height, (region.y + region.height) / seen.height);
  return query;
}

void Workspace::moveQuery(const PictureQuery& query) {
  if (query == query_) return;
  query_ = query;
  Q_EMIT queryChanged();
}

void Workspace::setQuery(const PictureQuery& query) {
  const PictureQuery next = within(query);
  if (next == query_) return;
  remember(history_.past, query_);
  history_.future.clear();
  moveQuery(next);
}

void Workspace::dragQuery(const PictureQuery& query) {
  moveQuery(within(query));
}

void Workspace::stepQuery(int rows, int columns) {
  const std::optional<TokenGrid> patches = grid();
  if (!patches) return;
  Patch patch = patchAt(*patches, extent(), query_);
  patch.row = std::clamp(patch.row + rows, 0, patches->height - 1);
  patch.column = std::clamp(patch.column + columns, 0, patches->width - 1);
  setPatch(patch);
}

void Workspace::setPatch(const Patch& patch) {
  const std::optional<TokenGrid> patches = grid();
  if (!patches) return;
  const bool stays = !query_.classToken && patchAt(*patches, extent(), query_) == patch;
  if (!stays) setQuery(queryAt(*patches, extent(), patch));
}

bool Workspace::hasClassToken() const {
  const LayerInspection* layer = current() ? current()->shownLayer() : nullptr;
  if (!layer || !grid()) return false;
  const AttentionDescription& attention = layer->attention->description();
  return (direction_ == Direction::Rows ? queryPrefix(attention) : keyPrefix(attention)) > 0;
}

void Workspace::toggleClassToken() {
  if (!hasClassToken() && !query_.classToken) return;
  PictureQuery query = query_;
  query.classToken = !query.classToken;
  setQuery(query);
}

void Workspace::undoQuery() {
  if (!canUndo()) return;
  const PictureQuery before = history_.past.back();
  history_.past.pop_back();
  history_.future.push_back(query_);
  moveQuery(before);
}

void Workspace::redoQuery() {
  if (!canRedo()) return;
  const PictureQuery after = history_.future.back();
  history_.future.pop_back();
  history_.past.push_back(query_);
  moveQuery(after);
}

void Workspace::setDirection(Direction direction) {
  if (direction == direction_) return;
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

PictureExtent Workspace::extent() const {
  if (!picture_) return {};
  const OpenedModel* opened = current();
  if (opened && opened->inspection) return PictureExtent(*picture_, opened->region);
  return PictureExtent(*picture_, {0, 0, double(picture_->width), double(picture_->height)});
}

std::optional<TokenGrid> Workspace::grid() const {
  const LayerInspection* layer = current() ? current()->shownLayer() : nullptr;
  if (!layer) return std::nullopt;
  return chosenGrid(layer->attention->description(), direction_);
}

int Workspace::token() const {
  const LayerInspection* layer = current() ? current()->shownLayer() : nullptr;
  if (!layer) return 0;
  return queryToken(layer->attention->description(), extent(), query_, direction_);
}

std::vector<AttentionValues> Workspace::answers() const {
  const LayerInspection* layer = current() ? current()->shownLayer() : nullptr;
  if (!layer) return {};
  std::vector<int> heads(static_cast<std::size_t>(layer->attention->description().heads));
  for (std::size_t i = 0; i < heads.size(); ++i) heads[i] = static_cast<int>(i);
  const bool mean = includesMean_ && heads.size() > 1;
  return attentionValues(*layer->attention, heads, mean, token(), direction_);
}

HeadsFigure Workspace::figure() const {
  HeadsFigure figure;
  const OpenedModel* opened = current();
  if (!opened || !opened->shownLayer() || !picture_) return figure;
  figure.picture = *picture_;
  figure.region = opened->region;
  figure.modelName = opened->name().toStdString();
  if (opened->summary().counterfactual) figure.mechanismNote = "not what was trained";
  figure.layers = {*opened->shownLayer()};
  figure.queries = {query_};
  figure.includeMean = includesMean_ && figure.layers.front().attention->description().heads > 1;
  figure.direction = direction_;
  figure.view = view_;
  return figure;
}

}  // namespace softscope
