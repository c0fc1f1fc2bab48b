#pragma once

#include "core/model/ModelRequest.h"

#include <QtCore/QString>

#include <string>

namespace softscope {

// What the user said about files whose weights cannot tell their mechanism or heads; kept from one
// day to the next by the files' fingerprints, so that a file may move.

/// The request, and what was said about its file where it leaves that out.
ModelRequest withRemembered(ModelRequest request);
void rememberMechanism(const QString& fingerprint, const std::string& mechanism);
void rememberHeads(const QString& fingerprint, int heads);

}  // namespace softscope
