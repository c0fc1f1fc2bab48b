#include "core/attention/KernelMap.h"

#include "core/Progress.h"
#include "core/attention/MatrixStack.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace softscope {

namespace {

/// Multiply-adds over all heads that take no noticeable time.
constexpr double immediateWork = 5e7;
constexpr int reportEvery = 64;

}  // namespace

KernelMap::KernelMap(AttentionDescription description, Kernel kernel, MatrixStack query,
                     MatrixStack key, double scale)
    : AttentionMap(std::move(description), query.count(), query.rows(), key.rows()),
      kernel_(kernel),
      query_(std::move(query)),
      key_(std::move(key)),
      scale_(static_cast<float>(scale)),
      rowSums_(static_cast<std::size_t>(query_.count())) {
  assert(query_.count() == key_.count() && query_.columns() == key_.columns());
}

/// Returns the kernel's exponent for every key, before any normalisation: [keys].
Vector KernelMap::exponents(int head, int query) const {
  const auto keys = key_[head];
  const auto q = query_[head].row(query);
  if (kernel_ == Kernel::Softmax) return scale_ * rowProducts(keys, q.transpose());
  // Subtract first: |q|^2 + |k|^2 - 2 q k^T would cancel for tokens that are close together.
  return -0.5f * (keys.rowwise() - q).rowwise().squaredNorm();
}

Vector KernelMap::row(int head, int query) const {
  checkQuery(head, query);
  Vector values = exponents(head, query);
  if (kernel_ == Kernel::Gaussian) return values.array().exp();
  values = (values.array() - values.maxCoeff()).exp();
  return values / values.sum();
}

Vector KernelMap::sumRows(int head, const Progress* progress) const {
  const int queries = description().queries;
  Vector logarithms(queries);
  for (int i = 0; i < queries; ++i) {
    if (progress != nullptr && i % reportEvery == 0) {
      progress->report((head + double(i) / queries) / description().heads, "Adding up rows");
    }
    const Vector values = exponents(head, i);
    const float largest = values.maxCoeff();
    logarithms[i] = largest + std::log((values.array() - largest).exp().sum());
  }
  return logarithms;
}

const Vector& KernelMap::logRowSums(int head, const Progress* progress) const {
  RowSums& sums = rowSums_[static_cast<std::size_t>(head)];
  if (sums.computed.load(std::memory_order_acquire)) return sums.logarithms;
  const std::lock_guard lock(sums.mutex);
  if (!sums.computed.load(std::memory_order_relaxed)) {
    sums.logarithms = sumRows(head, progress);
    sums.computed.store(true, std::memory_order_release);
  }
  return sums.logarithms;
}

bool KernelMap::columnsReady() const {
  const double work = double(description().heads) * description().queries * description().keys *
                      static_cast<double>(query_.columns());
  if (kernel_ == Kernel::Gaussian || work <= immediateWork) return true;
  return std::all_of(rowSums_.begin(), rowSums_.end(), [](const RowSums& sums) {
    return sums.computed.load(std::memory_order_acquire);
  });
}

void KernelMap::prepareColumns(const Progress& progress) const {
  if (kernel_ == Kernel::Gaussian) return;
  for (int head = 0; head < description().heads; ++head) logRowSums(head, &progress);
}

Vector KernelMap::column(int head, int key) const {
  checkKey(head, key);
  const auto queries = query_[head];
  const auto k = key_[head].row(key);
  if (kernel_ == Kernel::Gaussian) {
    return (-0.5f * (queries.rowwise() - k).rowwise().squaredNorm()).array().exp();
  }
  return (scale_ * rowProducts(queries, k.transpose()) - logRowSums(head)).array().exp();
}

Matrix KernelMap::block(int head, int firstRow, int firstColumn, int rows, int columns) const {
  checkBlock(head, firstRow, firstColumn, rows, columns);
  Matrix values(rows, columns);
  if (kernel_ == Kernel::Gaussian) {
    // The Gaussian kernel needs no row sums, so other columns are not computed.
    const auto keys = key_[head].middleRows(firstColumn, columns);
    for (int i = 0; i < rows; ++i) {
      const auto q = query_[head].row(firstRow + i);
      // A separate vector, as in row(), so that both round alike.
      Vector weights = -0.5f * (keys.rowwise() - q).rowwise().squaredNorm();
      weights = weights.array().exp();
      values.row(i) = weights.transpose();
    }
    return values;
  }
  for (int i = 0; i < rows; ++i) {
    values.row(i) = row(head, firstRow + i).segment(firstColumn, columns).transpose();
  }
  return values;
}

std::size_t KernelMap::bytes() const {
  return query_.bytes() + (query_.sharesMemoryWith(key_) ? 0 : key_.bytes());
}

}  // namespace softscope
