#pragma once

#include "core/attention/ShownMap.h"
#include "core/inspect/Inspection.h"
#include "core/model/ModelSummary.h"
#include "core/query/AttentionValues.h"
#include "core/query/HeadLikeness.h"
#include "core/query/QueryToken.h"

#include <QtCore/QPointF>
#include <QtCore/QString>

#include <vector>

class QFontMetricsF;

namespace softscope {

/// `head 3`, counted from 0 as in code, files and on the command line, or `mean`.
QString headText(int head);

/// A layer's name up to its last number, which tells layers apart: `block1.0` of
/// `block1.0.att.mha.attn`.
QString shortLayerName(const QString& name);

/// What stands beside a panel's title: that its head answers every query alike, by the likeness of
/// all heads where that is known; how far its weights are from even ones (proportionText()), the
/// class token's weight, or what the values are where they are not the picture's patches at the
/// queries' resolution. Empty where there is nothing to say.
QString panelNote(const AttentionDescription& attention, const AttentionValues& values,
                  Direction direction, const std::vector<HeadLikeness>* likeness = nullptr);

/// As many of a note's parts as fit into `width`, the first in fewer words where it is too wide: a
/// part that is cut says little, and less than two thirds of one nothing. Captions say what must
/// not be lost (captionCaveats()).
QString fittingNote(const QString& note, double width, const QFontMetricsF& metrics);

/// `attention`, `convolution`, `effective map (attention + convolution)`, `exact kernel that
/// landmarks stand for`.
QString mapText(ShownMap map);

/// `soft · 2 heads · 40 × 40 patches · 49 landmarks`; `note` follows the mechanism in brackets, and
/// after a comma what is shown where that is not its attention.
QString layerText(const AttentionDescription& attention, const QString& note = {},
                  ShownMap map = ShownMap::Attention);

/// What a matrix' rows (for Direction::Columns its columns) are: `queries: class token, 14 × 14
/// patches`, `channels of K`.
QString sideText(const AttentionDescription& attention, Direction direction);

/// `what patch (12, 7) attends to`, `who attends to patch (12, 7)`; of other maps than attention
/// `what patch (12, 7) takes in`, `who takes in patch (12, 7)`; of an exact kernel `what patch
/// (12, 7) is like`, `what is like patch (12, 7)`.
QString questionText(const AttentionDescription& attention, Direction direction, int token,
                     ShownMap map = ShownMap::Attention);

/// The class's name, or `class 281` where nothing names it.
QString className(const ModelSummary& summary, int classIndex);

/// `tabby 87.3 %`.
QString predictionText(const ModelSummary& summary, const Prediction& prediction);

/// A query in fractions of the part of the picture that the network saw.
QPointF placeInRegion(const PictureExtent& extent, const PictureQuery& query);

}  // namespace softscope
