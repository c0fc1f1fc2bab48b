#pragma once

#include "models/vit/TimmNames.h"
#include "models/vit/VitConfiguration.h"

namespace softscope {

/// Returns a vision transformer under timm's names with one block of 64 channels and one head.
inline VitConfiguration smallVit() {
  VitConfiguration configuration;
  configuration.names = timmNames({});
  configuration.names.blocks = {"blocks.0"};
  configuration.channels = 64;
  configuration.heads = 1;
  configuration.hidden = 64;
  return configuration;
}

}  // namespace softscope
