#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/HostileFiles.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gmock/gmock.h>
#include <zip.h>

#include <functional>

namespace softscope {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::int64_t absurdSize = std::int64_t{1} << 60;
const std::string twoFloats("\x00\x00\x80\x3f\x00\x00\x00\x40", 8);

struct BrokenFile {
  std::string name;
  std::function<std::string()> bytes;
  std::string phrase;
};

void PrintTo(const BrokenFile& file, std::ostream* stream) {
  *stream << file.name;
}

std::string truncated(const std::string& name, double fraction) {
  const std::string bytes = contentOf(fixture(name));
  return bytes.substr(0, static_cast<std::size_t>(fraction * static_cast<double>(bytes.size())));
}

std::string replaced(std::string bytes, const std::string& from, const std::string& to) {
  std::size_t position = bytes.find(from);
  if (position == std::string::npos) throw std::runtime_error("nothing to replace");
  for (; position != std::string::npos; position = bytes.find(from, position + to.size())) {
    bytes.replace(position, from.size(), to);
  }
  return bytes;
}

/// Sets a 16-bit field of every local header and directory entry.
std::string withZipField(std::string bytes, std::size_t localOffset, char value) {
  for (const auto& [signature, offset] :
       {std::pair("PK\x03\x04"s, localOffset), std::pair("PK\x01\x02"s, localOffset + 2)}) {
    for (std::size_t at = bytes.find(signature); at != std::string::npos;
         at = bytes.find(signature, at + 4)) {
      bytes[at + offset] = value;
    }
  }
  return bytes;
}

/// A checkpoint whose storage is `size` zeros, deflated: a thousandth of what it unpacks to.
std::string deflatedZeros(std::size_t size) {
  const TemporaryFolder folder;
  const std::string path = folder.file("bomb.pth");
  TensorClaim claim;
  claim.sizes = {static_cast<std::int64_t>(size / 4)};
  claim.storageCount = claim.sizes[0];
  const std::string pickle = pickleOf(claim);
  const std::string zeros(size, '\0');
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE, nullptr);
  for (const auto& [name, content] :
       {std::pair("archive/data.pkl", &pickle), std::pair("archive/data/0", &zeros)}) {
    zip_source_t* source = zip_source_buffer(archive, content->data(), content->size(), 0);
    zip_set_file_compression(archive, zip_file_add(archive, name, source, 0), ZIP_CM_DEFLATE, 1);
  }
  zip_close(archive);
  return contentOf(path);
}

std::string zipWithSizes(std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides) {
  TensorClaim claim;
  claim.sizes = std::move(sizes);
  claim.strides = std::move(strides);
  return zipCheckpoint(claim, twoFloats);
}

std::string zipWithPickle(const std::string& pickle) {
  return zipOf(checkpointEntries(pickle, twoFloats));
}

/// The pickle of `{'a': tensor}` with the metadata that PyTorch stores of lazy views.
std::string pickleWithMetadata(const std::string& bit, bool isSet) {
  return replaced(pickleOf({}), ")RtR",
                  ")R}" + pickledText(bit) + (isSet ? "\x88" : "\x89") + "stR");
}

/// A pickle whose storage is named as protocol 0 does: by a line of text.
std::string inProtocolZero(const std::string& pickle) {
  const std::size_t begin = pickle.find("(" + pickledText("storage"));
  const std::size_t end = pickle.find("tQ", begin);
  if (end == std::string::npos) throw std::runtime_error("no storage to name");
  return pickle.substr(0, begin) + "P('storage', <class 'torch.FloatStorage'>, '0', 'cpu', 2)\n" +
         pickle.substr(end + 2);
}

std::vector<BrokenFile> foreignFiles() {
  return {
      {"Empty", [] { return ""s; }, "is empty"},
      {"OneByte", [] { return "\x80"s; }, "truncated"},
      {"Jpeg", [] { return "\xff\xd8\xff\xe0\x00\x10JFIF"s; }, "JPEG picture"},
      {"Png", [] { return "\x89PNG\r\n\x1a\n0000"s; }, "PNG picture"},
      {"Text", [] { return "just some words\n"s; }, "text file"},
      {"WebPage", [] { return "\n <!DOCTYPE html><html><body>404</body></html>"s; }, "web page"},
      {"Keras",
       [] {
         return zipOf({{"config.json", "{}"}, {"model.weights.h5", "x"}});
       },
       "is a Keras model"},
      {"Compiled",
       [] {
         return zipOf({{"a/archive_format", "pt2"}, {"a/data/aotinductor/model/x.so", "x"}});
       },
       "AOTInductor"},
      {"ZipAroundLightnings",
       [] {
         return zipOf({{"run/best.ckpt", "x"}});
       },
       "unpack it"},
      {"LfsPointer",
       [] { return "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"s; },
       "git lfs pull"},
      {"Gzip", [] { return "\x1f\x8b\x08\x00\x00\x00"s; }, "gzip"},
      {"Tar", [] { return std::string(257, '\0') + "ustar\0"s + std::string(300, '\0'); },
       "tar archive"},
      {"Noise", [] { return "\x01\x02\x03\xfe\xfd\xfc\x00\x11\x22\x33"s; }, "not a checkpoint"},
      {"Zeros", [] { return std::string(4096, '\0'); }, "not a checkpoint"},
      {"PlainPickle", [] { return contentOf(fixture("plain.pkl")); }, "not one that torch.save"},
      {"NumpyArchive",
       [] {
         return zipOf({{"a.npy", "x"}});
       },
       "NumPy .npz"},
      {"ZipAroundACheckpoint",
       [] {
         return zipOf({{"soft.pth", "x"}});
       },
       "unpack it"},
      {"StorageTwice",
       [] {
         ZipEntries entries = checkpointEntries(pickleOf({}), twoFloats);
         entries.emplace_back("archive/data/0", std::string(8, '\1'));
         return zipOf(entries);
       },
       "two files called 'archive/data/0'"},
      {"TwoCheckpointsInOneArchive",
       [] {
         ZipEntries entries = checkpointEntries(pickleOf({}), twoFloats);
         entries.emplace_back("other/data.pkl", pickleOf({}));
         return zipOf(entries);
       },
       "of several checkpoints ('archive/data.pkl', 'other/data.pkl')"},
      {"OtherZip",
       [] {
         return zipOf({{"word/document.xml", "x"}});
       },
       "without data.pkl"},
      {"TorchScript", [] { return contentOf(fixture("torchscript.pt")); }, "TorchScript"},
      {"SingleTensor", [] { return contentOf(fixture("single_tensor.pth")); }, "single tensor"},
      {"NoWeights", [] { return contentOf(fixture("no_weights.pth")); }, "'epoch', 'names'"},
      {"Quantised", [] { return contentOf(fixture("quantised.pth")); }, "tensor 'a' is of a kind"},
      {"Sparse", [] { return contentOf(fixture("sparse.pth")); }, "_rebuild_sparse_tensor"},
      {"Complex", [] { return contentOf(fixture("complex.pth")); },
       "('torch.ComplexFloatStorage'); leave that tensor out"},
      {"Float8", [] { return contentOf(fixture("float8.pth")); },
       "float8_e4m3fn'); convert them to float32"},
  };
}

std::vector<BrokenFile> brokenZips() {
  return {
      {"ZipCutInHalf", [] { return truncated("types.pth", 0.5); }, "truncated or damaged zip"},
      {"ZipCutAtItsEnd", [] { return truncated("types.pth", 0.99); }, "truncated or damaged zip"},
      {"ZipWithOtherBytes",
       [] { return replaced(zipCheckpoint({}, twoFloats), twoFloats, "\x00\x00\x80\x3f????"s); },
       "checksum does not match"},
      {"ZipEncrypted", [] { return withZipField(zipCheckpoint({}, twoFloats), 6, 1); },
       "encrypted zip entry"},
      {"ZipMethod", [] { return withZipField(zipCheckpoint({}, twoFloats), 8, 14); },
       "otherwise than with deflate"},
      {"ZipBomb", [] { return deflatedZeros(std::size_t{400} << 20); }, "far more than its own"},
      {"ZipBigEndian",
       [] {
         ZipEntries entries = checkpointEntries(pickleOf({}), twoFloats);
         entries[1].second = "big";
         return zipOf(entries);
       },
       "big-endian"},
      {"ZipByteOrder",
       [] {
         ZipEntries entries = checkpointEntries(pickleOf({}), twoFloats);
         entries[1].second = "middle";
         return zipOf(entries);
       },
       "byte order"},
      {"ZipWithoutStorage",
       [] {
         TensorClaim claim;
         claim.storageKey = "../../etc/passwd";
         return zipCheckpoint(claim, twoFloats);
       },
       "lacks 'data/../../etc/passwd'"},
      {"ZipShortStorage", [] { return zipCheckpoint({}, twoFloats.substr(0, 7)); }, "too short"},
      {"ZipEmptyPickle", [] { return zipWithPickle(""); }, "truncated"},
      {"ZipDamagedPickle", [] { return zipWithPickle("\x80\x02}\xee."); }, "unknown instruction"},
  };
}

std::vector<BrokenFile> brokenClaims() {
  return {
      {"AbsurdSize", [] { return zipWithSizes({absurdSize}, {1}); }, "claims more elements"},
      {"AbsurdStorage",
       [] {
         TensorClaim claim;
         claim.sizes = {absurdSize};
         claim.storageCount = absurdSize;
         return zipCheckpoint(claim, twoFloats);
       },
       "too short"},
      {"OverflowingSize",
       [] {
         return zipWithSizes({absurdSize, absurdSize, 4}, {1, 1, 1});
       },
       "claims more elements"},
      {"AbsurdSizeBesideZero",
       [] {
         return zipWithSizes({0, absurdSize, absurdSize}, {1, 1, 1});
       },
       "claims more elements"},
      {"Repeated", [] { return zipWithSizes({std::int64_t{1} << 40}, {0}); },
       "is one row repeated to more than 16 MB (expand()); save tensor.contiguous()"},
      {"RepeatedBeyondItsStorage",
       [] {
         return zipWithSizes({4, absurdSize}, {0, 1});
       },
       "claims more elements"},
      {"NegativeSize", [] { return zipWithSizes({-2}, {1}); }, "size is negative"},
      {"NegativeStride", [] { return zipWithSizes({2}, {-1}); }, "stride is negative"},
      {"AbsurdStride", [] { return zipWithSizes({2}, {absurdSize}); }, "beyond the end"},
      {"NegativeOffset",
       [] {
         TensorClaim claim;
         claim.offset = -1;
         return zipCheckpoint(claim, twoFloats);
       },
       "offset is negative"},
      {"OffsetBeyondStorage",
       [] {
         TensorClaim claim;
         claim.offset = 1;
         return zipCheckpoint(claim, twoFloats);
       },
       "beyond the end"},
      {"SizesWithoutStrides", [] { return zipWithSizes({2}, {}); }, "sizes and strides differ"},
      {"TooManyDimensions",
       [] {
         return zipWithSizes(std::vector<std::int64_t>(65, 1), std::vector<std::int64_t>(65, 1));
       },
       "64 dimensions"},
      {"UnknownStorage",
       [] {
         TensorClaim claim;
         claim.storageClass = "EvilStorage";
         return zipCheckpoint(claim, twoFloats);
       },
       "unsupported type"},
      {"NameNotText",
       [] { return zipWithPickle(replaced(pickleOf({}), pickledText("a"), pickledText("\xff"))); },
       "not valid text"},
      {"TensorWithoutArguments",
       [] {
         return zipWithPickle("\x80\x02}" + pickledText("a") +
                              "ctorch._utils\n_rebuild_tensor_v2\n)Rs.");
       },
       "lacks an argument"},
      {"ProtocolZero", [] { return zipWithPickle(inProtocolZero(pickleOf({}))); },
       "pickle protocol 0, which cannot hold tensors; save it again with pickle_protocol=2"},
      {"NumpyArrays",
       [] {
         return zipWithPickle("\x80\x02}" + pickledText("a") +
                              "cnumpy.core.multiarray\n_reconstruct\n)Rs.");
       },
       "torch.from_numpy(array)"},
      {"NamesOfBytes",
       [] {
         return zipWithPickle(replaced(pickleOf({}), pickledText("a"),
                                       "c_codecs\nencode\n(" + pickledText("a") + "tR"));
       },
       "name.decode()"},
      {"TensorWithoutStorage",
       [] {
         return zipWithPickle("\x80\x02}" + pickledText("a") +
                              "ctorch._utils\n_rebuild_tensor_v2\n(NNNNtRs.");
       },
       "has no storage"},
      {"Negated", [] { return zipWithPickle(pickleWithMetadata("neg", true)); },
       "tensor 'a' is stored as the negative of its numbers; save tensor.resolve_neg()"},
      {"NegatedInTheOlderFormat",
       [] { return legacyCheckpoint(pickleWithMetadata("neg", true), 2, twoFloats); },
       "resolve_neg()"},
      {"NegatedOfATypeOfItsOwn",
       [] {
         return zipWithPickle(replaced(
             replaced(pickleWithMetadata("neg", true), "_rebuild_tensor_v2", "_rebuild_tensor_v3"),
             ")R}", ")Rctorch\nfloat32\n}"));
       },
       "resolve_neg()"},
      {"Conjugated", [] { return zipWithPickle(pickleWithMetadata("conj", true)); },
       "resolve_conj()"},
      {"DeepNesting",
       [] {
         const int levels = 200'000;
         return zipWithPickle("\x80\x02" + std::string(levels, ']') + std::string(levels, 'a') +
                              ".");
       },
       "1000 deep"},
      {"SystemCall",
       [] {
         return zipWithPickle(
             "\x80\x02"
             "cposix\nsystem\n" +
             pickledText("true") + "\x85R.");
       },
       "'posix.system', whose code is not run"},
  };
}

std::vector<BrokenFile> brokenLegacyFiles() {
  return {
      {"LegacyCutInPickle", [] { return truncated("types_legacy.pth", 0.3); }, "truncated"},
      {"LegacyCutInStorages", [] { return truncated("types_legacy.pth", 0.98); }, "truncated"},
      {"LegacyBigEndian", [] { return legacyCheckpoint(pickleOf({}), 2, twoFloats, false); },
       "big-endian"},
      {"LegacyAbsurdStorage",
       [] { return legacyCheckpoint(pickleOf({}), std::uint64_t{1} << 62, twoFloats); },
       "ends beyond the file"},
      {"LegacyShortStorage",
       [] { return legacyCheckpoint(pickleOf({}), 1, twoFloats.substr(0, 4)); }, "too short"},
      {"LegacyOtherKey",
       [] {
         TensorClaim claim;
         claim.storageKey = "1";
         return legacyCheckpoint(pickleOf(claim), 2, twoFloats);
       },
       "no tensor has"},
      {"LegacyProtocolZero",
       [] { return legacyCheckpoint(inProtocolZero(pickleOf({})), 2, twoFloats); },
       "pickle protocol 0"},
      {"LegacyVersion",
       [] {
         return replaced(legacyCheckpoint(pickleOf({}), 2, twoFloats), "M\xe9\x03.", "M\xea\x03.");
       },
       "unknown version"},
  };
}

std::vector<BrokenFile> brokenSafetensors() {
  const auto entry = [](const std::string& name, const std::string& type, const std::string& shape,
                        const std::string& offsets) {
    return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":[" + shape +
           "],\"data_offsets\":[" + offsets + "]}";
  };
  const auto file = [](const std::string& entries) {
    return [entries] { return safetensorsOf("{" + entries + "}", std::string(8, '\0')); };
  };
  return {
      {"HeaderBeyondFile", [] { return littleEndianBytes(5000, 8) + "{}"; }, "ends beyond"},
      {"AbsurdHeader", [] { return littleEndianBytes(absurdSize, 8) + "{}"; }, "ends beyond"},
      {"NotJson", file("\"a\""), "not valid JSON"},
      {"NotAnObject", [] { return safetensorsOf("{}", "").replace(0, 8, littleEndianBytes(1, 8)); },
       "not valid JSON"},
      {"DuplicateName", file(entry("a", "F32", "1", "0,4") + "," + entry("a", "F32", "1", "4,8")),
       "names 'a' twice"},
      {"DeepEntry", file("\"a\":" + std::string(5000, '[') + std::string(5000, ']')),
       "is not described"},
      {"DeepShape",
       file("\"a\":{\"shape\":" + std::string(5000, '[') + std::string(5000, ']') + "}"),
       "too deep"},
      {"DeepField", file("\"a\":{\"more\":{\"b\":{}}}"), "too deep"},
      {"TensorOfText", file("\"a\":\"F32\""), "is not described"},
      {"ShapeOfText", file("\"a\":{\"dtype\":\"F32\",\"shape\":[1,\"1\"],\"data_offsets\":[0,4]}"),
       "'shape'"},
      {"ShapeBesideMetadata", file("\"__metadata__\":[\"shape\"]"), "map of strings"},
      {"TrailingText", [] { return safetensorsOf("{} {}", ""); }, "not valid JSON"},
      {"ComplexType", file(entry("a", "C64", "1", "0,8")), "leave that tensor out"},
      {"UnsignedType", file(entry("a", "U16", "4", "0,8")), "or convert it to int64"},
      {"UnknownType", file(entry("a", "F8_E4M3", "8", "0,8")), "unsupported type ('F8_E4M3')"},
      {"ShapeMismatch", file(entry("a", "F32", "3", "0,8")), "does not match"},
      {"NegativeShape", file(entry("a", "F32", "-2", "0,8")), "'shape'"},
      {"AbsurdShape", file(entry("a", "F32", "4611686018427387904,4", "0,8")), "more elements"},
      {"FractionalOffset", file(entry("a", "F32", "2", "0,8.5")), "'data_offsets'"},
      {"MissingOffset", file(entry("a", "F32", "2", "8")), "'data_offsets'"},
      {"BackwardOffsets", file(entry("a", "F32", "2", "8,0")), "does not match"},
      {"TensorBeyondFile", file(entry("a", "F32", "4", "0,16")), "ends beyond the file"},
      {"Overlap", file(entry("a", "F32", "2", "0,8") + "," + entry("b", "F32", "1", "4,8")),
       "'b' overlaps"},
      {"Hole", file(entry("a", "F32", "1", "4,8")), "hole before the tensor 'a'"},
      {"UnusedEnd", file(entry("a", "F32", "1", "0,4")), "belong to no tensor"},
      {"NoDescription", file("\"a\":7"), "is not described"},
      {"MetadataNotText", file("\"__metadata__\":{\"a\":7}"), "map of strings"},
      {"SafetensorsCut", [] { return truncated("types.safetensors", 0.9); }, "truncated"},
  };
}

std::vector<BrokenFile> allBrokenFiles() {
  std::vector<BrokenFile> all;
  for (const auto& files :
       {foreignFiles(), brokenZips(), brokenClaims(), brokenLegacyFiles(), brokenSafetensors()}) {
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

std::string checkpointRefusal(const std::string& path) {
  return test::messageOf<CheckpointError>([&] { readCheckpoint(path); });
}

class BrokenCheckpoint : public testing::TestWithParam<BrokenFile> {};

TEST_P(BrokenCheckpoint, GivesOneClearLine) {
  const TemporaryFolder folder;
  const std::string path = folder.file("broken.pth");
  writeBytes(path, GetParam().bytes());
  const std::string message = checkpointRefusal(path);
  EXPECT_THAT(message, StartsWith(path + ": "));
  EXPECT_THAT(message, HasSubstr(GetParam().phrase));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
}

INSTANTIATE_TEST_SUITE_P(Kinds, BrokenCheckpoint, testing::ValuesIn(allBrokenFiles()),
                         [](const auto& test) { return test.param.name; });

TEST(HostileCheckpoint, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(checkpointRefusal(folder.path()),
            folder.path() +
                ": is a folder without a checkpoint in it; give the file, or a folder with "
                "model.safetensors");
  EXPECT_EQ(checkpointRefusal(folder.file("missing.pth")),
            folder.file("missing.pth") + ": no such file");
  EXPECT_EQ(checkpointRefusal("/dev/zero"), "/dev/zero: is not a regular file");
}

// The builders above must make files that are sound but for the one thing each case breaks.
TEST(HostileCheckpoint, SoundFilesOfTheSameMakeAreRead) {
  const TemporaryFolder folder;
  const std::string path = folder.file("sound");
  for (const std::string& bytes :
       {zipCheckpoint({}, twoFloats), zipWithPickle(pickleWithMetadata("neg", false)),
        legacyCheckpoint(pickleOf({}), 2, twoFloats), deflatedZeros(std::size_t{2} << 20),
        safetensorsOf(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", twoFloats)}) {
    writeBytes(path, bytes);
    EXPECT_EQ(checkpointRefusal(path), "");
  }
}

TEST(HostileCheckpoint, ManyViewsOfOneStorageShareItsMemory) {
  const std::int64_t count = 1 << 20;
  TensorClaim claim;
  claim.sizes = {count};
  claim.storageCount = count;
  const std::string one = pickleOf(claim);
  const std::string entry = one.substr(3, one.size() - 4);
  std::string pickle = "\x80\x02}";
  for (int index = 0; index < 3000; ++index) {
    pickle += replaced(entry, pickledText("a"), pickledText("a" + std::to_string(index)));
  }
  const TemporaryFolder folder;
  const std::string path = folder.file("views.pth");
  writeBytes(path, zipOf(checkpointEntries(pickle + ".", std::string(4 * count, '\0'))));
  const Checkpoint checkpoint = readCheckpoint(path);
  ASSERT_EQ(checkpoint.state.size(), 3000u);
  EXPECT_EQ(checkpoint.state.find("a0")->data_ptr(), checkpoint.state.find("a2999")->data_ptr());
}

TEST(HostileCheckpoint, ManyTransposedViewsAreRefused) {
  const std::int64_t side = 1 << 10;
  TensorClaim claim;
  claim.sizes = {side, side};
  claim.strides = {1, side};
  claim.storageCount = side * side;
  const std::string one = pickleOf(claim);
  const std::string entry = one.substr(3, one.size() - 4);
  std::string pickle = "\x80\x02}";
  for (int index = 0; index < 100; ++index) {
    pickle += replaced(entry, pickledText("a"), pickledText("a" + std::to_string(index)));
  }
  const TemporaryFolder folder;
  const std::string path = folder.file("views.pth");
  writeBytes(path, zipOf(checkpointEntries(pickle + ".", std::string(4 * side * side, '\0'))));
  EXPECT_THAT(checkpointRefusal(path), HasSubstr("far more than the file holds"));
}

}  // namespace
}  // namespace softscope
