#include "core/model/Model.h"

#include "core/model/Network.h"

#include <utility>

namespace softscope {

Model::Model(ModelSummary summary, std::shared_ptr<Network> network)
    : summary_(std::move(summary)), network_(std::move(network)) {}

Model::~Model() = default;

}  // namespace softscope
