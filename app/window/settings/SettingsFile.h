#pragma once

#include "core/files/AtomicFile.h"

#include <functional>

class QSettings;

namespace softscope {

/// Changes the settings that are kept between starts. `change` sets values in a copy of the file,
/// whose bytes then replace the file as a whole: if the disk is full, QSettings alone would leave
/// an empty file. Returns true if the file was written; otherwise it is unchanged.
bool changeSettingsFile(const std::function<void(QSettings& file)>& change,
                        Durability durability = Durability::OnDisk);

}  // namespace softscope
