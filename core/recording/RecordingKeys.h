#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace softscope {

/// Returns true if the part after `LAYER/` describes a layer's attention: `attn`, a factor, a
/// query, a key or the blocks of windows.
bool isAttentionPart(std::string_view part);

/// Returns true if a recording may have an entry with this name, for a layer (`LAYER/q`) or for the
/// whole (`logits`).
bool isRecordingKey(std::string_view name);

/// Returns true if the entry is a list of texts: `classes`, `layers`.
bool isRecordedList(std::string_view name);

/// Lists every part that may follow `LAYER/`, and every name that applies to the whole recording,
/// for error messages.
std::string layerPartsText();
std::string wholeKeysText();

/// Arrays of a layer that softscope dump writes beside its attention, `STEM.PART.npy` beside
/// `STEM.npy`, and that the recording it is read as has by the same names, `LAYER/PART`.
inline constexpr const char* dumpedQueryL1 = "q_l1";
inline constexpr const char* dumpedKeyL1 = "k_l1";
inline constexpr const char* dumpedBlockRows = "rows";
inline constexpr const char* dumpedBlockColumns = "cols";
inline constexpr const char* dumpedBottleneck = "A";
inline constexpr const char* dumpedInverse = "A_inv";

/// Every part of a layer that softscope dump writes beside its attention.
inline constexpr std::array dumpedParts{dumpedQueryL1,      dumpedKeyL1,      dumpedBlockRows,
                                        dumpedBlockColumns, dumpedBottleneck, dumpedInverse};

/// The arrays of a dump beside those of layers, without their ending: [classes] and [tokens,
/// channels].
inline constexpr std::array dumpedOutputs{"logits", "features"};

/// The name of the file in which `softscope dump` describes the layers; it is written last.
inline constexpr const char* dumpedLayers = "layers.json";
/// The most bytes that are read of it: the parsed text takes thirty times as much memory.
inline constexpr std::uint64_t longestDumpedLayers = std::uint64_t{2} << 20;

/// Keys of a layer in that file, of those that a recording is read from.
inline constexpr const char* dumpedNameKey = "name";
inline constexpr const char* dumpedMechanismKey = "mechanism";
inline constexpr const char* dumpedQueryGridKey = "query_grid";
inline constexpr const char* dumpedKeyGridKey = "key_grid";
inline constexpr const char* dumpedPrefixKey = "prefix_tokens";
inline constexpr const char* dumpedPrefixNamesKey = "prefix_names";
inline constexpr const char* dumpedSuffixKey = "suffix_tokens";
inline constexpr const char* dumpedPatchesBeforeKey = "patches_before_prefix";
inline constexpr const char* dumpedLandmarksKey = "landmarks";
inline constexpr const char* dumpedLandmarkGridKey = "landmark_grid";
inline constexpr const char* dumpedMeanOfChannelsKey = "mean_of_channels";
inline constexpr const char* dumpedBesideKey = "beside";
inline constexpr const char* dumpedRowsKey = "rows";
inline constexpr const char* dumpedFileKey = "file";
/// The value of dumpedRowsKey if every row was written.
inline constexpr const char* dumpedAllRows = "all";

/// The file of the logits beside layers.json.
inline constexpr const char* dumpedLogits = "logits.npy";

}  // namespace softscope
