#pragma once

#include "core/model/ModelSummary.h"

#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// Returns the names of classes in a text, in the order of the logits: a line for each, a JSON
/// list, or a JSON object of numbers and names (`{"0": "cat"}`, `{"cat": 0}`, `{"0": ["n02123045",
/// "tabby"]}`), also as the `id2label` of a config.json. Throws Malformed, naming the line or the
/// number, if there are no names in it or one is missing.
std::vector<std::string> classNamesIn(std::string_view text);

/// Gives the classes of a model the names in the file at `path`, in place of those in its
/// checkpoint. Throws FileError if the file cannot be read, and ModelError if it names more or
/// fewer classes than the model has.
void nameClasses(ModelSummary& summary, const std::string& path);

}  // namespace softscope
