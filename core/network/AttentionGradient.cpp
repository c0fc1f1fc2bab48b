#include "core/network/AttentionGradient.h"

#include "core/Error.h"
#include "core/network/MapBuilder.h"

#include <algorithm>
#include <cstdint>

namespace softscope {

namespace {

/// Numbers of a strip of rows of all heads: 64 MiB in float32.
constexpr std::int64_t stripNumbers = std::int64_t{1} << 24;

torch::Tensor rowsOfMap(const FactorTensors& map, const torch::Tensor& rows) {
  const torch::Tensor left = map.left.index_select(1, rows);
  return at::matmul(map.middle.defined() ? at::matmul(left, map.middle) : left,
                    map.right.transpose(-1, -2));
}

torch::Tensor rowsOfMap(const KernelTensors& map, const torch::Tensor& rows) {
  const torch::Tensor queries = map.query.index_select(1, rows);
  const torch::Tensor products = at::matmul(queries, map.key.transpose(-1, -2));
  if (map.kernel == KernelTensors::Kernel::Softmax) return (products * map.scale).softmax(-1);
  const auto halfSquares = [](const torch::Tensor& x) { return x.square().sum(-1, true) / 2; };
  return (products - halfSquares(queries) - halfSquares(map.key).transpose(-1, -2)).exp();
}

torch::Tensor rowsOfMap(const DenseTensors& map, const torch::Tensor& rows) {
  return map.values.index_select(1, rows);
}

/// Returns the rows of a map that core/attention computes.
torch::Tensor rowsOfBuiltMap(const AttentionRecord& record, const torch::Tensor& rows) {
  const auto map = buildLayerInspection(record).attention;
  const AttentionDescription& attention = map->description();
  const torch::Tensor host = rows.to(torch::kCPU);
  torch::Tensor result = torch::empty({attention.heads, host.size(0), attention.keys});
  for (int head = 0; head < attention.heads; ++head) {
    for (std::int64_t i = 0; i < host.size(0); ++i) {
      const Vector row = map->row(head, static_cast<int>(host[i].item<std::int64_t>()));
      std::copy(row.begin(), row.end(), result[head][i].data_ptr<float>());
    }
  }
  return result.to(record.value.options());
}

void requireValue(const AttentionRecord& record) {
  if (!record.value.defined()) {
    throw InspectionError(record.layer +
                          ": the layer does not record the values that its attention multiplies");
  }
}

torch::Tensor chosenEntries(const torch::Tensor& x, AttentionEntries entries) {
  switch (entries) {
    case AttentionEntries::Positive:
      return x.clamp_min(0);
    case AttentionEntries::Magnitude:
      return x.abs();
    case AttentionEntries::Signed:
      break;
  }
  return x;
}

Eigen::VectorXd numbersOf(const torch::Tensor& x) {
  const torch::Tensor host = x.to(torch::kCPU, torch::kFloat64).contiguous();
  return Eigen::Map<const Eigen::VectorXd>(host.data_ptr<double>(), host.numel());
}

/// Calls visit(rows) with the indices [k] of strips of the given queries.
template <typename Visit>
void forEachStrip(const torch::Tensor& queries, const torch::Tensor& value,
                  const Progress& progress, const Visit& visit) {
  const std::int64_t strip =
      std::max<std::int64_t>(1, stripNumbers / (value.size(0) * value.size(1)));
  for (const torch::Tensor& rows : queries.split(strip)) {
    progress.throwIfCancelled();
    visit(rows);
  }
}

/// Returns A^T X [heads, keys, d'] for X [heads, queries, d'] that is zero but for `queries`.
torch::Tensor transposedTimes(const AttentionRecord& record, const torch::Tensor& x,
                              const torch::Tensor& queries, const Progress& progress) {
  if (const auto* factors = std::get_if<FactorTensors>(&record.map)) {
    torch::Tensor inner = at::matmul(factors->left.transpose(-1, -2), x);
    if (factors->middle.defined()) {
      inner = at::matmul(factors->middle.transpose(-1, -2), inner);
    }
    return at::matmul(factors->right, inner);
  }
  torch::Tensor sum = at::zeros_like(record.value);
  forEachStrip(queries, record.value, progress, [&](const torch::Tensor& rows) {
    sum += at::matmul(attentionRows(record, rows).transpose(-1, -2), x.index_select(1, rows));
  });
  return sum;
}

}  // namespace

torch::Tensor attentionRows(const AttentionRecord& record, const torch::Tensor& rows) {
  return std::visit(
      [&](const auto& map) -> torch::Tensor {
        if constexpr (requires { rowsOfMap(map, rows); }) {
          return rowsOfMap(map, rows);
        } else {
          return rowsOfBuiltMap(record, rows);
        }
      },
      record.map);
}

Eigen::VectorXd weightedEntries(const AttentionRecord& record, const torch::Tensor& gradient,
                                const Eigen::VectorXd& weights, AttentionEntries entries,
                                const Progress& progress) {
  requireValue(record);
  const torch::NoGradGuard noGradient;
  const torch::Tensor value = record.value;
  const torch::Tensor w =
      torch::from_blob(const_cast<double*>(weights.data()), {weights.size()}, torch::kFloat64)
          .to(value.options());
  const torch::Tensor queries = w.nonzero().flatten();
  if (entries == AttentionEntries::Signed) {
    const torch::Tensor weighted = gradient * w.unsqueeze(-1);
    return numbersOf(
        (transposedTimes(record, weighted, queries, progress) * value).sum(-1).mean(0));
  }
  torch::Tensor sum = at::zeros({value.size(1)}, value.options());
  forEachStrip(queries, value, progress, [&](const torch::Tensor& rows) {
    const torch::Tensor gradients =
        at::matmul(gradient.index_select(1, rows), value.transpose(-1, -2));
    const torch::Tensor of = chosenEntries(attentionRows(record, rows) * gradients, entries);
    sum += at::matmul(w.index_select(0, rows), of.mean(0));
  });
  return numbersOf(sum);
}

Eigen::VectorXd meanGradientEntries(const AttentionRecord& record, const torch::Tensor& gradient,
                                    AttentionEntries entries, const Progress& progress) {
  requireValue(record);
  const torch::NoGradGuard noGradient;
  const torch::Tensor value = record.value;
  if (entries == AttentionEntries::Signed) {
    return numbersOf((value * gradient.mean(1, true)).sum(-1).mean(0));
  }
  const std::int64_t count = gradient.size(1);
  torch::Tensor sum = at::zeros({value.size(1)}, value.options());
  // A query whose gradient is zero has nothing but zeros in its row.
  const torch::Tensor queries = gradient.abs().amax({0, 2}).nonzero().flatten();
  forEachStrip(queries, value, progress, [&](const torch::Tensor& rows) {
    const torch::Tensor gradients =
        at::matmul(gradient.index_select(1, rows), value.transpose(-1, -2));
    sum += chosenEntries(gradients, entries).mean(0).sum(0);
  });
  return numbersOf(sum / count);
}

}  // namespace softscope
