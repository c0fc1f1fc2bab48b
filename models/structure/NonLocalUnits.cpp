#include "models/structure/NonLocalUnits.h"

#include "core/Error.h"
#include "core/text/Words.h"
#include "models/structure/PatchGrid.h"
#include "models/structure/ProjectionNames.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace softscope {

namespace {

using Units = std::vector<TensorUnit>;

bool isPointwise(const TensorUnit& unit) {
  return unit.hasDimensions(4) && !unit.isBare && unit.size(2) == 1 && unit.size(3) == 1;
}

std::string nameBelow(const std::string& name, const std::string& path) {
  return lowerCase(name.substr(path.size() + 1));
}

/// Returns the first part of a name below a path: `g` of `nl.g.0` below `nl`.
std::string partBelow(const std::string& name, const std::string& path) {
  const std::string rest = nameBelow(name, path);
  return rest.substr(0, rest.find('.'));
}

/// Returns true if the first part of a name below a path is a Sequential that the unit begins: `g`
/// of `nl.g.0` and `nl.g.0.conv`.
bool beginsSequence(const std::string& name, const std::string& path) {
  const std::string rest = nameBelow(name, path);
  const std::size_t dot = rest.find('.');
  return dot != std::string::npos && numberOfSibling(rest.substr(0, rest.find('.', dot + 1))) == 0;
}

/// The pointwise convolutions of a block, by their indices; without theta and phi for a Gaussian.
struct NonLocalParts {
  std::optional<std::size_t> theta, phi;
  std::size_t g = 0;
  std::size_t output = 0;
  bool hasUsualNames = false;  ///< theta, phi and g
};

/// Returns true if all of `embeddings` map as many channels to as many others, and the output maps
/// these back.
bool areOfOneBlock(const Units& units, const std::vector<std::size_t>& embeddings,
                   std::size_t output) {
  return std::ranges::all_of(embeddings, [&](std::size_t i) {
    return units[i].size(0) == units[output].size(1) && units[i].size(1) == units[output].size(0);
  });
}

/// Tells theta, phi and g apart by their names, or by the letters of queries, keys and values.
std::optional<NonLocalParts> tellEmbeddings(const Units& units,
                                            const std::vector<std::size_t>& three,
                                            const std::string& path) {
  const auto named = [&](const char* wanted) {
    return std::ranges::find_if(
        three, [&](std::size_t i) { return hasWord(partBelow(units[i].name, path), {wanted}); });
  };
  const auto theta = named("theta");
  const auto phi = named("phi");
  const auto g = named("g");
  if (theta != three.end() && phi != three.end() && g != three.end()) {
    return NonLocalParts{.theta = *theta, .phi = *phi, .g = *g, .hasUsualNames = true};
  }
  const auto told =
      orderProjections({units[three[0]].name, units[three[1]].name, units[three[2]].name});
  if (!told) return std::nullopt;
  return NonLocalParts{
      .theta = three[told->order[0]], .phi = three[told->order[1]], .g = three[told->order[2]]};
}

/// Tells four pointwise convolutions apart: the output by its shape, or by its name where all four
/// are square.
std::optional<NonLocalParts> tellFour(const Units& units, const std::vector<std::size_t>& four,
                                      const std::string& path) {
  std::optional<NonLocalParts> best;
  for (const std::size_t output : four) {
    std::vector<std::size_t> three = four;
    std::erase(three, output);
    if (!areOfOneBlock(units, three, output)) continue;
    auto told = tellEmbeddings(units, three, path);
    const TensorUnit& last = units[output];
    const bool isToldOutput = last.size(0) != last.size(1) || (told && told->hasUsualNames) ||
                              mayBeCalledOutput(partBelow(last.name, path));
    if (!told || !isToldOutput) continue;
    if (best) return std::nullopt;
    told->output = output;
    best = told;
  }
  return best;
}

/// Tells the two pointwise convolutions of a Gaussian apart: one called g, at any width, or one
/// that halves the channels.
std::optional<NonLocalParts> tellTwo(const Units& units, const std::vector<std::size_t>& two,
                                     const std::string& path) {
  const auto isNamed = [&](std::size_t i) {
    return hasWord(partBelow(units[i].name, path), {"g"});
  };
  const auto isHalf = [&](std::size_t i) { return units[i].size(1) == 2 * units[i].size(0); };
  auto g = std::ranges::find_if(two, isNamed);
  if (g == two.end()) g = std::ranges::find_if(two, isHalf);
  if (g == two.end()) return std::nullopt;
  const std::size_t output = two[0] == *g ? two[1] : two[0];
  if (areOfOneBlock(units, {*g}, output)) {
    return NonLocalParts{.g = *g, .output = output, .hasUsualNames = isNamed(*g)};
  }
  return std::nullopt;
}

/// Describes a block if what else is below its path is the norm of its output.
std::optional<FoundNonLocal> describeBlock(const Units& units, const std::string& path,
                                           const NonLocalParts& parts,
                                           std::optional<std::size_t> concatenation) {
  const TensorUnit& output = units[parts.output];
  const TensorUnit& g = units[parts.g];
  FoundNonLocal found;
  found.block = {.path = path, .channels = output.size(0), .inner = output.size(1)};
  found.block.g = g.name;
  found.block.output = output.name;
  found.block.hasBiases = !g.bias.empty();
  found.block.hasOutputBias = !output.bias.empty();
  found.block.saysPooling = beginsSequence(g.name, path);
  found.block.saysScale = partBelow(output.name, path) == "conv_out";
  found.block.hasUsualNames = parts.hasUsualNames;
  found.units = {parts.g, parts.output};
  if (parts.theta && parts.phi) {
    found.block.theta = units[*parts.theta].name;
    found.block.phi = units[*parts.phi].name;
    found.units.insert(found.units.end(), {*parts.theta, *parts.phi});
  }
  const std::array embeddings{found.block.g, found.block.theta, found.block.phi};
  if (concatenation) {
    found.block.concatenation = units[*concatenation].name;
    found.units.push_back(*concatenation);
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!units[i].name.starts_with(path + ".") || std::ranges::count(found.units, i) > 0) continue;
    // Anything else makes it another block, such as a ResNet's.
    const std::string part = partBelow(units[i].name, path);
    const bool isOfEmbedding = std::ranges::any_of(embeddings, [&](const std::string& name) {
      return !name.empty() && partBelow(name, path) == part;
    });
    const bool isNorm = units[i].isBatchNorm && units[i].shape == std::vector{output.size(0)} &&
                        !isOfEmbedding && found.block.outputNorm.empty();
    if (!isNorm) return std::nullopt;
    found.block.outputNorm = units[i].name;
    found.units.push_back(i);
  }
  // Two convolutions alone may also squeeze and excite.
  const bool isGaussian = !found.block.outputNorm.empty() || parts.hasUsualNames;
  if (!parts.theta && !isGaussian) return std::nullopt;
  return found;
}

/// Reads the pointwise convolutions below a path as those of a block: two, four, or five with the
/// product with [theta; phi].
std::optional<FoundNonLocal> readGroup(const Units& units, const std::string& path,
                                       const std::vector<std::size_t>& group) {
  constexpr std::size_t ofConcatenation = 5;
  if (group.size() != ofConcatenation) {
    std::optional<NonLocalParts> parts;
    if (group.size() == 2) parts = tellTwo(units, group, path);
    if (group.size() == 4) parts = tellFour(units, group, path);
    return parts ? describeBlock(units, path, *parts, std::nullopt) : std::nullopt;
  }
  for (const std::size_t i : group) {
    if (units[i].size(0) != 1 || !units[i].bias.empty()) continue;
    std::vector<std::size_t> four = group;
    std::erase(four, i);
    const auto parts = tellFour(units, four, path);
    if (!parts || units[i].size(1) != 2 * units[parts->g].size(0)) continue;
    return describeBlock(units, path, *parts, i);
  }
  return std::nullopt;
}

[[noreturn]] void refuseCnnUnit(const TensorUnit& unit) {
  throw ModelError("tensor without a place: " + unitText(unit));
}

/// Lays out the units one after another.
class UsualCnn {
 public:
  UsualCnn(const Units& units, const std::vector<FoundNonLocal>& blocks, bool isOrdered)
      : units_(units), isOrdered_(isOrdered) {
    for (const FoundNonLocal& block : blocks) {
      for (const std::size_t unit : block.units) blockOf_[unit] = &block;
    }
  }

  NonLocalCnnStructure run(const std::optional<SaidSize>& size) {
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if (const auto block = blockOf_.find(i); block != blockOf_.end()) {
        if (isOrdered_ && placed_.insert(block->second).second) {
          finishConvolution();
          if (block->second->block.channels != channels_ || product_ > 0) refuseCnnUnit(units_[i]);
          read_.steps.emplace_back(block->second->block);
        }
      } else {
        place(units_[i]);
      }
    }
    for (const auto& [unit, block] : blockOf_) {
      if (placed_.count(block) == 0) refuseCnnUnit(units_[unit]);
    }
    if (product_ == 0) throw ModelError("nothing tells its classes: there is no product behind");
    resolveSize(size);
    return read_;
  }

 private:
  void place(const TensorUnit& unit) {
    refuseBranch(unit);
    if (unit.hasDimensions(4) && !unit.isBare && product_ == 0) {
      finishConvolution();
      if (channels_ == 0) {
        read_.pictureChannels = unit.size(1);
      } else if (unit.size(1) != channels_) {
        refuseCnnUnit(unit);
      }
      read_.steps.emplace_back(
          CnnConvolution{unit.name, unit.shape, !unit.bias.empty(), 1, unit.size(2) / 2});
      channels_ = unit.size(0);
      isOpen_ = true;
    } else if (unit.isBatchNorm && unit.shape == std::vector{channels_} && isOpen_) {
      read_.steps.emplace_back(CnnBatchNorm{unit.name, channels_});
    } else if (unit.hasDimensions(2) && !unit.isBare) {
      placeProduct(unit);
    } else {
      refuseCnnUnit(unit);
    }
  }

  /// Throws ModelError for what may see the map beside others, as queries, keys and values do, and
  /// not what the unit before it made.
  static void refuseBranch(const TensorUnit& unit) {
    const bool isWeight = !unit.isBare && (unit.hasDimensions(2) || unit.hasDimensions(4));
    const bool saysEmbedding =
        !projectionLetters(unit.name).empty() || hasWord(unit.name, {"theta", "phi"});
    if (!isPointwise(unit) && !(isWeight && saysEmbedding)) return;
    throw ModelError(
        "a layer that is not known to stand in a row with the others: " + unitText(unit) +
        " may be of attention of another form, or of another branch; if it does stand in a row, a "
        "list "
        "called network in config.json tells it");
  }

  /// Ends a convolution with a ReLU and a pooling.
  void finishConvolution() {
    if (!isOpen_) return;
    read_.steps.emplace_back(CnnActivation{});
    read_.steps.emplace_back(CnnPooling{2});
    ++poolings_;
    isOpen_ = false;
    if (!isOrdered_) placeBlocksOfWidth();
  }

  /// Places the blocks that have the channels of the convolution just placed.
  void placeBlocksOfWidth() {
    for (const auto& [unit, block] : blockOf_) {
      if (block->block.channels != channels_) continue;
      const auto widths = std::ranges::count_if(units_, [&](const TensorUnit& other) {
        return other.hasDimensions(4) && !isPointwise(other) && other.size(0) == channels_;
      });
      if (widths > 1) {
        throw ModelError("nothing tells behind which convolution " + block->block.path +
                         " stands: the names are sorted, and several have its channels");
      }
      if (placed_.insert(block).second) read_.steps.emplace_back(block->block);
    }
  }

  void placeProduct(const TensorUnit& unit) {
    if (product_ == 0) {
      finishConvolution();
      flattened_ = unit.size(1);
      if (flattened_ == channels_) {
        read_.steps.emplace_back(CnnGlobalPooling{});
      } else {
        read_.steps.emplace_back(CnnFlattening{});
      }
    } else if (unit.size(1) != product_) {
      refuseCnnUnit(unit);
    } else {
      read_.steps.emplace_back(CnnActivation{});
    }
    product_ = unit.size(0);
    read_.classes = product_;
    read_.steps.emplace_back(CnnProduct{unit.name, unit.size(1), product_, !unit.bias.empty()});
  }

  /// Derives the picture's size from what the first product takes.
  void resolveSize(const std::optional<SaidSize>& size) {
    const std::int64_t places = channels_ > 0 ? flattened_ / channels_ : 0;
    const std::int64_t side = sideOfPatches(places);
    constexpr std::int64_t mostPoolings = 12;
    if (places == 0 || places * channels_ != flattened_ || poolings_ > mostPoolings) {
      throw ModelError("its first product takes " + std::to_string(flattened_) +
                       " numbers, which are no map of " + std::to_string(channels_) +
                       " channels; a list called network in config.json tells how it is built");
    }
    const auto pooled = [&](std::int64_t length) { return length >> poolings_; };
    if (flattened_ == channels_) {
      constexpr std::int64_t usualSide = 32;
      const std::int64_t smallest = std::max(usualSide, std::int64_t{1} << poolings_);
      const SaidSize own = size.value_or(SaidSize{smallest, smallest});
      read_.height = own.height;
      read_.width = own.width;
      return;
    }
    if (size && pooled(size->height) * pooled(size->width) == places) {
      read_.height = size->height;
      read_.width = size->width;
      return;
    }
    if (side == 0) {
      throw ModelError("its first product takes a map of " + std::to_string(places) +
                       " places, which is no square; say the picture's size as image_size in "
                       "config.json");
    }
    read_.height = side << poolings_;
    constexpr std::int64_t usual[] = {28, 32, 64, 96, 224};
    for (const std::int64_t length : usual) {
      if (pooled(length) == side) {
        read_.height = length;
        break;
      }
    }
    read_.width = read_.height;
  }

  const Units& units_;
  std::map<std::size_t, const FoundNonLocal*> blockOf_;
  std::set<const FoundNonLocal*> placed_;
  NonLocalCnnStructure read_;
  std::int64_t channels_ = 0;
  std::int64_t product_ = 0;
  std::int64_t flattened_ = 0;
  int poolings_ = 0;
  bool isOpen_ = false;
  bool isOrdered_;
};

}  // namespace

std::vector<FoundNonLocal> findNonLocalBlocks(const std::vector<TensorUnit>& units) {
  constexpr int deepest = 8;
  std::map<std::string, std::vector<std::size_t>> below;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!isPointwise(units[i])) continue;
    std::string path = parentPath(units[i].name);
    for (int depth = 0; depth < deepest && !path.empty(); ++depth) {
      below[path].push_back(i);
      path = parentPath(path);
    }
  }
  std::vector<std::string> paths;
  for (const auto& [path, members] : below) paths.push_back(path);
  std::ranges::stable_sort(paths, [](const std::string& a, const std::string& b) {
    return std::ranges::count(a, '.') > std::ranges::count(b, '.');
  });
  std::set<std::size_t> taken;
  std::vector<FoundNonLocal> found;
  for (const std::string& path : paths) {
    std::vector<std::size_t> group;
    for (const std::size_t i : below.at(path)) {
      if (taken.count(i) == 0) group.push_back(i);
    }
    if (auto block = readGroup(units, path, group)) {
      taken.insert(block->units.begin(), block->units.end());
      found.push_back(std::move(*block));
    }
  }
  return found;
}

NonLocalCnnStructure usualCnn(const std::vector<TensorUnit>& units,
                              const std::vector<FoundNonLocal>& blocks, bool isOrdered,
                              const std::optional<SaidSize>& size) {
  return UsualCnn(units, blocks, isOrdered).run(size);
}

}  // namespace softscope
