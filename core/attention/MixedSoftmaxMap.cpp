#include "core/attention/MixedSoftmaxMap.h"

#include "core/Error.h"
#include "core/Progress.h"

#include <cmath>
#include <limits>
#include <utility>

namespace softscope {

RelativeBias::RelativeBias(Matrix tables, const TokenGrid& grid, int prefixTokens)
    : tables_(std::move(tables)), grid_(grid), prefixTokens_(prefixTokens) {
  const int distances = (2 * grid.height - 1) * (2 * grid.width - 1);
  if (prefixTokens > 1 || tables_.cols() != distances + (prefixTokens == 1 ? 3 : 0)) {
    throw InspectionError("a table of relative positions does not fit its grid");
  }
}

float RelativeBias::between(int head, int query, int key) const {
  const auto entries = tables_.cols();
  const bool isQueryPatch = query >= prefixTokens_;
  const bool isKeyPatch = key >= prefixTokens_;
  if (!isQueryPatch) return tables_(head, entries - (isKeyPatch ? 3 : 1));
  if (!isKeyPatch) return tables_(head, entries - 2);
  const int q = query - prefixTokens_;
  const int k = key - prefixTokens_;
  const int y = q / grid_.width - k / grid_.width + grid_.height - 1;
  const int x = q % grid_.width - k % grid_.width + grid_.width - 1;
  return tables_(head, y * (2 * grid_.width - 1) + x);
}

void RelativeBias::addToRow(int head, int query, Eigen::Ref<Vector> scores) const {
  for (int key = 0; key < scores.size(); ++key) scores[key] += between(head, query, key);
}

void RelativeBias::addToColumn(int head, int key, Eigen::Ref<Vector> scores) const {
  for (int query = 0; query < scores.size(); ++query) scores[query] += between(head, query, key);
}

namespace {

/// Multiply-adds over all heads that take no noticeable time.
constexpr double immediateMixture = 5e7;
constexpr int mixedRowsPerReport = 64;

/// Returns exp(x), exactly 0 for minus infinity, which vectorised code only comes near to.
Vector exponentials(const Vector& x) {
  return (x.array() == -std::numeric_limits<float>::infinity())
      .select(Vector::Zero(x.size()), x.array().exp().matrix());
}

int mixedHeads(const MixedSoftmaxMap::Parts& parts) {
  if (parts.after.size() > 0) return static_cast<int>(parts.after.rows());
  return parts.before.size() > 0 ? static_cast<int>(parts.before.rows()) : parts.query.count();
}

}  // namespace

MixedSoftmaxMap::MixedSoftmaxMap(AttentionDescription description, Parts parts)
    : AttentionMap(std::move(description), mixedHeads(parts), parts.query.rows(), parts.key.rows()),
      parts_(std::move(parts)) {}

int MixedSoftmaxMap::softmaxes() const {
  return parts_.before.size() > 0 ? static_cast<int>(parts_.before.rows()) : parts_.query.count();
}

float MixedSoftmaxMap::shareOf(int head, int softmax) const {
  if (parts_.after.size() > 0) return parts_.after(head, softmax);
  return head == softmax ? 1 : 0;
}

bool MixedSoftmaxMap::isMixedInto(int head, int softmax) const {
  return shareOf(head, softmax) != 0;
}

Vector MixedSoftmaxMap::scoresOfRow(int softmax, int query) const {
  Vector scores = Vector::Zero(parts_.key.rows());
  const auto scale = static_cast<float>(parts_.scale);
  for (int f = 0; f < parts_.query.count(); ++f) {
    const float share = parts_.before.size() > 0 ? parts_.before(softmax, f) : float(f == softmax);
    if (share == 0) continue;
    scores += parts_.key[f] * (share * scale * parts_.query[f].row(query)).transpose();
  }
  if (parts_.bias) parts_.bias->addToRow(softmax, query, scores);
  return scores;
}

Vector MixedSoftmaxMap::scoresOfColumn(int softmax, int key) const {
  Vector scores = Vector::Zero(parts_.query.rows());
  const auto scale = static_cast<float>(parts_.scale);
  for (int f = 0; f < parts_.query.count(); ++f) {
    const float share = parts_.before.size() > 0 ? parts_.before(softmax, f) : float(f == softmax);
    if (share == 0) continue;
    scores += parts_.query[f] * (share * scale * parts_.key[f].row(key)).transpose();
  }
  if (parts_.bias) parts_.bias->addToColumn(softmax, key, scores);
  return scores;
}

Vector MixedSoftmaxMap::row(int head, int query) const {
  checkQuery(head, query);
  Vector values = Vector::Zero(parts_.key.rows());
  for (int g = 0; g < softmaxes(); ++g) {
    if (!isMixedInto(head, g)) continue;
    const Vector scores = scoresOfRow(g, query);
    const Vector weights = exponentials(scores.array() - scores.maxCoeff());
    values += shareOf(head, g) / weights.sum() * weights;
  }
  if (parts_.added.size() > 0) values.array() += parts_.added[head];
  return values;
}

const Matrix& MixedSoftmaxMap::logRowSums(const Progress* progress) const {
  if (isSummed_.load(std::memory_order_acquire)) return logarithms_;
  const std::lock_guard lock(mutex_);
  if (isSummed_.load(std::memory_order_relaxed)) return logarithms_;
  const int queries = description().queries;
  Matrix logarithms(softmaxes(), queries);
  for (int g = 0; g < softmaxes(); ++g) {
    for (int i = 0; i < queries; ++i) {
      if (progress != nullptr && i % mixedRowsPerReport == 0) {
        progress->report((g + double(i) / queries) / softmaxes(), "Adding up rows");
      }
      const Vector scores = scoresOfRow(g, i);
      const float largest = scores.maxCoeff();
      logarithms(g, i) = largest + std::log(exponentials(scores.array() - largest).sum());
    }
  }
  logarithms_ = std::move(logarithms);
  isSummed_.store(true, std::memory_order_release);
  return logarithms_;
}

bool MixedSoftmaxMap::columnsReady() const {
  const double mixed = parts_.before.size() > 0 ? softmaxes() : 1;
  const double work = mixed * parts_.query.count() * description().queries * description().keys *
                      static_cast<double>(parts_.query.columns());
  return work <= immediateMixture || isSummed_.load(std::memory_order_acquire);
}

void MixedSoftmaxMap::prepareColumns(const Progress& progress) const {
  logRowSums(&progress);
}

Vector MixedSoftmaxMap::column(int head, int key) const {
  checkKey(head, key);
  const Matrix& sums = logRowSums();
  Vector values = Vector::Zero(parts_.query.rows());
  for (int g = 0; g < softmaxes(); ++g) {
    if (!isMixedInto(head, g)) continue;
    values += shareOf(head, g) * exponentials(scoresOfColumn(g, key) - sums.row(g).transpose());
  }
  if (parts_.added.size() > 0) values.array() += parts_.added[head];
  return values;
}

Matrix MixedSoftmaxMap::block(int head, int firstRow, int firstColumn, int rows,
                              int columns) const {
  checkBlock(head, firstRow, firstColumn, rows, columns);
  Matrix values(rows, columns);
  for (int i = 0; i < rows; ++i) {
    values.row(i) = row(head, firstRow + i).segment(firstColumn, columns).transpose();
  }
  return values;
}

std::size_t MixedSoftmaxMap::bytes() const {
  return parts_.query.bytes() + parts_.key.bytes() + (parts_.bias ? parts_.bias->bytes() : 0);
}

}  // namespace softscope
