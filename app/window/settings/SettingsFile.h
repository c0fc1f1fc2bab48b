#pragma once

#include "core/AtomicFile.h"

#include <functional>

class QSettings;

namespace softscope {

/// Changes what is kept between starts. `change` sets values in a copy of the file, whose bytes
/// then take its place as a whole: where the disk is full, QSettings alone leaves an empty file.
/// Returns whether the file was written; where it was not, it is as before.
bool changeSettingsFile(const std::function<void(QSettings& file)>& change,
                        Durability durability = Durability::OnDisk);

}  // namespace softscope
