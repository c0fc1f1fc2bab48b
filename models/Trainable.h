#pragma once

#include "models/identify/TrainableArchitecture.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// Every architecture that can be trained.
const std::vector<TrainableArchitecture>& trainableArchitectures();

/// The one of that name. Throws ModelError naming those there are.
const TrainableArchitecture& findTrainable(const std::string& name);

/// A network of the architecture, filled at random by the seed (Performer's random features are the
/// same for all), in training mode.
std::shared_ptr<NetworkModule> freshNetwork(const TrainableArchitecture& architecture, int classes,
                                            std::uint64_t seed);

}  // namespace softscope
