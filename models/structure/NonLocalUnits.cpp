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

/// Returns the first part of a name below a path: `g` of `nl.g.0` below `nl`.
std::string partBelow(const std::string& name, const std::string& path) {
  const std::string rest = path.empty() ? name : name.substr(path.size() + 1);
  return lowerCase(rest.substr(0, rest.find('.')));
}

/// The pointwise convolutions below a path that project to fewer channels, and those back.
struct PointwiseGroup {
  std::vector<std::size_t> down;
  std::vector<std::size_t> up;
  std::vector<std::size_t> concatenations;
};

/// Tells theta, phi and g apart by their names, or by the letters of queries, keys and values.
std::optional<std::array<std::size_t, 3>> tellEmbeddings(const Units& units,
                                                         const std::vector<std::size_t>& three,
                                                         const std::string& path) {
  const auto named = [&](const char* wanted) {
    return std::ranges::find_if(
        three, [&](std::size_t i) { return partBelow(units[i].name, path) == wanted; });
  };
  const auto theta = named("theta");
  const auto phi = named("phi");
  const auto g = named("g");
  if (theta != three.end() && phi != three.end() && g != three.end()) {
    return std::array{*theta, *phi, *g};
  }
  const auto told =
      orderProjections({units[three[0]].name, units[three[1]].name, units[three[2]].name});
  if (!told) return std::nullopt;
  return std::array{three[told->order[0]], three[told->order[1]], three[told->order[2]]};
}

std::optional<FoundNonLocal> readGroup(const Units& units, const std::string& path,
                                       const PointwiseGroup& group) {
  if (group.up.size() != 1 || (group.down.size() != 1 && group.down.size() != 3)) {
    return std::nullopt;
  }
  const TensorUnit& output = units[group.up.front()];
  FoundNonLocal found;
  found.block = {.path = path, .channels = output.size(0), .inner = output.size(1)};
  found.units = group.down;
  found.units.push_back(group.up.front());
  found.block.output = output.name;
  std::size_t g = group.down.front();
  if (group.down.size() == 3) {
    const auto told = tellEmbeddings(units, group.down, path);
    if (!told) return std::nullopt;
    found.block.theta = units[(*told)[0]].name;
    found.block.phi = units[(*told)[1]].name;
    g = (*told)[2];
  }
  found.block.g = units[g].name;
  found.block.hasBiases = !units[g].bias.empty();
  found.block.saysPooling = numberOfSibling(units[g].name) == 0;
  if (group.concatenations.size() == 1) {
    found.block.concatenation = units[group.concatenations.front()].name;
    found.units.push_back(group.concatenations.front());
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!units[i].name.starts_with(path + ".") || std::ranges::count(found.units, i) > 0) continue;
    // Anything else makes it another block, such as a ResNet's.
    const bool isNorm = units[i].isBatchNorm && units[i].shape == std::vector{output.size(0)} &&
                        found.block.outputNorm.empty();
    if (!isNorm) return std::nullopt;
    found.block.outputNorm = units[i].name;
    found.units.push_back(i);
  }
  // Two convolutions alone may also squeeze and excite.
  const bool isGaussian = !found.block.outputNorm.empty() || partBelow(units[g].name, path) == "g";
  if (found.block.theta.empty() && !isGaussian) return std::nullopt;
  return found;
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
    PointwiseGroup group;
    for (const std::size_t i : below.at(path)) {
      if (taken.count(i) > 0) continue;
      if (units[i].size(0) == 1 && units[i].bias.empty()) {
        group.concatenations.push_back(i);
      } else {
        (units[i].size(0) < units[i].size(1) ? group.down : group.up).push_back(i);
      }
    }
    const bool isPair = group.up.size() == 1 && !group.down.empty() &&
                        std::ranges::all_of(group.down, [&](std::size_t i) {
                          return units[i].size(0) == units[group.up.front()].size(1) &&
                                 units[i].size(1) == units[group.up.front()].size(0) &&
                                 units[i].size(1) == 2 * units[i].size(0);
                        });
    if (!isPair) continue;
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
