#include "core/analysis/cka/CkaAnalysis.h"

#include "core/text/Words.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace softscope {

namespace {

double meanSquare(const Eigen::MatrixXd& gram) {
  return gram.squaredNorm() / static_cast<double>(gram.size());
}

}  // namespace

Eigen::MatrixXd gramMatrix(const Matrix& features) {
  // Features of different pictures that are no further apart differ by rounding alone.
  constexpr double rounding = 1e-7;
  Eigen::MatrixXd centred = features.cast<double>();
  const double norm = centred.norm();
  centred.rowwise() -= centred.colwise().mean().eval();
  if (centred.norm() <= rounding * norm) {
    return Eigen::MatrixXd::Zero(features.rows(), features.rows());
  }
  return centred * centred.transpose();
}

double unbiasedHsic(const Eigen::MatrixXd& first, const Eigen::MatrixXd& second) {
  const auto n = static_cast<double>(first.rows());
  assert(first.rows() == second.rows() && n >= leastCkaPictures);
  Eigen::MatrixXd k = first;
  Eigen::MatrixXd l = second;
  k.diagonal().setZero();
  l.diagonal().setZero();
  const Eigen::VectorXd rowsOfK = k.rowwise().sum();
  const Eigen::VectorXd rowsOfL = l.rowwise().sum();
  const double trace = k.cwiseProduct(l).sum();
  const double sums = rowsOfK.sum() * rowsOfL.sum() / ((n - 1) * (n - 2));
  const double rows = 2 * rowsOfK.dot(rowsOfL) / (n - 2);
  return (trace + sums - rows) / (n * (n - 3));
}

CkaSum::CkaSum(int firstLayers, int secondLayers)
    : both_(Eigen::MatrixXd::Zero(firstLayers, secondLayers)),
      first_(Eigen::VectorXd::Zero(firstLayers)),
      second_(Eigen::VectorXd::Zero(secondLayers)),
      firstScale_(Eigen::VectorXd::Zero(firstLayers)),
      secondScale_(Eigen::VectorXd::Zero(secondLayers)) {}

void CkaSum::add(const std::vector<Eigen::MatrixXd>& first,
                 const std::vector<Eigen::MatrixXd>& second) {
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    first_[row] += unbiasedHsic(first[i], first[i]);
    firstScale_[row] += meanSquare(first[i]);
    for (std::size_t j = 0; j < second.size(); ++j) {
      both_(row, static_cast<Eigen::Index>(j)) += unbiasedHsic(first[i], second[j]);
    }
  }
  for (std::size_t j = 0; j < second.size(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    second_[column] += unbiasedHsic(second[j], second[j]);
    secondScale_[column] += meanSquare(second[j]);
  }
}

Eigen::MatrixXd CkaSum::values() const {
  // Sums that cancel to less than this share of what is summed are rounding: HSIC_1 is zero where
  // all pictures but one have the same features.
  constexpr double cancelled = 1e-12;
  Eigen::MatrixXd values(both_.rows(), both_.cols());
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    for (Eigen::Index j = 0; j < values.cols(); ++j) {
      const bool defined =
          first_[i] > cancelled * firstScale_[i] && second_[j] > cancelled * secondScale_[j];
      values(i, j) = defined ? both_(i, j) / std::sqrt(first_[i] * second_[j])
                             : std::numeric_limits<double>::quiet_NaN();
    }
  }
  return values;
}

std::vector<int> batchBegins(int pictures, int batch) {
  const int batches = std::max(1, pictures / batch);
  std::vector<int> begins;
  for (std::int64_t i = 0; i <= batches; ++i) {
    begins.push_back(static_cast<int>(i * pictures / batches));
  }
  return begins;
}

std::optional<int> mostAlikeLayer(const Eigen::MatrixXd& values, Eigen::Index row) {
  std::optional<int> largest;
  for (Eigen::Index column = 0; column < values.cols(); ++column) {
    if (!std::isfinite(values(row, column))) continue;
    if (!largest || values(row, column) > values(row, *largest)) {
      largest = static_cast<int>(column);
    }
  }
  return largest;
}

std::optional<double> meanLargestCka(const ModelCka& cka) {
  const bool same = cka.first == cka.second;
  double sum = 0;
  int rows = 0;
  for (Eigen::Index row = 0; row < cka.values.rows(); ++row) {
    Eigen::MatrixXd others = cka.values.row(row);
    if (same && row < others.cols()) others(0, row) = std::nan("");
    const auto largest = mostAlikeLayer(others, 0);
    if (!largest) continue;
    sum += others(0, *largest);
    ++rows;
  }
  return rows == 0 ? std::nullopt : std::optional(sum / rows);
}

std::string ckaSentence(const ModelCka& cka) {
  const auto mean = meanLargestCka(cka);
  if (!mean) return "There are no two layers whose CKA is defined.";
  return std::string("The largest CKA of a layer with ") +
         (cka.first == cka.second ? "another" : "one of the other model") + " is " +
         roundedText(*mean) + " in the mean over layers.";
}

Table ckaTable(const ModelCka& cka) {
  Table table{{"model", "layer", "other_model", "other_layer", "cka", "pictures"}, {}};
  for (std::size_t i = 0; i < cka.firstLayers.size(); ++i) {
    for (std::size_t j = 0; j < cka.secondLayers.size(); ++j) {
      const double value = cka.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      table.add({cka.first, cka.firstLayers[i], cka.second, cka.secondLayers[j],
                 cellOf(std::isfinite(value) ? std::optional(value) : std::nullopt),
                 static_cast<std::int64_t>(cka.pictures)});
    }
  }
  table.sentence = ckaSentence(cka);
  return table;
}

std::string undefinedText(const ModelCka& cka) {
  const auto undefined = (!cka.values.array().isFinite()).count();
  if (undefined == 0) return {};
  return "CKA is not defined for " + std::to_string(undefined) + " of " +
         countedText(cka.values.size(), "pair") +
         " of layers: a layer has the same features on all pictures, or on all but one";
}

}  // namespace softscope
