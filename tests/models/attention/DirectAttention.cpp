#include "tests/models/attention/DirectAttention.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace softscope {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// softmax over each row of scale a b^T.
MatrixXd softmaxOfProducts(const MatrixXd& a, const MatrixXd& b, double scale) {
  MatrixXd rows(a.rows(), b.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    double sum = 0;
    for (Index j = 0; j < b.rows(); ++j)
      sum += rows(i, j) = std::exp(scale * a.row(i).dot(b.row(j)));
    for (Index j = 0; j < b.rows(); ++j) rows(i, j) /= sum;
  }
  return rows;
}

double scaleOf(const DirectHead& head) {
  return 1 / std::sqrt(static_cast<double>(head.query.cols()));
}

MatrixXd softmax(const DirectHead& head) {
  return softmaxOfProducts(head.query, head.key, scaleOf(head));
}

/// Means over windows, weighted by `filter`: [m, n].
MatrixXd windows(const DirectHead& head, const MatrixXd& filter) {
  const int height = head.grid.height / head.ratio;
  const int width = head.grid.width / head.ratio;
  MatrixXd matrix = MatrixXd::Zero(height * width, head.grid.count());
  for (int y = 0; y < height * head.ratio; ++y) {
    for (int x = 0; x < width * head.ratio; ++x) {
      matrix((y / head.ratio) * width + x / head.ratio, y * head.grid.width + x) =
          filter(y % head.ratio, x % head.ratio);
    }
  }
  return matrix;
}

MatrixXd linformer(const DirectHead& head) {
  const MatrixXd shortening = windows(head, head.filter);
  return softmaxOfProducts(head.query, shortening * head.key, scaleOf(head)) * shortening;
}

MatrixXd nystromformer(const DirectHead& head) {
  const double share = 1.0 / (head.ratio * head.ratio);
  const MatrixXd pooling = windows(head, MatrixXd::Constant(head.ratio, head.ratio, share));
  const MatrixXd queryLandmarks = pooling * head.query;
  const MatrixXd keyLandmarks = pooling * head.key;
  const MatrixXd kernel = softmaxOfProducts(queryLandmarks, keyLandmarks, scaleOf(head));
  const MatrixXd identity = MatrixXd::Identity(kernel.rows(), kernel.cols());
  MatrixXd inverse = kernel.transpose() / kernel.colwise().sum().maxCoeff();
  for (int step = 0; step < 6; ++step) {
    const MatrixXd product = kernel * inverse;
    inverse = inverse / 4 *
              (13 * identity - product * (15 * identity - product * (7 * identity - product)));
  }
  return softmaxOfProducts(head.query, keyLandmarks, scaleOf(head)) * inverse *
         softmaxOfProducts(queryLandmarks, head.key, scaleOf(head));
}

MatrixXd performer(const DirectHead& head) {
  const double scale = std::sqrt(scaleOf(head));
  const auto features = [&](const MatrixXd& x, bool shiftOfAll) {
    const MatrixXd products = scale * x * head.projection.transpose();
    MatrixXd phi(products.rows(), products.cols());
    for (Index i = 0; i < phi.rows(); ++i) {
      const double shift = shiftOfAll ? products.maxCoeff() : products.row(i).maxCoeff();
      const double half = scale * scale * x.row(i).squaredNorm() / 2;
      for (Index f = 0; f < phi.cols(); ++f) {
        phi(i, f) = (std::exp(products(i, f) - half - shift) + 1e-4) /
                    std::sqrt(static_cast<double>(phi.cols()));
      }
    }
    return phi;
  };
  MatrixXd rows = features(head.query, false) * features(head.key, true).transpose();
  for (Index i = 0; i < rows.rows(); ++i) rows.row(i) /= rows.row(i).sum();
  return rows;
}

/// S_ij = sum over c of q_ic k_jc over the product of both channels' `order`-norms; order 0 for
/// none.
template <int order>
MatrixXd sima(const DirectHead& head) {
  MatrixXd rows = MatrixXd::Zero(head.query.rows(), head.key.rows());
  for (Index c = 0; c < head.query.cols(); ++c) {
    double norms = 1;
    if constexpr (order > 0) {
      norms = head.query.col(c).lpNorm<order>() * head.key.col(c).lpNorm<order>();
    }
    for (Index i = 0; i < rows.rows(); ++i) {
      for (Index j = 0; j < rows.cols(); ++j)
        rows(i, j) += head.query(i, c) * head.key(j, c) / norms;
    }
  }
  return rows;
}

/// S_ij = sum over c of (elu(q_ic) + 1) (elu(k_jc) + 1) / sqrt(n).
MatrixXd elu(const DirectHead& head) {
  const auto positive = [](double x) { return x > 0 ? x + 1 : std::exp(x); };
  MatrixXd rows = MatrixXd::Zero(head.query.rows(), head.key.rows());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      for (Index c = 0; c < head.query.cols(); ++c) {
        rows(i, j) += positive(head.query(i, c)) * positive(head.key(j, c)) /
                      std::sqrt(static_cast<double>(rows.rows()));
      }
    }
  }
  return rows;
}

/// S_ij = sum over c of softmax over channels of q_i, times softmax over tokens of k's channel c.
MatrixXd efficient(const DirectHead& head) {
  MatrixXd rows = MatrixXd::Zero(head.query.rows(), head.key.rows());
  for (Index i = 0; i < rows.rows(); ++i) {
    double channels = 0;
    for (Index c = 0; c < head.query.cols(); ++c) channels += std::exp(head.query(i, c));
    for (Index c = 0; c < head.query.cols(); ++c) {
      double tokens = 0;
      for (Index j = 0; j < rows.cols(); ++j) tokens += std::exp(head.key(j, c));
      for (Index j = 0; j < rows.cols(); ++j) {
        rows(i, j) += std::exp(head.query(i, c)) / channels * std::exp(head.key(j, c)) / tokens;
      }
    }
  }
  return rows;
}

/// S_ij = relu(q_i) . relu(k_j) over its sum over j.
MatrixXd plainCosformer(const DirectHead& head) {
  MatrixXd rows = head.query.cwiseMax(0) * head.key.cwiseMax(0).transpose();
  for (Index i = 0; i < rows.rows(); ++i) rows.row(i) /= std::max(rows.row(i).sum(), 1e-6);
  return rows;
}

/// S_ij = relu(q_i) . relu(k_j) cos(pi/2 dx/W) cos(pi/2 dy/H) over its sum over j.
MatrixXd cosformer(const DirectHead& head) {
  const auto nearness = [](int from, int to, int length) {
    return std::cos(std::numbers::pi / 2 * (from - to) / length);
  };
  const int n = head.grid.count();
  const int width = head.grid.width;
  MatrixXd rows = MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (Index c = 0; c < head.query.cols(); ++c) {
        rows(i, j) += std::max(head.query(i, c), 0.0) * std::max(head.key(j, c), 0.0);
      }
      rows(i, j) *=
          nearness(i % width, j % width, width) * nearness(i / width, j / width, head.grid.height);
    }
    rows.row(i) /= std::max(rows.row(i).sum(), 1e-6);
  }
  return rows;
}

}  // namespace

MatrixXd directAttention(const std::string& mechanism, const DirectHead& head) {
  static const std::map<std::string, MatrixXd (*)(const DirectHead&)> formulas{
      {"softmax", softmax},
      {"linformer", linformer},
      {"performer", performer},
      {"nystromformer", nystromformer},
      {"sima", sima<1>},
      {"sima_l2", sima<2>},
      {"sima_unnormalised", sima<0>},
      {"elu", elu},
      {"efficient", efficient},
      {"cosformer", cosformer},
      {"cosformer_plain", plainCosformer}};
  return formulas.at(mechanism)(head);
}

}  // namespace softscope
