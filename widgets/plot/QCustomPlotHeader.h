#pragma once

// QCustomPlot's header uses Qt's keywords, which are disabled in this project because LibTorch uses
// one of them as a name.
#define signals Q_SIGNALS
#define slots Q_SLOTS
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef foreach
