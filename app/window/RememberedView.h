#pragma once

#include "app/window/settings/WindowSettings.h"

namespace softscope {

class Workspace;
struct WindowOptions;

/// Restores how heads were shown last time. Command-line options apply to this run only: a value
/// that still equals its option at the end is not remembered, and the previous value is kept.
class RememberedView {
 public:
  /// Changes `settings` to those of this run; both arguments must outlive this object.
  RememberedView(const WindowOptions& options, WindowSettings& settings);

  void restore(Workspace& workspace) const;
  /// Returns the settings to remember.
  WindowSettings remembered(const Workspace& workspace) const;

 private:
  const WindowOptions& options_;
  WindowSettings& settings_;
  /// The settings before the command line was applied.
  WindowSettings before_;
};

}  // namespace softscope
