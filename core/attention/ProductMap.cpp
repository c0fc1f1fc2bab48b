#include "core/attention/ProductMap.h"

#include "core/Error.h"

#include <string>

namespace softscope {

Matrix ProductMap::block(int head, int firstRow, int firstColumn, int rows, int columns) const {
  checkBlock(head, firstRow, firstColumn, rows, columns);
  Matrix values(rows, columns);
  for (int i = 0; i < rows; ++i) {
    values.row(i) = row(head, firstRow + i).segment(firstColumn, columns).transpose();
  }
  return values;
}

AttentionDescription ChannelMeanMap::withChannels(AttentionDescription description, int channels) {
  description.meanOfChannels = channels > 1 ? channels : 0;
  return description;
}

AttentionDescription ChannelMeanMap::ofOneChannel(int channel) const {
  AttentionDescription one = description();
  // The only channel of a map of one is the one that it was taken for.
  if (channels() > 1) one.channel = ChosenChannel{channel, channels()};
  return one;
}

void ChannelMeanMap::checkChannel(int channel) const {
  if (channel >= 0 && channel < channels()) return;
  throw InspectionError("channel " + std::to_string(channel) + " is outside 0 to " +
                        std::to_string(channels() - 1));
}

}  // namespace softscope
