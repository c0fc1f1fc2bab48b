#pragma once

#include "core/live/LiveModels.h"
#include "core/model/Model.h"

#include <memory>
#include <string>

namespace softscope {

/// Opens a model that runs in a Python process: its network passes on every picture, and what comes
/// back. Throws ModelError if no model of that name is connected.
std::shared_ptr<const Model> openLiveModel(const std::string& name,
                                           std::shared_ptr<LiveModels> models);

/// Throws ModelError for the path of a model that runs in Python, which only the window that it is
/// connected to can ask.
void refuseLive(const std::string& path);

}  // namespace softscope
