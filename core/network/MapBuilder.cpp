#include "core/network/MapBuilder.h"

#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "core/attention/MixedSoftmaxMap.h"
#include "core/attention/StencilMap.h"

#include <memory>
#include <utility>

namespace softscope {

namespace {

torch::Tensor onHost(const torch::Tensor& tensor) {
  return tensor.detach().to(torch::kCPU, torch::kFloat32).contiguous();
}

std::shared_ptr<const AttentionMap> buildMap(const AttentionDescription& description,
                                             const FactorTensors& factors) {
  const MatrixStack left = stackOf(factors.left);
  const MatrixStack right = factors.right.is_same(factors.left) ? left : stackOf(factors.right);
  return std::make_shared<FactoredMap>(description, left, stackOf(factors.middle), right);
}

std::shared_ptr<const AttentionMap> buildMap(const AttentionDescription& description,
                                             const KernelTensors& tensors) {
  const auto kernel = tensors.kernel == KernelTensors::Kernel::Softmax
                          ? KernelMap::Kernel::Softmax
                          : KernelMap::Kernel::Gaussian;
  const MatrixStack query = stackOf(tensors.query);
  const MatrixStack key = tensors.key.is_same(tensors.query) ? query : stackOf(tensors.key);
  return std::make_shared<KernelMap>(description, kernel, query, key, tensors.scale);
}

std::shared_ptr<const AttentionMap> buildMap(const AttentionDescription& description,
                                             const DenseTensors& tensors) {
  return std::make_shared<DenseMap>(description, stackOf(tensors.values));
}

Vector vectorOf(const torch::Tensor& tensor) {
  return tensor.defined() ? Vector(matrixOf(tensor.unsqueeze(0)).row(0)) : Vector();
}

std::shared_ptr<const AttentionMap> buildMap(const AttentionDescription& description,
                                             const MixtureTensors& tensors) {
  MixedSoftmaxMap::Parts parts{.query = stackOf(tensors.query),
                               .key = stackOf(tensors.key),
                               .scale = tensors.scale,
                               .before = matrixOf(tensors.before),
                               .after = matrixOf(tensors.after),
                               .added = vectorOf(tensors.added)};
  if (tensors.bias.defined()) {
    parts.bias.emplace(matrixOf(tensors.bias), description.queryGrid.value(),
                       description.prefixTokens);
  }
  return std::make_shared<MixedSoftmaxMap>(description, std::move(parts));
}

std::vector<int> indicesOf(const torch::Tensor& tensor) {
  const torch::Tensor host = tensor.detach().to(torch::kCPU, torch::kInt64).contiguous();
  const auto* first = host.data_ptr<std::int64_t>();
  std::vector<int> indices;
  indices.reserve(static_cast<std::size_t>(host.numel()));
  for (std::int64_t i = 0; i < host.numel(); ++i) indices.push_back(static_cast<int>(first[i]));
  return indices;
}

std::shared_ptr<const AttentionMap> buildMap(const AttentionDescription& description,
                                             const BlockTensors& tensors) {
  return std::make_shared<BlockMap>(description, blocksOf(tensors));
}

std::shared_ptr<const AttentionMap> buildMap(const AttentionDescription& description,
                                             const BuiltTensors& tensors) {
  BuiltTensors::Parts parts;
  for (const torch::Tensor& part : tensors.parts) parts.push_back(stackOf(part));
  return tensors.build(description, parts);
}

AttentionDescription descriptionWithoutLandmarks(AttentionDescription description) {
  description.landmarks.reset();
  description.landmarkGrid.reset();
  description.landmarkTokens.clear();
  description.parameters.erase("ratio");
  return description;
}

std::shared_ptr<const AttentionMap> buildExactKernel(const AttentionRecord& record) {
  if (!record.exactKernel) return nullptr;
  AttentionDescription description = descriptionWithoutLandmarks(record.description);
  const bool softmax = record.exactKernel->kernel == KernelTensors::Kernel::Softmax;
  description.mechanism = softmax ? "softmax" : "gaussian";
  return buildMap(description, *record.exactKernel);
}

std::shared_ptr<const AttentionMap> buildConvolution(const AttentionRecord& record) {
  if (!record.convolution.defined()) return nullptr;
  return std::make_shared<StencilMap>(descriptionWithoutLandmarks(record.description),
                                      stackOf(record.convolution));
}

std::vector<Matrix> matricesOf(const torch::Tensor& tensor) {
  std::vector<Matrix> matrices;
  if (!tensor.defined()) return matrices;
  for (std::int64_t head = 0; head < tensor.size(0); ++head) {
    matrices.push_back(matrixOf(tensor[head]));
  }
  return matrices;
}

Eigen::MatrixXd doublesOf(const torch::Tensor& tensor) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const torch::Tensor host = tensor.detach().to(torch::kCPU, torch::kFloat64).contiguous();
  return Eigen::Map<const Rows>(host.data_ptr<double>(), host.size(0), host.size(1));
}

std::vector<PreciseBottleneck> preciseOf(const std::optional<PreciseTensors>& tensors) {
  std::vector<PreciseBottleneck> heads;
  if (!tensors) return heads;
  const torch::Tensor& right = tensors->right.defined() ? tensors->right : tensors->left;
  for (std::int64_t head = 0; head < tensors->bottleneck.size(0); ++head) {
    heads.push_back({doublesOf(tensors->bottleneck[head]), doublesOf(tensors->left[head]),
                     doublesOf(right[head])});
  }
  return heads;
}

}  // namespace

Matrix matrixOf(const torch::Tensor& tensor) {
  if (!tensor.defined()) return {};
  const torch::Tensor host = onHost(tensor);
  return Eigen::Map<const Matrix>(host.data_ptr<float>(), host.size(0), host.size(1));
}

MatrixStack stackOf(const torch::Tensor& tensor) {
  if (!tensor.defined()) return {};
  const torch::Tensor host = onHost(tensor);
  const std::shared_ptr<const float> values(host.data_ptr<float>(), [host](const float*) {});
  return MatrixStack(values, static_cast<int>(host.size(0)), static_cast<int>(host.size(1)),
                     static_cast<int>(host.size(2)));
}

BlockMap::Blocks blocksOf(const BlockTensors& tensors) {
  return {.values = stackOf(tensors.values.flatten(1, 2)),
          .rows = indicesOf(tensors.rows),
          .columns = indicesOf(tensors.columns),
          .count = static_cast<int>(tensors.values.size(1)),
          .queries = tensors.queries,
          .keys = tensors.keys};
}

AttentionRecord copiedFromGpu(AttentionRecord record) {
  // Tensors that were the same stay the same.
  std::vector<std::pair<torch::Tensor, torch::Tensor>> copies;
  const auto copy = [&copies](torch::Tensor& tensor) {
    if (!tensor.defined() || tensor.is_cpu()) return;
    for (const auto& [original, host] : copies) {
      if (original.is_same(tensor)) {
        tensor = host;
        return;
      }
    }
    const torch::Tensor values = tensor.detach().contiguous();
    torch::Tensor host =
        torch::empty(values.sizes(), torch::dtype(values.scalar_type()).pinned_memory(true));
    host.copy_(values, true);
    copies.emplace_back(tensor, host);
    tensor = host;
  };
  // Nothing of V but its norms goes into an inspection, and norms of norms are the same.
  if (record.value.defined()) record.value = record.value.norm(2, -1, true);
  const auto copyKernel = [&copy](KernelTensors& kernel) {
    copy(kernel.query);
    copy(kernel.key);
  };
  if (auto* factors = std::get_if<FactorTensors>(&record.map)) {
    for (torch::Tensor* part : {&factors->left, &factors->middle, &factors->right}) copy(*part);
  } else if (auto* kernel = std::get_if<KernelTensors>(&record.map)) {
    copyKernel(*kernel);
  } else if (auto* mixture = std::get_if<MixtureTensors>(&record.map)) {
    for (torch::Tensor* part : {&mixture->query, &mixture->key, &mixture->bias, &mixture->before,
                                &mixture->after, &mixture->added}) {
      copy(*part);
    }
  } else if (auto* blocks = std::get_if<BlockTensors>(&record.map)) {
    for (torch::Tensor* part : {&blocks->values, &blocks->rows, &blocks->columns}) copy(*part);
  } else if (auto* built = std::get_if<BuiltTensors>(&record.map)) {
    for (torch::Tensor& part : built->parts) copy(part);
  } else {
    copy(std::get<DenseTensors>(record.map).values);
  }
  for (torch::Tensor* part : {&record.queryL1, &record.keyL1, &record.bottleneck,
                              &record.bottleneckInverse, &record.convolution, &record.value}) {
    copy(*part);
  }
  if (record.exactKernel) copyKernel(*record.exactKernel);
  if (record.precise) {
    PreciseTensors& precise = *record.precise;
    for (torch::Tensor* part : {&precise.bottleneck, &precise.left, &precise.right}) copy(*part);
  }
  return record;
}

LayerInspection buildLayerInspection(const AttentionRecord& record) {
  LayerInspection layer;
  layer.name = record.layer;
  layer.attention = std::visit(
      [&](const auto& tensors) { return buildMap(record.description, tensors); }, record.map);
  layer.queryL1 = matrixOf(record.queryL1);
  layer.keyL1 = record.keyL1.is_same(record.queryL1) ? layer.queryL1 : matrixOf(record.keyL1);
  if (record.value.defined()) layer.valueNorms = matrixOf(record.value.norm(2, -1));
  layer.bottleneck = matricesOf(record.bottleneck);
  layer.bottleneckInverse = matricesOf(record.bottleneckInverse);
  layer.convolution = buildConvolution(record);
  layer.exactKernel = buildExactKernel(record);
  layer.precise = preciseOf(record.precise);
  return layer;
}

}  // namespace softscope
