#include "core/Error.h"
#include "core/attention/BlockMap.h"
#include "core/attention/Mechanism.h"
#include "core/files/Malformed.h"
#include "core/network/MapBuilder.h"
#include "core/recording/CheckedArrays.h"
#include "core/recording/RecordedLayer.h"
#include "core/text/FileText.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

enum class RecordedKernel { Softmax, Gaussian, Linear };

RecordedKernel kernelNamed(const RecordingFile& file, const std::string& key) {
  const std::string name = file.text(key).value_or("softmax");
  if (name == "softmax") return RecordedKernel::Softmax;
  if (name == "gaussian") return RecordedKernel::Gaussian;
  if (name == "linear") return RecordedKernel::Linear;
  throw Malformed(quotedText(key) + " is " + quotedText(name) +
                  ", and should be softmax, gaussian or linear");
}

Malformed missingPart(const std::string& missing, const std::string& given) {
  return Malformed("has " + quotedText(given) + " without " + quotedText(missing) +
                   ", and one says nothing without the other");
}

void requirePair(const RecordingFile& file, const std::string& first, const std::string& second) {
  if (file.has(first) && !file.has(second)) throw missingPart(second, first);
  if (file.has(second) && !file.has(first)) throw missingPart(first, second);
}

/// Throws unless both tensors have the same number of heads and columns.
void requireAlike(const std::string& firstKey, const torch::Tensor& first,
                  const std::string& secondKey, const torch::Tensor& second, const char* columns) {
  if (first.size(0) == second.size(0) && first.size(2) == second.size(2)) return;
  throw Malformed(quotedText(firstKey) + " is " + shapeText(first) + " and " +
                  quotedText(secondKey) + " " + shapeText(second) +
                  ", and both should have as many heads and " + columns);
}

/// Returns true if L M R^T is symmetric because L and R are equal. SOFT's M, the result of an
/// iteration, is slightly asymmetric in float32.
bool isSymmetric(const torch::Tensor& left, const torch::Tensor& middle, const torch::Tensor& right,
                 const std::string& mechanism) {
  if (left.sizes() != right.sizes() || !torch::equal(left, right)) return false;
  if (!middle.defined()) return true;
  const auto& bottleneck = traitsOf(mechanism).bottleneck;
  const bool isIterated =
      bottleneck && bottleneck->kernel == Mechanism::Bottleneck::Kernel::Gaussian;
  constexpr float rounding = 1e-3F;
  const torch::Tensor difference = (middle - middle.transpose(1, 2)).abs().max();
  return difference.item<float>() <= (isIterated ? rounding * middle.abs().max().item<float>() : 0);
}

FactorTensors readFactors(const RecordingFile& file, const std::string& layer) {
  const CheckedArrays arrays(file);
  const std::string middleKey = layer + "/middle";
  FactorTensors factors;
  factors.left = arrays.floats(layer + "/left", "[heads, queries, r]");
  factors.right = arrays.floats(layer + "/right", "[heads, keys, r]");
  requireAlike(layer + "/left", factors.left, layer + "/right", factors.right, "columns r");
  const std::int64_t rank = factors.left.size(2);
  factors.middle = arrays.floats(middleKey, "[heads, r, r]", {factors.left.size(0), rank, rank});
  const std::string mechanism = file.text(layer + "/mechanism").value_or("");
  if (isSymmetric(factors.left, factors.middle, factors.right, mechanism)) {
    factors.right = factors.left;
  }
  return factors;
}

struct Tokens {
  torch::Tensor query;
  torch::Tensor key;
  RecordedKernel kernel = RecordedKernel::Softmax;
  double scale = 1;
};

Tokens readTokens(const RecordingFile& file, const std::string& layer) {
  const CheckedArrays arrays(file);
  Tokens tokens;
  tokens.query = arrays.floats(layer + "/q", "[heads, queries, d]");
  tokens.key = arrays.floats(layer + "/k", "[heads, keys, d]");
  requireAlike(layer + "/q", tokens.query, layer + "/k", tokens.key, "channels d");
  if (tokens.query.sizes() == tokens.key.sizes() && torch::equal(tokens.query, tokens.key)) {
    tokens.key = tokens.query;
  }
  tokens.kernel = kernelNamed(file, layer + "/kernel");
  tokens.scale =
      arrays.number(layer + "/scale").value_or(1 / std::sqrt(double(tokens.query.size(2))));
  if (tokens.kernel == RecordedKernel::Gaussian && tokens.scale <= 0) {
    throw Malformed(quotedText(layer + "/scale") + " of a gaussian kernel should be above 0");
  }
  return tokens;
}

/// Scales queries and keys, because exp(-scale |q - k|^2 / 2) is the kernel of sqrt(scale) q and
/// sqrt(scale) k.
KernelTensors gaussianOf(const Tokens& tokens) {
  KernelTensors kernel{KernelTensors::Kernel::Gaussian, tokens.query, tokens.key, 1};
  if (tokens.scale == 1) return kernel;
  kernel.query = tokens.query * std::sqrt(tokens.scale);
  const bool same = tokens.key.is_same(tokens.query);
  kernel.key = same ? kernel.query : tokens.key * std::sqrt(tokens.scale);
  return kernel;
}

KernelTensors kernelOf(const Tokens& tokens) {
  if (tokens.kernel == RecordedKernel::Gaussian) return gaussianOf(tokens);
  return {KernelTensors::Kernel::Softmax, tokens.query, tokens.key, tokens.scale};
}

/// Norms and kernels of the tokens take memory beyond that of the file's content.
constexpr int mostRecordedTokens = 1 << 20;

void setSizes(RecordedMap& map, const torch::Tensor& rows, const torch::Tensor& columns,
              std::int64_t columnAxis) {
  if (std::max(rows.size(1), columns.size(columnAxis)) > mostRecordedTokens) {
    throw Malformed("holds attention among more than " + std::to_string(mostRecordedTokens) +
                    " tokens, which no network has");
  }
  map.heads = static_cast<int>(rows.size(0));
  map.queries = static_cast<int>(rows.size(1));
  map.keys = static_cast<int>(columns.size(columnAxis));
}

void requireOnly(const std::string& part, const RecordingFile& file, const std::string& layer) {
  for (const char* other : {"/attn", "/left", "/right", "/middle", "/q", "/k", "/blocks"}) {
    if (part == other || !file.has(layer + other)) continue;
    throw Malformed("has both " + quotedText(layer + part) + " and " + quotedText(layer + other) +
                    "; a layer's attention is one of them");
  }
}

/// Reads `LAYER/rows` or `LAYER/cols`: the tokens of each block, [blocks, tokens], with -1 for
/// padding.
torch::Tensor readBlockIndices(const RecordingFile& file, const std::string& key, int most) {
  const torch::Tensor& stored = *file.array(key);
  const torch::Tensor whole = stored.dim() == 3 && stored.size(0) == 1 ? stored[0] : stored;
  if (whole.dim() != 2 || whole.numel() == 0) {
    throw Malformed(quotedText(key) + " is " + shapeText(stored) +
                    ", and should be [blocks, tokens of a block], filled up with -1");
  }
  const std::vector<int> indices = CheckedArrays(file).integers(key, -1, most - 1, most);
  return torch::tensor(indices, torch::kInt64).view(whole.sizes());
}

/// Reads the tokens of all blocks. Columns are those of the rows where the file does not say.
BlockTensors readBlockTokens(const RecordingFile& file, const std::string& layer) {
  BlockTensors blocks;
  blocks.rows = readBlockIndices(file, layer + "/rows", mostRecordedTokens);
  blocks.columns = file.has(layer + "/cols")
                       ? readBlockIndices(file, layer + "/cols", mostRecordedTokens)
                       : blocks.rows;
  if (blocks.rows.size(0) != blocks.columns.size(0)) {
    throw Malformed(quotedText(layer + "/rows") + " is " + shapeText(blocks.rows) + " and " +
                    quotedText(layer + "/cols") + " " + shapeText(blocks.columns) +
                    ", and both should be of as many blocks");
  }
  blocks.queries = blocks.rows.max().item<int>() + 1;
  blocks.keys = blocks.columns.max().item<int>() + 1;
  if (blocks.queries < 1 || blocks.keys < 1) {
    throw Malformed(quotedText(layer + "/rows") + " names no token, only padding");
  }
  return blocks;
}

RecordedMap mapOfBlocks(BlockTensors blocks, const std::string& layer) {
  try {
    BlockMap({}, blocksOf(blocks));
  } catch (const InspectionError& error) {
    throw Malformed(quotedText(layer + "/rows") + ": " + error.what());
  }
  RecordedMap map;
  map.heads = static_cast<int>(blocks.values.size(0));
  map.queries = blocks.queries;
  map.keys = blocks.keys;
  map.attention = std::move(blocks);
  map.kind = "recorded";
  return map;
}

RecordedMap blockMap(const RecordingFile& file, const std::string& layer) {
  requireOnly("/blocks", file, layer);
  if (!file.has(layer + "/rows")) throw missingPart(layer + "/rows", layer + "/blocks");
  BlockTensors blocks = readBlockTokens(file, layer);
  blocks.values = CheckedArrays(file).floats(layer + "/blocks", "[heads, blocks, rows, columns]");
  const bool fits = blocks.values.size(1) == blocks.rows.size(0) &&
                    blocks.values.size(2) == blocks.rows.size(1) &&
                    blocks.values.size(3) == blocks.columns.size(1);
  if (!fits) {
    throw Malformed(quotedText(layer + "/blocks") + " is " + shapeText(blocks.values) +
                    ", and should be [heads, blocks, rows, columns] of " +
                    quotedText(layer + "/rows") + ", " + shapeText(blocks.rows) + ", and " +
                    quotedText(layer + "/cols") + ", " + shapeText(blocks.columns));
  }
  return mapOfBlocks(std::move(blocks), layer);
}

/// Returns the values of the blocks of a whole matrix, [heads, blocks, rows, columns], with zeros
/// for padding. A file of a few kilobytes can name a million blocks, so none costs operations on
/// tensors of its own.
torch::Tensor cutOutBlocks(const torch::Tensor& whole, const BlockTensors& blocks) {
  const std::int64_t count = blocks.rows.size(0);
  const std::int64_t height = blocks.rows.size(1);
  const std::int64_t width = blocks.columns.size(1);
  torch::Tensor values = torch::zeros({whole.size(0), count, height, width});
  const auto* rows = blocks.rows.data_ptr<std::int64_t>();
  const auto* columns = blocks.columns.data_ptr<std::int64_t>();
  float* value = values.data_ptr<float>();
  for (std::int64_t head = 0; head < whole.size(0); ++head) {
    const float* matrix = whole.data_ptr<float>() + head * whole.size(1) * whole.size(2);
    for (std::int64_t row = 0; row < count * height; ++row) {
      const std::int64_t* column = columns + row / height * width;
      for (std::int64_t i = 0; i < width; ++i, ++value) {
        if (rows[row] >= 0 && column[i] >= 0)
          *value = matrix[rows[row] * whole.size(2) + column[i]];
      }
    }
  }
  return values;
}

/// Cuts blocks out of a whole matrix, which has to be zero outside of them.
RecordedMap blocksOfWhole(const RecordingFile& file, const std::string& layer,
                          const torch::Tensor& whole) {
  BlockTensors blocks = readBlockTokens(file, layer);
  if (blocks.queries > whole.size(1) || blocks.keys > whole.size(2)) {
    throw Malformed(quotedText(layer + "/rows") + " names tokens that " +
                    quotedText(layer + "/attn") + ", " + shapeText(whole) + ", does not have");
  }
  if (blocks.rows.size(0) > whole.size(1)) {
    throw Malformed(quotedText(layer + "/rows") + " is of " + std::to_string(blocks.rows.size(0)) +
                    " blocks, more than the " + std::to_string(whole.size(1)) + " queries of " +
                    quotedText(layer + "/attn") + ", and a query stands in one block only");
  }
  if (blocks.rows.numel() * blocks.columns.size(1) > 4 * whole.size(1) * whole.size(2)) {
    throw Malformed(quotedText(layer + "/rows") + " and " + quotedText(layer + "/cols") +
                    " are of blocks with more entries than " + quotedText(layer + "/attn") +
                    " has");
  }
  blocks.queries = static_cast<int>(whole.size(1));
  blocks.keys = static_cast<int>(whole.size(2));
  blocks.values = cutOutBlocks(whole, blocks);
  const double all = whole.abs().sum(torch::kFloat64).item<double>();
  const double inside = blocks.values.abs().sum(torch::kFloat64).item<double>();
  RecordedMap map = mapOfBlocks(std::move(blocks), layer);
  constexpr double rounding = 1e-9;
  if (all - inside > rounding * (1 + all)) {
    throw Malformed(quotedText(layer + "/attn") + " is not zero outside of the blocks of " +
                    quotedText(layer + "/rows"));
  }
  return map;
}

RecordedMap denseMap(const RecordingFile& file, const std::string& layer) {
  requireOnly("/attn", file, layer);
  RecordedMap map;
  const torch::Tensor values =
      CheckedArrays(file).floats(layer + "/attn", "[heads, queries, keys]");
  if (file.has(layer + "/rows")) return blocksOfWhole(file, layer, values);
  setSizes(map, values, values, 2);
  map.attention = DenseTensors{values};
  map.kind = "recorded";
  return map;
}

RecordedMap factoredMap(const RecordingFile& file, const std::string& layer) {
  RecordedMap map;
  FactorTensors factors = readFactors(file, layer);
  setSizes(map, factors.left, factors.right, 1);
  map.kind = "recorded";
  map.attention = std::move(factors);
  if (!file.has(layer + "/q")) return map;
  const Tokens tokens = readTokens(file, layer);
  if (tokens.query.size(0) != map.heads || tokens.query.size(1) != map.queries ||
      tokens.key.size(1) != map.keys) {
    throw Malformed(quotedText(layer + "/q") + " is " + shapeText(tokens.query) +
                    ", and should have the heads and tokens of " + quotedText(layer + "/left"));
  }
  if (tokens.kernel == RecordedKernel::Linear) {
    throw Malformed(quotedText(layer + "/kernel") +
                    " beside factors is the kernel that they stand for: softmax or gaussian");
  }
  map.query = tokens.query;
  map.key = tokens.key;
  map.exactKernel = kernelOf(tokens);
  return map;
}

RecordedMap kernelMap(const RecordingFile& file, const std::string& layer) {
  RecordedMap map;
  const Tokens tokens = readTokens(file, layer);
  setSizes(map, tokens.query, tokens.key, 1);
  map.query = tokens.query;
  map.key = tokens.key;
  if (tokens.kernel == RecordedKernel::Linear) {
    map.kind = "recorded";
    map.attention = FactorTensors{tokens.query * tokens.scale, {}, tokens.key};
    return map;
  }
  map.kind = tokens.kernel == RecordedKernel::Softmax ? "softmax" : "gaussian";
  map.attention = kernelOf(tokens);
  return map;
}

}  // namespace

RecordedMap recordedMap(const RecordingFile& file, const std::string& layer) {
  requirePair(file, layer + "/left", layer + "/right");
  requirePair(file, layer + "/q", layer + "/k");
  if (file.has(layer + "/middle") && !file.has(layer + "/left")) {
    throw missingPart(layer + "/left", layer + "/middle");
  }
  if (file.has(layer + "/cols") && !file.has(layer + "/rows")) {
    throw missingPart(layer + "/rows", layer + "/cols");
  }
  if (file.has(layer + "/blocks")) return blockMap(file, layer);
  if (file.has(layer + "/rows") && !file.has(layer + "/attn")) {
    throw missingPart(layer + "/blocks", layer + "/rows");
  }
  if (file.has(layer + "/attn")) return denseMap(file, layer);
  if (file.has(layer + "/left")) return factoredMap(file, layer);
  if (file.has(layer + "/q")) return kernelMap(file, layer);
  throw Malformed("has no attention of layer " + quotedText(layer) + "; give " +
                  quotedText(layer + "/attn") +
                  ", /left and /right, /q and /k, or /blocks "
                  "and /rows");
}

}  // namespace softscope
