#pragma once

#include "models/identify/TrainableArchitecture.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// Returns every architecture that can be trained.
const std::vector<TrainableArchitecture>& trainableArchitectures();

/// Returns the architecture with this name. If there is none, throws a ModelError that lists the
/// names.
const TrainableArchitecture& findTrainable(const std::string& name);

/// Creates a network of the architecture in training mode, initialised at random from the seed
/// (Performer's random features are the same for all seeds).
std::shared_ptr<NetworkModule> freshNetwork(const TrainableArchitecture& architecture, int classes,
                                            std::uint64_t seed);

}  // namespace softscope
