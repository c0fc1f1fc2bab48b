#pragma once

#include "core/checkpoint/PickleValue.h"

#include <string_view>

namespace softscope {

class WorkBudget;

/// The keys under which files hold the weights that their authors publish, in order of preference.
/// DINO publishes and evaluates its teacher, which is the running average of the student.
inline constexpr std::string_view publishedKeys[] = {
    "model", "state_dict", "net", "teacher", "student", "state_dict_ema", "model_ema"};

/// Returns true for the key of an optimizer, of its schedule, or of a part of their state.
bool isOfTraining(std::string_view key);

/// Throws the Malformed that says what a file without recognisable weights holds instead, and how
/// to save them.
[[noreturn]] void failWithoutWeights(const PickleValue& root, WorkBudget& work);

}  // namespace softscope
