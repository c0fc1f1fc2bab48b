#pragma once

// QCustomPlot's header is written in Qt's keywords, which we switch off because LibTorch uses one
// of them as a name.
#define signals Q_SIGNALS
#define slots Q_SLOTS
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef foreach
