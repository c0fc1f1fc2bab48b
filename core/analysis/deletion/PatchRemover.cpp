#include "core/analysis/deletion/PatchRemover.h"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>

namespace softscope {

namespace {

struct WeightedNeighbour {
  int down;
  int right;
  double weight;
};

constexpr double besideWeight = 1.0 / 6;
constexpr double cornerWeight = 1.0 / 12;
constexpr WeightedNeighbour imputationNeighbours[] = {
    {-1, 0, besideWeight},  {1, 0, besideWeight},  {0, -1, besideWeight}, {0, 1, besideWeight},
    {-1, -1, cornerWeight}, {-1, 1, cornerWeight}, {1, -1, cornerWeight}, {1, 1, cornerWeight}};

/// The linear system of the pixels that are not kept: sum of weights times a pixel, less its
/// neighbours that are not kept, is the weighted sum of those that are.
class ImputedPixels {
 public:
  ImputedPixels(const InputTensor& input, const std::vector<bool>& kept)
      : input_(input), kept_(kept), unknown_(kept.size(), -1) {
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kept[i]) continue;
      unknown_[i] = static_cast<int>(pixels_.size());
      pixels_.push_back(static_cast<int>(i));
    }
  }

  InputTensor solved() const {
    const auto count = static_cast<Eigen::Index>(pixels_.size());
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::MatrixXd known = Eigen::MatrixXd::Zero(count, input_.channels);
    for (Eigen::Index row = 0; row < count; ++row) addEquation(row, entries, known);
    Eigen::SparseMatrix<double> system(count, count);
    system.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(system);
    const Eigen::MatrixXd values = solver.solve(known);
    InputTensor picture = input_;
    for (int channel = 0; channel < input_.channels; ++channel) {
      for (Eigen::Index row = 0; row < count; ++row) {
        picture.values[valueIndex(channel, pixels_[static_cast<std::size_t>(row)])] =
            static_cast<float>(values(row, channel));
      }
    }
    return picture;
  }

 private:
  std::size_t valueIndex(int channel, int pixel) const {
    return static_cast<std::size_t>(channel) * kept_.size() + static_cast<std::size_t>(pixel);
  }

  void addEquation(Eigen::Index row, std::vector<Eigen::Triplet<double>>& entries,
                   Eigen::MatrixXd& known) const {
    const int pixel = pixels_[static_cast<std::size_t>(row)];
    double sum = 0;
    for (const WeightedNeighbour& neighbour : imputationNeighbours) {
      const int y = pixel / input_.width + neighbour.down;
      const int x = pixel % input_.width + neighbour.right;
      if (y < 0 || x < 0 || y >= input_.height || x >= input_.width) continue;
      sum += neighbour.weight;
      const int other = y * input_.width + x;
      if (const int column = unknown_[static_cast<std::size_t>(other)]; column >= 0) {
        entries.emplace_back(static_cast<int>(row), column, -neighbour.weight);
        continue;
      }
      for (int channel = 0; channel < input_.channels; ++channel) {
        known(row, channel) += neighbour.weight * input_.values[valueIndex(channel, other)];
      }
    }
    entries.emplace_back(static_cast<int>(row), static_cast<int>(row), sum);
  }

  const InputTensor& input_;
  const std::vector<bool>& kept_;
  /// [pixels] the number of the pixel's unknown; -1 if it is kept.
  std::vector<int> unknown_;
  std::vector<int> pixels_;
};

/// Returns [length] the cell of each pixel along a side that is split evenly into `cells`.
std::vector<int> cellsAlong(int length, int cells) {
  std::vector<int> of(static_cast<std::size_t>(length));
  for (int cell = 0; cell < cells; ++cell) {
    const auto end = static_cast<std::int64_t>(length) * (cell + 1) / cells;
    for (auto at = static_cast<std::int64_t>(length) * cell / cells; at < end; ++at) {
      of[static_cast<std::size_t>(at)] = cell;
    }
  }
  return of;
}

/// One line of a picture, with its values `stride` apart.
struct PixelLine {
  const float* from;
  float* to;
  int length;
  std::ptrdiff_t stride;
};

void blurLine(const PixelLine& line, const std::vector<double>& weights) {
  const int reach = static_cast<int>(weights.size()) - 1;
  for (int at = 0; at < line.length; ++at) {
    double sum = 0;
    double weight = 0;
    for (int other = std::max(0, at - reach); other <= std::min(line.length - 1, at + reach);
         ++other) {
      const double share = weights[static_cast<std::size_t>(std::abs(other - at))];
      sum += share * static_cast<double>(line.from[other * line.stride]);
      weight += share;
    }
    line.to[at * line.stride] = static_cast<float>(sum / weight);
  }
}

}  // namespace

InputTensor linearlyImputed(const InputTensor& input, const std::vector<bool>& kept) {
  bool any = false;
  bool all = true;
  for (const bool is : kept) {
    any = any || is;
    all = all && is;
  }
  if (all) return input;
  if (any) return ImputedPixels(input, kept).solved();
  return {input.height, input.width, std::vector<float>(input.values.size(), 0.0f), input.channels};
}

std::vector<float> imputationNoise(std::size_t count, double deviation) {
  std::mt19937 generator;
  // The standard's distributions differ from library to library, its generators do not.
  const auto uniform = [&] { return (static_cast<double>(generator()) + 0.5) / 4294967296.0; };
  std::vector<float> noise(count);
  for (float& value : noise) {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    value = static_cast<float>(deviation * radius * std::cos(2 * std::numbers::pi * uniform()));
  }
  return noise;
}

TokenGrid patchGrid(int height, int width, int patch) {
  const auto cells = [patch](int side) {
    return std::max(1, static_cast<int>(std::lround(static_cast<double>(side) / patch)));
  };
  return {cells(height), cells(width)};
}

InputTensor blurred(const InputTensor& input, double deviation) {
  std::vector<double> weights(static_cast<std::size_t>(std::ceil(3 * deviation)) + 1);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double distance = static_cast<double>(i) / deviation;
    weights[i] = std::exp(-0.5 * distance * distance);
  }
  InputTensor across = input;
  InputTensor both = input;
  const std::ptrdiff_t width = input.width;
  const std::ptrdiff_t pixels = width * input.height;
  const auto lines = static_cast<std::ptrdiff_t>(input.values.size()) / width;
  for (std::ptrdiff_t i = 0; i < lines; ++i) {
    blurLine({&input.values[static_cast<std::size_t>(i * width)],
              &across.values[static_cast<std::size_t>(i * width)], input.width, 1},
             weights);
  }
  for (std::ptrdiff_t i = 0; i < lines / input.height * width; ++i) {
    const auto first = static_cast<std::size_t>(i / width * pixels + i % width);
    blurLine({&across.values[first], &both.values[first], input.height, width}, weights);
  }
  return both;
}

PatchRemover::PatchRemover(const InputTensor& input, const TokenGrid& grid, PatchRemoval removal)
    : input_(input), removal_(removal) {
  if (removal == PatchRemoval::Imputation) {
    noise_ = imputationNoise(input.values.size(), imputationDeviation);
  } else if (removal == PatchRemoval::Blur) {
    instead_ = blurred(input, std::max(static_cast<double>(input.height) / grid.height,
                                       static_cast<double>(input.width) / grid.width));
  } else {
    instead_ = {input.height, input.width, std::vector<float>(input.values.size(), 0.0f),
                input.channels};
  }
  const std::vector<int> rows = cellsAlong(input.height, grid.height);
  const std::vector<int> columns = cellsAlong(input.width, grid.width);
  for (const int row : rows) {
    for (const int column : columns) patches_.push_back(row * grid.width + column);
  }
}

InputTensor PatchRemover::imputed(const std::vector<bool>& kept) const {
  std::vector<bool> pixels;
  for (const int patch : patches_) pixels.push_back(kept[static_cast<std::size_t>(patch)]);
  InputTensor picture = linearlyImputed(input_, pixels);
  for (std::size_t i = 0; i < picture.values.size(); ++i) {
    if (!pixels[i % pixels.size()]) picture.values[i] += noise_[i];
  }
  return picture;
}

InputTensor PatchRemover::with(const std::vector<bool>& kept) const {
  if (removal_ == PatchRemoval::Imputation) return imputed(kept);
  InputTensor picture = instead_;
  for (std::size_t i = 0; i < picture.values.size(); ++i) {
    const int patch = patches_[i % patches_.size()];
    if (kept[static_cast<std::size_t>(patch)]) picture.values[i] = input_.values[i];
  }
  return picture;
}

}  // namespace softscope
