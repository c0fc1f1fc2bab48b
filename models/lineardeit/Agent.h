#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// Agent-DeiT ("Agent Attention: On the Integration of Softmax and Linear Attention", 2023): Agent
/// attention in all blocks or in the first ones, softmax in the rest. Its PVT, Swin and CSwin
/// variants are recognised and refused by name.
Family agentDeitFamily();

}  // namespace softscope
