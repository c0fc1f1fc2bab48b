#include "models/Trainable.h"

#include "core/Error.h"
#include "core/text/Words.h"
#include "models/identify/Families.h"
#include "models/layers/Initialisation.h"
#include "models/layers/Layers.h"

#include <iterator>
#include <utility>

namespace softscope {

const std::vector<TrainableArchitecture>& trainableArchitectures() {
  static const std::vector<TrainableArchitecture> all = [] {
    std::vector<TrainableArchitecture> found;
    for (const Family& family : families()) {
      if (!family.trainable) continue;
      std::vector<TrainableArchitecture> listed = family.trainable();
      std::move(listed.begin(), listed.end(), std::back_inserter(found));
    }
    return found;
  }();
  return all;
}

const TrainableArchitecture& findTrainable(const std::string& name) {
  for (const TrainableArchitecture& architecture : trainableArchitectures()) {
    if (architecture.name == name) return architecture;
  }
  throw ModelError("there is no architecture " + name + " to train; there are " +
                   listText(trainableArchitectures(), ", ", &TrainableArchitecture::name));
}

std::shared_ptr<NetworkModule> freshNetwork(const TrainableArchitecture& architecture, int classes,
                                            std::uint64_t seed) {
  std::shared_ptr<NetworkModule> network = architecture.define(classes);
  initialise(*network, seed);
  if (architecture.fill) {
    const torch::NoGradGuard noGradient;
    architecture.fill(*network);
  }
  return network;
}

}  // namespace softscope
