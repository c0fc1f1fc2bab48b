#pragma once

#include "core/model/ModelRequest.h"

#include <QtCore/QString>

#include <string>

namespace softscope {

// The user's answers about files whose weights do not tell their mechanism or heads. They are kept
// permanently by the files' fingerprints, so that a file may move.

/// Returns the request, completed with the remembered answers about its file.
ModelRequest withRemembered(ModelRequest request);
void rememberMechanism(const QString& fingerprint, const std::string& mechanism);
void rememberHeads(const QString& fingerprint, int heads);

}  // namespace softscope
