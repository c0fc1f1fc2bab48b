#include "core/attention/WkvMap.h"

#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

namespace softscope {

namespace {

constexpr int wkvRuns = 32;

MatrixStack wkvChannel(const MatrixStack& stack, int channel) {
  return MatrixStack(std::vector<Matrix>{stack[0].col(channel)});
}

}  // namespace

WkvMap::WkvMap(AttentionDescription description, Parts parts)
    : ChannelMeanMap(withChannels(std::move(description), parts.key.columns()), 1, parts.key.rows(),
                     parts.key.rows()),
      parts_(std::move(parts)),
      run_((parts_.key.rows() + wkvRuns - 1) / wkvRuns),
      decay_(parts_.decay[0].row(0).transpose().cast<double>().array()),
      first_(parts_.first[0].row(0).transpose().cast<double>().array()) {
  const Rows keys = parts_.key[0].cast<double>().array();
  const Eigen::Array<double, 1, Eigen::Dynamic> largest = keys.colwise().maxCoeff();
  exponentials_ = (keys.rowwise() - largest).exp();
  sums_ = undividedTimes(Rows::Ones(keys.rows(), keys.cols()));
}

Eigen::ArrayXd WkvMap::factors(int query, int key) const {
  const int start = runStart(query);
  if (key == query) {
    Eigen::ArrayXd same = first_.exp();
    if (key > start) same += 1 - decay_.exp();
    return same;
  }
  if (key > query || key < start) return (-decay_ * std::abs(query - key)).exp();
  Eigen::ArrayXd within = (-decay_ * (query - key - 1)).exp();
  if (key > start) within += (decay_ * (query - key)).exp() * (1 - decay_.exp());
  return within;
}

Vector WkvMap::row(int head, int query) const {
  checkQuery(head, query);
  const Eigen::ArrayXd divided = sums_.row(query).transpose().inverse() / channels();
  Vector values(description().keys);
  for (int key = 0; key < values.size(); ++key) {
    values[key] = static_cast<float>(
        (factors(query, key) * exponentials_.row(key).transpose() * divided).sum());
  }
  return values;
}

Vector WkvMap::column(int head, int key) const {
  checkKey(head, key);
  const Eigen::ArrayXd weights = exponentials_.row(key).transpose() / channels();
  Vector values(description().queries);
  for (int query = 0; query < values.size(); ++query) {
    values[query] =
        static_cast<float>((factors(query, key) * weights / sums_.row(query).transpose()).sum());
  }
  return values;
}

WkvMap::Rows WkvMap::undividedTimes(const Rows& x) const {
  using Channels = Eigen::Array<double, 1, Eigen::Dynamic>;
  const Channels decay = (-decay_).exp().transpose();
  const Channels growth = decay_.exp().transpose();
  const Channels first = first_.exp().transpose();
  Rows result(x.rows(), x.cols());
  Channels before = Channels::Zero(x.cols());  // sum of exp(k_j - w (i - j)) over j < i
  Channels within = before;                    // the same over the run's j < i
  Channels rising = before;                    // sum of exp(k_j + w (i - j)) over t < j <= i
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const Channels own = exponentials_.row(i) * x.row(i);
    if (i % run_ == 0) {
      within.setZero();
      rising.setZero();
    } else {
      rising = rising * growth + own;
    }
    result.row(i) = before + (growth - 1) * within + first * own + (1 - growth) * rising;
    before = (before + own) * decay;
    within = (within + own) * decay;
  }
  Channels after = Channels::Zero(x.cols());  // sum of exp(k_j - w (j - i)) over j > i
  for (Eigen::Index i = x.rows(); i-- > 0;) {
    result.row(i) += after;
    after = (after + exponentials_.row(i) * x.row(i)) * decay;
  }
  return result;
}

Eigen::VectorXd WkvMap::times(int head, const Eigen::VectorXd& x) const {
  checkHead(head);
  const Rows products = undividedTimes(x.array().replicate(1, channels()));
  return (products / sums_).rowwise().mean().matrix();
}

Eigen::VectorXd WkvMap::transposedTimes(int head, const Eigen::VectorXd& y) const {
  checkHead(head);
  using Channels = Eigen::Array<double, 1, Eigen::Dynamic>;
  const Rows divided = sums_.inverse().colwise() * (y.array() / channels());
  const Channels decay = (-decay_).exp().transpose();
  const Channels growth = decay_.exp().transpose();
  const Channels first = first_.exp().transpose();
  Eigen::VectorXd result(y.size());
  Channels behind = Channels::Zero(channels());  // sum of exp(-w (i - j)) z_i over i > j
  Channels within = behind;                      // the same over the run's i > j
  Channels rising = behind;                      // sum of exp(w (i - j)) z_i over the run's i >= j
  for (Eigen::Index j = y.size(); j-- > 0;) {
    const bool endsRun = j == y.size() - 1 || (j + 1) % run_ == 0;
    if (endsRun) {
      within.setZero();
      rising.setZero();
    }
    const Channels own = divided.row(j);
    rising = rising * growth + own;
    Channels sum = behind + (growth - 1) * within + first * own;
    if (j % run_ != 0) sum += (1 - growth) * rising;
    result[j] = (exponentials_.row(j) * sum).sum();
    behind = (behind + own) * decay;
    within = (within + own) * decay;
  }
  Channels ahead = Channels::Zero(channels());  // sum of exp(-w (j - i)) z_i over i < j
  for (Eigen::Index j = 0; j < y.size(); ++j) {
    result[j] += (exponentials_.row(j) * ahead).sum();
    ahead = (ahead + divided.row(j)) * decay;
  }
  return result;
}

std::size_t WkvMap::bytes() const {
  return parts_.key.bytes() + parts_.decay.bytes() + parts_.first.bytes() +
         sizeof(double) * static_cast<std::size_t>(exponentials_.size() + sums_.size());
}

std::shared_ptr<const ChannelMeanMap> WkvMap::ofChannel(int channel) const {
  checkChannel(channel);
  return std::make_shared<WkvMap>(ofOneChannel(channel), Parts{wkvChannel(parts_.key, channel),
                                                               wkvChannel(parts_.decay, channel),
                                                               wkvChannel(parts_.first, channel)});
}

}  // namespace softscope
