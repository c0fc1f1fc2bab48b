#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace softscope {

/// The objects between which a network's attention is; they decide what is advised.
enum class AttendsTo {
  Tokens,
  Channels,  ///< channels, or one vector: there is no matrix over tokens
  Words,
  Sound,    ///< moments of sound
  Nothing,  ///< a network without attention
};

/// A network that Softscope knows and does not open, recognised by parts of its tensors' names:
/// each of `has` occurs in some name, and none of `lacks` in any. `#` stands for a number, `^` for
/// the beginning of a name.
struct OtherNetwork {
  std::string_view name;
  std::vector<std::string_view> has;
  std::vector<std::string_view> lacks = {};
  AttendsTo attendsTo = AttendsTo::Tokens;
  /// True for names that people give to networks of their own as well.
  bool isCommon = false;
  /// Rows of the table `wte`, if they alone tell it from a network of the same names; otherwise 0.
  std::int64_t words = 0;
};

/// Returns the networks that are told to the user by their names. Those whose names include those
/// of others come first.
const std::vector<OtherNetwork>& otherNetworks();

}  // namespace softscope
