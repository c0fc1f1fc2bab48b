#include "core/attention/SelectiveScanMap.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>

namespace softscope {

namespace {

using ScanState = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using FloatScanState = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Returns exp(A dt) for every channel and state, where `steps` is dt [channels].
template <typename Values, typename Steps>
Values scanDecays(const MatrixStack::View& rates, const Steps& steps) {
  return (rates.array().template cast<typename Values::Scalar>().colwise() * steps).exp();
}

MatrixStack channelPart(const MatrixStack& stack, bool isColumn, int index) {
  std::vector<Matrix> matrices;
  for (int i = 0; i < stack.count(); ++i) {
    matrices.push_back(isColumn ? Matrix(stack[i].col(index)) : Matrix(stack[i].row(index)));
  }
  return MatrixStack(matrices);
}

}  // namespace

SelectiveScanMap::SelectiveScanMap(AttentionDescription description, Parts parts)
    : ChannelMeanMap(withChannels(std::move(description), parts.steps.columns()),
                     parts.steps.count(), parts.steps.rows(), parts.steps.rows()),
      parts_(std::move(parts)) {
  assert(parts_.order.size() == static_cast<std::size_t>(parts_.steps.count()));
}

const std::vector<int>& SelectiveScanMap::orderOf(int head) const {
  return parts_.order[static_cast<std::size_t>(head)];
}

int SelectiveScanMap::placeOf(int head, int token) const {
  const std::vector<int>& order = orderOf(head);
  return static_cast<int>(std::find(order.begin(), order.end(), token) - order.begin());
}

Vector SelectiveScanMap::row(int head, int query) const {
  checkQuery(head, query);
  const auto write = parts_.write[head];
  const auto steps = parts_.steps[head];
  const auto rates = parts_.rates[head];
  const std::vector<int>& order = orderOf(head);
  const Vector read = parts_.read[head].row(query).transpose() / static_cast<float>(channels());
  Vector values = Vector::Zero(description().keys);
  Eigen::ArrayXf since = Eigen::ArrayXf::Zero(channels());
  for (int place = placeOf(head, query); place >= 0; --place) {
    const int key = order[static_cast<std::size_t>(place)];
    const Vector products = read.cwiseProduct(write.row(key).transpose());
    values[key] = steps.row(key).dot(
        (scanDecays<FloatScanState>(rates, since).matrix() * products).transpose());
    since += steps.row(key).transpose().array();
  }
  return values;
}

Vector SelectiveScanMap::column(int head, int key) const {
  checkKey(head, key);
  const auto read = parts_.read[head];
  const auto steps = parts_.steps[head];
  const auto rates = parts_.rates[head];
  const std::vector<int>& order = orderOf(head);
  const Vector write = parts_.write[head].row(key).transpose() / static_cast<float>(channels());
  Vector values = Vector::Zero(description().queries);
  Eigen::ArrayXf since = Eigen::ArrayXf::Zero(channels());
  for (auto place = static_cast<std::size_t>(placeOf(head, key)); place < order.size(); ++place) {
    const int query = order[place];
    if (query != key) since += steps.row(query).transpose().array();
    const Vector products = write.cwiseProduct(read.row(query).transpose());
    values[query] = steps.row(key).dot(
        (scanDecays<FloatScanState>(rates, since).matrix() * products).transpose());
  }
  return values;
}

Eigen::VectorXd SelectiveScanMap::times(int head, const Eigen::VectorXd& x) const {
  checkHead(head);
  const auto steps = parts_.steps[head];
  const auto rates = parts_.rates[head];
  ScanState state = ScanState::Zero(channels(), rates.cols());
  Eigen::VectorXd result(x.size());
  for (const int token : orderOf(head)) {
    const Eigen::ArrayXd step = steps.row(token).transpose().cast<double>().array();
    state *= scanDecays<ScanState>(rates, step);
    state += (x[token] * step.matrix() * parts_.write[head].row(token).cast<double>()).array();
    result[token] =
        state.colwise().sum().matrix().dot(parts_.read[head].row(token).cast<double>()) /
        channels();
  }
  return result;
}

Eigen::VectorXd SelectiveScanMap::transposedTimes(int head, const Eigen::VectorXd& y) const {
  checkHead(head);
  const auto steps = parts_.steps[head];
  const auto rates = parts_.rates[head];
  const std::vector<int>& order = orderOf(head);
  ScanState state = ScanState::Zero(channels(), rates.cols());
  Eigen::VectorXd result(y.size());
  for (std::size_t place = order.size(); place-- > 0;) {
    const int token = order[place];
    const Eigen::ArrayXd step = steps.row(token).transpose().cast<double>().array();
    state.rowwise() += y[token] / channels() * parts_.read[head].row(token).cast<double>().array();
    result[token] = step.matrix().dot(state.matrix() *
                                      parts_.write[head].row(token).transpose().cast<double>());
    state *= scanDecays<ScanState>(rates, step);
  }
  return result;
}

Eigen::VectorXd SelectiveScanMap::diagonal(int head) const {
  checkHead(head);
  const Eigen::MatrixXd read = parts_.read[head].cast<double>();
  const Eigen::MatrixXd write = parts_.write[head].cast<double>();
  const Eigen::VectorXd products = read.cwiseProduct(write).rowwise().sum();
  const Eigen::VectorXd steps = parts_.steps[head].cast<double>().rowwise().mean();
  return products.cwiseProduct(steps);
}

std::size_t SelectiveScanMap::bytes() const {
  return parts_.read.bytes() + parts_.write.bytes() + parts_.steps.bytes() + parts_.rates.bytes() +
         sizeof(int) * parts_.order.size() * static_cast<std::size_t>(description().keys);
}

std::shared_ptr<const ChannelMeanMap> SelectiveScanMap::ofChannel(int channel) const {
  checkChannel(channel);
  Parts parts = parts_;
  parts.steps = channelPart(parts_.steps, true, channel);
  parts.rates = channelPart(parts_.rates, false, channel);
  return std::make_shared<SelectiveScanMap>(ofOneChannel(channel), std::move(parts));
}

}  // namespace softscope
