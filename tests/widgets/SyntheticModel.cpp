#include "tests/widgets/SyntheticModel.h"

#include "core/attention/StencilMap.h"

#include <QtCore/QTemporaryDir>
#include <QtGui/QImage>

namespace softscope::test {
namespace {

LayerInspection layer(const std::string& name, const AttentionDescription& attention) {
  LayerInspection inspection;
  inspection.name = name;
  inspection.attention = syntheticMap(attention);
  inspection.gradientObstacle = "a synthetic model has no weights that a class depends on";
  return inspection;
}

/// The same with a convolution of V beside its attention.
LayerInspection convolvedLayer(const std::string& name, const AttentionDescription& attention) {
  LayerInspection inspection = layer(name, attention);
  std::vector<Matrix> filters;
  for (int head = 0; head < attention.heads; ++head) {
    filters.push_back(Matrix::NullaryExpr(3, 3, [head](Eigen::Index row, Eigen::Index column) {
      return static_cast<float>(1 + head) * (static_cast<float>(3 * row + column) - 2);
    }));
  }
  inspection.convolution = std::make_shared<StencilMap>(attention, MatrixStack(filters));
  return inspection;
}

}  // namespace

std::shared_ptr<const Model> syntheticModel(const ModelRequest& request) {
  ModelSummary summary;
  summary.path = request.path;
  summary.family = "soft";
  summary.variant = "soft_tiny";
  summary.mechanism = request.attention.value_or("soft");
  summary.alternatives = {"soft", "soft++", "gaussian"};
  summary.landmarks = request.landmarks;
  summary.counterfactual = summary.mechanism == "gaussian" || !request.landmarks.isTrained();
  summary.parameters = 13100000;
  summary.classes = 6;
  summary.classNames = {"tabby", "tiger cat", "mug", "car"};
  summary.transform.extent = InputTransform::Extent::Whole;
  summary.transform.height = summary.transform.width = 64;
  summary.layers = {{"block1.0.attn", summary.mechanism, 1, 2},
                    {"block2.0.attn", summary.mechanism, 2, 3},
                    {"blocks.2.attn", "softmax", 3, 2}};
  return std::make_shared<Model>(summary, nullptr);
}

std::shared_ptr<const Inspection> syntheticInspection() {
  auto inspection = std::make_shared<Inspection>();
  inspection->layers = {convolvedLayer("block1.0.attn", gridAttention(2, 8, 8)),
                        layer("block2.0.attn", gridAttention(3, 4, 4)),
                        layer("blocks.2.attn", gridAttention(2, 4, 4, 1))};
  inspection->logits = {1, 5, 2, 0, 0, 3};
  inspection->inputHeight = inspection->inputWidth = 64;
  inspection->device = "cpu";
  inspection->seconds = 0.01;
  return inspection;
}

std::shared_ptr<const Model> openSynthetic(const ModelRequest& request, const Progress&) {
  return syntheticModel(request);
}

std::shared_ptr<const Inspection> inspectSynthetic(const Model&, const InputTensor&,
                                                   const Progress&, const InspectionOptions&) {
  return syntheticInspection();
}

Engine syntheticEngine(decltype(Engine::openModel) open, ModelInspector inspect) {
  Engine engine;
  engine.openModel = std::move(open);
  engine.inspect = std::move(inspect);
  return engine;
}

std::string writeTestPicture(int width, int height, const std::string& name) {
  QImage image(width, height, QImage::Format_RGB32);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) image.setPixel(x, y, qRgb(x % 256, y % 256, (x + y) % 256));
  }
  // Of this process alone: others may write theirs at the same time.
  static const QTemporaryDir folder;
  const QString path = folder.filePath(QString::fromStdString(name));
  image.save(path);
  return path.toStdString();
}

}  // namespace softscope::test
