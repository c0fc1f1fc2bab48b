#pragma once

#include "models/identify/Family.h"
#include "models/structure/BlockStructure.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace softscope {

/// A convolution of a file; its result may be normalised by the batch norm at `norm`.
struct CnnConvolution {
  std::string path;
  std::vector<std::int64_t> shape;
  bool hasBias = true;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
};
struct CnnBatchNorm {
  std::string path;
  std::int64_t channels = 0;
};
struct CnnPooling {
  std::int64_t side = 2;
  bool isMean = false;  ///< of the mean of each square, not of its largest value
};
/// Pools all places of a map of any size.
struct CnnGlobalPooling {};
struct CnnActivation {};
struct CnnFlattening {};
struct CnnProduct {
  std::string path;
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  bool hasBias = true;
};

/// A non-local block ("Non-local Neural Networks", 2017, arXiv 1711.07971) by the names of its
/// parts; theta and phi are empty for a Gaussian, whose queries and keys are the map itself.
struct CnnNonLocal {
  std::string path;
  std::int64_t channels = 0;
  std::int64_t inner = 0;
  std::string g, theta, phi, output;
  std::string outputNorm;     ///< empty if there is none
  std::string concatenation;  ///< the product with [theta; phi], or empty
  bool hasBiases = true;      ///< in theta, phi and g
  bool hasOutputBias = true;
  /// True for names of code that divides products by the root of the inner width, as mmcv's does.
  bool saysScale = false;
  bool hasUsualNames = true;  ///< theta, phi and g, which no code splits into heads
  /// True if the names say that keys and values are pooled: `g.0` is followed by a pooling.
  bool saysPooling = false;
};

using CnnStep = std::variant<CnnConvolution, CnnBatchNorm, CnnPooling, CnnGlobalPooling,
                             CnnActivation, CnnFlattening, CnnProduct, CnnNonLocal>;

/// How the weights between queries and keys of non-local blocks come about.
enum class NonLocalKind { EmbeddedGaussian, Gaussian, DotProduct, Concatenation };

/// A small convolutional network with non-local blocks.
struct NonLocalCnnStructure {
  std::vector<CnnStep> steps;
  NonLocalKind kind = NonLocalKind::EmbeddedGaussian;
  bool poolsKeys = false;
  bool scalesProducts = false;  ///< of theta and phi by one over the root of the inner width
  bool takesLargest = false;    ///< in a pooling of all places, not their mean
  std::int64_t pictureChannels = 3;
  std::int64_t classes = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// Returns true if there are non-local blocks: 1 x 1 convolutions from c to an inner number of
/// channels, and one back.
bool hasNonLocalBlocks(const StateDict& state);

/// Defines the network. What is between convolutions is not in a file: `network` in config.json
/// tells it, or each convolution is assumed to be followed by a ReLU and a pooling of 2 x 2, and a
/// head that takes as many numbers as there are channels by a pooling of all places. Throws
/// ModelError for a tensor without a place.
DefinedModel defineNonLocalCnn(const StateDict& state, const ModelHints& hints);

}  // namespace softscope
