#include "core/train/MixedPrecision.h"

#include <ATen/autocast_mode.h>
#include <torch/version.h>

namespace softscope {

namespace {

void setAutocast(bool on) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  at::autocast::set_autocast_dtype(at::kCUDA, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCUDA, on);
#else
  at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
  at::autocast::set_enabled(on);
#endif
}

}  // namespace

MixedPrecision::MixedPrecision(bool on) : on_(on) {
  if (on_) setAutocast(true);
}

MixedPrecision::~MixedPrecision() {
  if (!on_) return;
  setAutocast(false);
  at::autocast::clear_cache();
}

}  // namespace softscope
