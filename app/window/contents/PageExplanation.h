#pragma once

#include <QtCore/QString>

namespace softscope {

/// What a page shows, as rich text; why it cannot be told, where its text is not there.
QString pageExplanation(const QString& page);

/// Its title, keys and first sentences, for the tab.
QString pageTip(const QString& page, const QString& keys);

}  // namespace softscope
