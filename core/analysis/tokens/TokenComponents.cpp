#include "core/analysis/tokens/TokenMap.h"
#include "core/linalg/PrincipalComponents.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <string>

namespace softscope {

namespace {

/// All patches of some layers, stacked vertically.
struct StackedPatches {
  Matrix rows;
  std::vector<bool> onBorder;
};

StackedPatches stackPatches(const std::vector<AnalysedTokens>& layers) {
  Eigen::Index count = 0;
  for (const AnalysedTokens& of : layers) count += of.layer().grid.count();
  StackedPatches stacked;
  stacked.rows.resize(count, layers.front().layer().tokens.cols());
  Eigen::Index first = 0;
  for (const AnalysedTokens& of : layers) {
    const TokenGrid& grid = of.layer().grid;
    stacked.rows.middleRows(first, grid.count()) = of.layer().tokens.bottomRows(grid.count());
    first += grid.count();
    for (int patch = 0; patch < grid.count(); ++patch) {
      const int row = patch / grid.width;
      const int column = patch % grid.width;
      stacked.onBorder.push_back(row == 0 || column == 0 || row == grid.height - 1 ||
                                 column == grid.width - 1);
    }
  }
  return stacked;
}

/// Flips the sign of the first component if needed, so that it is smaller at the border than
/// elsewhere.
void pointAwayFromBorder(const std::vector<bool>& onBorder, Matrix& scores) {
  double border = 0;
  double inner = 0;
  int bordering = 0;
  for (std::size_t i = 0; i < onBorder.size(); ++i) {
    const double score = scores(static_cast<Eigen::Index>(i), 0);
    (onBorder[i] ? border : inner) += score;
    bordering += onBorder[i] ? 1 : 0;
  }
  const auto others = static_cast<double>(onBorder.size()) - bordering;
  if (bordering > 0 && others > 0 && border / bordering > inner / others) {
    scores.col(0) = -scores.col(0);
  }
}

/// Scales every column to [0, 1]; 0 if it is constant.
void stretchColumns(Matrix& scores) {
  for (Eigen::Index column = 0; column < scores.cols(); ++column) {
    const float low = scores.col(column).minCoeff();
    const float high = scores.col(column).maxCoeff();
    if (high > low) {
      scores.col(column) = (scores.col(column).array() - low) / (high - low);
    } else {
      scores.col(column).setZero();
    }
  }
}

struct StretchedComponents {
  Matrix scores;  ///< [patches, 3] in [0, 1]
  std::array<double, 3> explained{};
};

StretchedComponents stretchedComponents(const Matrix& rows, const std::vector<bool>& onBorder) {
  const PrincipalComponents components = principalComponents(rows, 3);
  StretchedComponents stretched{components.scores, {}};
  std::copy_n(components.explained.begin(), std::min<std::size_t>(3, components.explained.size()),
              stretched.explained.begin());
  pointAwayFromBorder(onBorder, stretched.scores);
  stretchColumns(stretched.scores);
  return stretched;
}

/// Returns the components of the patches whose first component is at least `foreground`; NaN for
/// the others.
StretchedComponents ofForeground(const StackedPatches& stacked, const Vector& first,
                                 double foreground) {
  std::vector<Eigen::Index> kept;
  for (Eigen::Index i = 0; i < first.size(); ++i) {
    if (first[i] >= foreground) kept.push_back(i);
  }
  Matrix rows(static_cast<Eigen::Index>(kept.size()), stacked.rows.cols());
  std::vector<bool> onBorder;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    rows.row(static_cast<Eigen::Index>(i)) = stacked.rows.row(kept[i]);
    onBorder.push_back(stacked.onBorder[static_cast<std::size_t>(kept[i])]);
  }
  const StretchedComponents some = stretchedComponents(rows, onBorder);
  StretchedComponents all{
      Matrix::Constant(first.size(), 3, std::numeric_limits<float>::quiet_NaN()), some.explained};
  for (std::size_t i = 0; i < kept.size(); ++i) {
    all.scores.row(kept[i]) = some.scores.row(static_cast<Eigen::Index>(i));
  }
  return all;
}

std::vector<TokenMap> componentsTogether(const std::vector<AnalysedTokens>& layers,
                                         double foreground) {
  const StackedPatches stacked = stackPatches(layers);
  StretchedComponents components = stretchedComponents(stacked.rows, stacked.onBorder);
  const Vector first = components.scores.col(0);
  if (foreground > 0) components = ofForeground(stacked, first, foreground);
  std::vector<TokenMap> maps;
  Eigen::Index begin = 0;
  for (const AnalysedTokens& of : layers) {
    const Eigen::Index count = of.layer().grid.count();
    TokenMap map{.of = of, .kind = TokenQuantity::Components};
    map.values = first.segment(begin, count);
    map.colors = components.scores.middleRows(begin, count);
    map.explained = components.explained;
    map.together = static_cast<int>(layers.size());
    maps.push_back(std::move(map));
    begin += count;
  }
  return maps;
}

bool haveOneWidth(const std::vector<AnalysedTokens>& layers) {
  return std::all_of(layers.begin(), layers.end(), [&](const AnalysedTokens& of) {
    return of.layer().tokens.cols() == layers.front().layer().tokens.cols();
  });
}

}  // namespace

std::vector<TokenMap> componentMaps(const std::vector<AnalysedTokens>& layers, int foreground) {
  const double least = foreground / 100.0;
  // Group the first layers of all models, then their second layers, and so on.
  std::map<std::string, std::size_t> seen;
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    groups[seen[layers[i].model]++].push_back(i);
  }
  std::vector<TokenMap> maps(layers.size());
  for (const auto& [rank, group] : groups) {
    std::vector<AnalysedTokens> compared;
    for (const std::size_t index : group) compared.push_back(layers[index]);
    const bool together = haveOneWidth(compared);
    std::vector<TokenMap> joint;
    if (together) joint = componentsTogether(compared, least);
    for (std::size_t i = 0; i < group.size(); ++i) {
      maps[group[i]] = together ? joint[i] : componentsTogether({compared[i]}, least).front();
    }
  }
  return maps;
}

}  // namespace softscope
