#pragma once

#include <QtCore/QString>

#include <optional>
#include <string>

namespace softscope {

/// What the user said about files whose weights cannot tell their mechanism; kept from one day to
/// the next by the files' fingerprints, so that a file may move.
std::optional<std::string> rememberedMechanism(const QString& path);
void rememberMechanism(const QString& fingerprint, const std::string& mechanism);

}  // namespace softscope
