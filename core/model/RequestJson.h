#pragma once

#include "core/model/ModelRequest.h"

#include <string>

namespace softscope {

/// Returns a request to open a model as JSON, under the names of the command line's options. The
/// path and everything that was left out are absent.
std::string requestJson(const ModelRequest& request);

/// Parses the text of requestJson(), which has no path. From any other text, takes the parts it
/// understands, which may be none.
ModelRequest requestOfJson(const std::string& text);

}  // namespace softscope
