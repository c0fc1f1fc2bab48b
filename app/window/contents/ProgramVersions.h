#pragma once

#include <QtCore/QString>

#include <utility>
#include <vector>

namespace softscope {

/// What the program runs on, as a report of a fault needs it: itself, the libraries that are
/// loaded, processor and devices.
std::vector<std::pair<QString, QString>> programVersions();

}  // namespace softscope
