#pragma once

#include "core/model/ModelRequest.h"

#include <string>

namespace softscope {

struct OpenedModel;

/// Writes a choice of heads to a request for a model that is open. The heads that it shows are no
/// choice: the request gets what the model was opened with.
void chooseHeads(ModelRequest& request, const HeadCounts& heads, const OpenedModel& opened);

/// Writes a value of one of settingOptions(), or the number of trained landmarks, to a request for
/// a model that is open. A value of settingOptions() that it shows is no choice: the request gets
/// what the model was opened with.
void chooseSetting(ModelRequest& request, const std::string& option, const std::string& value,
                   const OpenedModel& opened);

}  // namespace softscope
