#include "core/query/ComparedAnswers.h"

#include "core/Error.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/attention/Mechanism.h"
#include "core/text/Names.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace softscope {
namespace {

/// Returns the share of each of `ontoCells` cells over [ontoBegin, ontoBegin + ontoLength) that
/// each of `cells` cells over [begin, begin + length) covers: [ontoCells, cells].
Matrix overlaps(double begin, double length, int cells, double ontoBegin, double ontoLength,
                int ontoCells) {
  Matrix shares(ontoCells, cells);
  for (int i = 0; i < ontoCells; ++i) {
    const double from = ontoBegin + ontoLength * i / ontoCells;
    const double to = ontoBegin + ontoLength * (i + 1) / ontoCells;
    for (int j = 0; j < cells; ++j) {
      const double left = std::max(from, begin + length * j / cells);
      const double right = std::min(to, begin + length * (j + 1) / cells);
      // An overlap below the rounding error counts as none.
      shares(i, j) = right - left > 1e-9 * (to - from) ? float((right - left) / (to - from)) : 0.0f;
    }
  }
  return shares;
}

/// Returns shares times values, [ontoCells, columns]. A product would spread a value that is not
/// finite over every cell, because 0 times it is not finite either.
Matrix sharedOut(const Matrix& shares, const Matrix& values) {
  Matrix sums = Matrix::Zero(shares.rows(), values.cols());
  for (Eigen::Index onto = 0; onto < shares.rows(); ++onto) {
    for (Eigen::Index cell = 0; cell < shares.cols(); ++cell) {
      if (shares(onto, cell) > 0) sums.row(onto) += shares(onto, cell) * values.row(cell);
    }
  }
  return sums;
}

double patchArea(const LocatedValues& located) {
  return located.region.width * located.region.height / located.values.grid.count();
}

/// Returns the area of a key of a layer that covers `region`; nothing if keys are no patches, or if
/// the asked key is none.
std::optional<double> keyAreaOf(const QueriedLayer& asked, const PictureRegion& region) {
  const AttentionDescription& attention = asked.attention();
  if (!attention.keyGrid && !attention.keyPlaces) return std::nullopt;
  if (asked.direction == Direction::Columns &&
      singleTokenAt(attention, Direction::Columns, asked.token)) {
    return std::nullopt;
  }
  const int patches = attention.keyGrid
                          ? attention.keyGrid->count()
                          : attention.keys - singleTokens(attention, Direction::Columns);
  return region.width * region.height / patches;
}

/// Returns the factor that makes weights on keys of `from` those on keys of `onto`.
double sharedOutBy(const LocatedValues& from, const LocatedValues& onto) {
  return from.keyArea && onto.keyArea ? *onto.keyArea / *from.keyArea : 1;
}

/// True if the factor differs from 1 by more than a rounding error.
bool changesWeights(double factor) {
  return std::abs(factor - 1) > 1e-9;
}

/// Multiplies weights by a factor. Those on keys before the patches stay: both layers have them as
/// they are. (Where a patch is the asked key, all values are weights on that key.)
void shareOut(LocatedValues& located, double factor) {
  located.values.patches *= static_cast<float>(factor);
  if (located.isOfOneKey) located.values.prefix *= static_cast<float>(factor);
}

void normalise(AttentionValues& values) {
  float largest = 0;
  for (const float value : values.patches) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  if (largest == 0) return;
  values.patches /= largest;
  values.prefix /= largest;
}

void subtract(AttentionValues& from, const AttentionValues& other) {
  from.patches -= other.patches;
  // A weight that one of both gives makes a difference.
  if (from.outside.size() != other.outside.size()) from.outside.clear();
  for (std::size_t i = 0; i < from.outside.size(); ++i) {
    from.outside[i] = from.outside[i] && other.outside[i];
  }
  if (from.prefix.size() == other.prefix.size()) {
    from.prefix -= other.prefix;
  } else {
    from.prefix.resize(0);
  }
}

/// True if the patches of `second` are smaller than those of `first`.
bool isCoarser(const LocatedValues& first, const LocatedValues& second) {
  return first.values.onPicture && second.values.onPicture && patchArea(second) < patchArea(first);
}

/// Asks every row every query, and subtracts answers.
class RowComparison {
 public:
  explicit RowComparison(const ComparedQuestion& question) : question_(question) {
    std::vector<std::string> names;
    const auto isOfOneHead = [](const CompareRow& row) { return row.head.has_value(); };
    const bool ofHeads = std::ranges::any_of(question.rows, isOfOneHead);
    for (const CompareRow& row : question.rows) names.push_back(row.modelName);
    // Rows of heads share the names of their models, and their layers and heads tell them apart.
    names_ = ofHeads ? names : uniqueNames(names);
  }

  std::vector<ComparedAnswer> answers() const {
    std::vector<ComparedAnswer> answers;
    for (std::size_t query = 0; query < question_.queries.size(); ++query) {
      std::vector<QueriedLayer> asked;
      for (std::size_t row = 0; row < question_.rows.size(); ++row) {
        asked.push_back(ask(row, query, question_.shown));
        answers.push_back(rowAnswer(row, asked.back()));
        answers.back().query = static_cast<int>(query);
      }
      for (std::size_t i = 0; i < question_.differences.size(); ++i) {
        answers.push_back(differenceAnswer(question_.differences[i], query, asked));
        answers.back().query = static_cast<int>(query);
        answers.back().row = static_cast<int>(i);
      }
    }
    return answers;
  }

 private:
  QueriedLayer ask(std::size_t row, std::size_t query, const ShownHeads& heads) const {
    const CompareRow& asked = question_.rows[row];
    const ShownHeads own{.heads = {asked.head.value_or(0)}};
    return askLayer(asked.layer, extentOf(question_.picture, asked.region),
                    question_.queries[query], question_.direction, asked.head ? own : heads,
                    availableMap(asked.layer, question_.map));
  }

  LocatedValues located(std::size_t row, const QueriedLayer& asked, std::size_t head) const {
    const PictureRegion region =
        question_.picture ? question_.rows[row].region : PictureRegion{0, 0, 1, 1};
    return {asked.values[head], region, keyAreaOf(asked, region),
            asked.direction == Direction::Columns};
  }

  ComparedAnswer rowAnswer(std::size_t row, const QueriedLayer& asked) const {
    ComparedAnswer answer;
    answer.row = answer.on = static_cast<int>(row);
    answer.asked = asked;
    answer.values = asked.values;
    answer.name = names_[row] + "." + layerName(question_.rows[row].layer) + "." + queryName(asked);
    return answer;
  }

  ComparedAnswer differenceAnswer(const RowDifference& wanted, std::size_t query,
                                  const std::vector<QueriedLayer>& asked) const {
    const auto a = static_cast<std::size_t>(wanted.first);
    const auto b = static_cast<std::size_t>(wanted.second);
    if (a >= asked.size() || b >= asked.size()) {
      throw InspectionError("a difference needs two existing rows");
    }
    const bool ofHeads = question_.rows[a].head && question_.rows[b].head;
    const bool alike = ofHeads || asked[a].attention().heads == asked[b].attention().heads;
    const ShownHeads mean{.single = false, .mean = true};
    const QueriedLayer first = alike ? asked[a] : ask(a, query, mean);
    const QueriedLayer second = alike ? asked[b] : ask(b, query, mean);
    const bool onSecond = !first.values.empty() && !second.values.empty() &&
                          isCoarser(located(a, first, 0), located(b, second, 0));
    ComparedAnswer answer;
    answer.isDifference = true;
    answer.on = static_cast<int>(onSecond ? b : a);
    answer.asked = onSecond ? second : first;
    answer.ofMeans = !alike;
    answer.name = differenceOf(a) + "_minus_" + differenceOf(b) + "." + queryName(first);
    try {
      for (std::size_t i = 0; i < first.values.size(); ++i) {
        answer.values.push_back(
            difference(located(a, first, i), located(b, second, i), wanted.normalised).values);
      }
      if (answer.values.empty()) return answer;
      answer.resampled = !(first.values[0].grid == second.values[0].grid);
      answer.sharedOut = !wanted.normalised && first.values[0].onPicture &&
                         changesWeights(sharedOutBy(located(a, first, 0), located(b, second, 0)));
    } catch (const InspectionError& error) {
      answer.values.clear();
      answer.obstacle = error.what();
    }
    return answer;
  }

  /// Returns the name of a row in that of a difference.
  std::string differenceOf(std::size_t row) const {
    const CompareRow& of = question_.rows[row];
    return of.head ? arrayName(names_[row] + "." + layerName(of.layer), *of.head) : names_[row];
  }

  const ComparedQuestion& question_;
  std::vector<std::string> names_;
};

}  // namespace

LocatedValues resampled(const LocatedValues& from, const TokenGrid& grid,
                        const PictureRegion& region) {
  const TokenGrid& own = from.values.grid;
  if (own == grid && from.region == region) return from;
  const Matrix down =
      overlaps(from.region.y, from.region.height, own.height, region.y, region.height, grid.height);
  const Matrix across =
      overlaps(from.region.x, from.region.width, own.width, region.x, region.width, grid.width);
  const Eigen::Map<const Matrix> values(from.values.patches.data(), own.height, own.width);
  const Matrix onto = sharedOut(down, sharedOut(across, values.transpose()).transpose());

  LocatedValues result = from;
  result.region = region;
  result.values.grid = grid;
  result.values.outside.clear();
  result.values.patches.resize(grid.count());
  for (int row = 0; row < grid.height; ++row) {
    for (int column = 0; column < grid.width; ++column) {
      const float covered = down.row(row).sum() * across.row(column).sum();
      result.values.patches[row * grid.width + column] =
          covered > 0 ? onto(row, column) / covered : std::numeric_limits<float>::quiet_NaN();
    }
  }
  return result;
}

LocatedValues difference(const LocatedValues& first, const LocatedValues& second, bool normalised) {
  if (first.values.onPicture != second.values.onPicture) {
    throw InspectionError(
        "no difference: the values of one layer lie on the picture's patches, the other's do not");
  }
  LocatedValues minuend = first;
  LocatedValues subtrahend = second;
  if (normalised) {
    normalise(minuend.values);
    normalise(subtrahend.values);
  }
  if (!first.values.onPicture) {
    if (first.values.patches.size() != second.values.patches.size()) {
      throw InspectionError(
          "no difference: one layer answers with " + std::to_string(first.values.patches.size()) +
          " values, the other with " + std::to_string(second.values.patches.size()));
    }
  } else {
    const bool onSecond = isCoarser(first, second);
    const LocatedValues& onto = onSecond ? second : first;
    LocatedValues& moved = onSecond ? minuend : subtrahend;
    const double factor = normalised ? 1 : sharedOutBy(moved, onto);
    moved = resampled(moved, onto.values.grid, onto.region);
    if (changesWeights(factor)) shareOut(moved, factor);
  }
  subtract(minuend.values, subtrahend.values);
  return minuend;
}

CompareRow compareRow(const ModelSummary& summary, const LayerInspection& layer,
                      const PictureRegion& region) {
  return {std::filesystem::path(summary.path).stem().string(),
          summary.mechanismNote(),
          {},
          region,
          layer};
}

std::string differenceName(const CompareRow& first, const CompareRow& second) {
  const std::string minus = " − ";
  if (first.head && second.head) {
    const bool isOfOneModel = first.modelName == second.modelName;
    const auto name = [&](const CompareRow& row) {
      const std::string head = row.layer.name + ", head " + std::to_string(*row.head);
      return isOfOneModel ? head : row.modelName + ", " + head;
    };
    return name(first) + minus + name(second);
  }
  if (first.modelName != second.modelName) return first.modelName + minus + second.modelName;
  const auto mechanism = [](const CompareRow& row) {
    return titleOfMechanism(row.layer.attention->description().mechanism);
  };
  return mechanism(first) + minus + mechanism(second);
}

std::vector<ComparedAnswer> compareAnswers(const ComparedQuestion& question) {
  return RowComparison(question).answers();
}

NamedArrays comparedArrays(const std::vector<ComparedAnswer>& answers) {
  NamedArrays arrays;
  for (const ComparedAnswer& answer : answers) {
    for (const AttentionValues& values : answer.values) addArrays(arrays, answer.name, values);
  }
  return arrays;
}

}  // namespace softscope
