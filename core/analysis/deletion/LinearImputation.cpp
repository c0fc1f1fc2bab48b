#include "core/analysis/deletion/LinearImputation.h"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

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

}  // namespace softscope
