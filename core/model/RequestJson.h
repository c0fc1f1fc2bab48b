#pragma once

#include "core/model/ModelRequest.h"

#include <string>

namespace softscope {

/// JSON of what was asked for when a model was opened, under the names of the command line's
/// options; its path and what was left out are absent.
std::string requestJson(const ModelRequest& request);

/// What requestJson() says, without a path. Of other text what it understands, which may be
/// nothing.
ModelRequest requestOfJson(const std::string& text);

}  // namespace softscope
