#pragma once

#include <QtCore/QString>

namespace softscope {

/// Returns the explanation of a page as rich text, or an error message if its file is missing.
QString pageExplanation(const QString& page);

/// Returns what the page shows and what to look for on it, as plain words to search.
QString pageExplanationWords(const QString& page);

/// Returns the page's title, keys and first sentences, for the tab's tool tip.
QString pageTip(const QString& page, const QString& keys);

}  // namespace softscope
