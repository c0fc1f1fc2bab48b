#pragma once

#include <QtCore/QString>

#include <utility>
#include <vector>

namespace softscope {

/// Returns names and versions for bug reports: of the program, the loaded libraries, the processor
/// and the devices.
std::vector<std::pair<QString, QString>> programVersions();

}  // namespace softscope
