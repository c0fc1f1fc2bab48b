#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "tests/models/Golden.h"
#include "tests/models/UnpackedArchive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace softscope {
namespace {

const test::UnpackedArchive& unpackedLibraries() {
  static const test::UnpackedArchive archive("libraries.zip");
  return archive;
}

struct LibraryCase {
  const char* name;
  const char* family;
  /// Settings that neither the file nor those beside it tell.
  std::vector<std::string> guesses = {};
};

void PrintTo(const LibraryCase& one, std::ostream* out) {
  *out << one.name;
}

/// Every case of the archive.
const std::vector<LibraryCase>& libraryCases() {
  // Their periods are stored as bfloat16, and were computed with as float32.
  static const std::vector<std::string> fbDinov3Guesses{
      "epsilon", "pos_embed_rope_normalize_coords", "pos_embed_rope_dtype"};
  static const std::vector<LibraryCase> cases{
      {"fb_dinov3", "dinov3", fbDinov3Guesses},
      {"fb_dinov3_swiglu", "dinov3", fbDinov3Guesses},
      {"hf_clip", "clip"},
      {"hf_clip_classifier", "clip"},
      {"hf_clip_projection", "clip"},
      {"hf_clip_vision", "clip"},
      {"hf_cvt_heads", "cvt"},
      {"hf_dinov3", "dinov3"},
      {"hf_dinov3_gated", "dinov3"},
      {"hf_dinov3_gated_gelu", "dinov3"},
      {"hf_dinov3_no_registers", "dinov3"},
      {"hf_mobilevit", "mobilevit"},
      {"hf_pvt_v2", "pvt_v2"},
      {"hf_pvt_v2_li", "pvt_v2"},
      {"hf_pvt_v2_relu", "pvt_v2"},
      {"hf_siglip", "siglip"},
      {"hf_siglip2_naflex", "siglip"},
      {"hf_siglip_classifier", "siglip"},
      {"hf_siglip_vision", "siglip"},
      {"hf_vit_mae", "vit"},
      {"hf_vit_msn", "vit"},
      {"hf_vit_msn_mixed", "vit"},
      {"openai_clip", "clip"},
      {"openclip", "clip"},
      {"openclip_clipa", "clip"},
      {"openclip_layer_scale", "clip"},
      {"timm_beit", "beit"},
      {"timm_beit_shared", "beit"},
      {"timm_beit_swiglu", "beit"},
      {"timm_cait", "cait"},
      {"timm_convit", "convit"},
      {"timm_deit3", "vit"},
      {"timm_dinov3", "dinov3"},
      {"timm_dinov3_plus_qkvb", "dinov3"},
      {"timm_eva", "eva"},
      {"timm_eva02", "eva"},
      {"timm_eva02_backbone", "eva"},
      {"timm_eva02_clip", "eva"},
      {"timm_eva02_subln", "eva"},
      {"timm_lingbot", "dinov3"},
      {"timm_map_prefix", "vit"},
      {"timm_pvt_v2", "pvt_v2"},
      {"timm_pvt_v2_li", "pvt_v2"},
      {"timm_scale_norms", "vit"},
      {"timm_siglip", "vit"},
      {"timm_siglip_tanh", "vit"},
      {"timm_xcit", "xcit"},
      {"timm_xcit_nano", "xcit"},
      {"tv_vit", "vit", {"heads"}},
  };
  return cases;
}

/// Parity with transformers, timm, torchvision, open_clip and Facebook's DINOv3, on a picture of
/// the trained size and on another.
class GoldenLibrariesTest : public ::testing::TestWithParam<LibraryCase> {
 protected:
  static std::string path() { return unpackedLibraries().folder(GetParam().name); }
};

TEST_P(GoldenLibrariesTest, OutputAndEveryRowOfEveryLayer) {
  expectParity(Golden(path()));
}

TEST_P(GoldenLibrariesTest, OtherSize) {
  if (!std::filesystem::exists(path() + "/other_size")) {
    GTEST_SKIP() << "the published code computes one size";
  }
  expectParity(Golden(path() + "/other_size"));
}

TEST_P(GoldenLibrariesTest, ColumnsAndBlocksAreThoseOfRows) {
  const Golden golden(path());
  ASSERT_FALSE(golden.inspection->layers.empty());
  for (const LayerInspection& layer : golden.inspection->layers) {
    const AttentionMap& map = *layer.attention;
    const int queries = map.description().queries;
    const int keys = map.description().keys;
    for (int head = 0; head < map.description().heads; ++head) {
      const Matrix whole = map.block(head, 0, 0, queries, keys);
      for (const int key : {0, keys / 2, keys - 1}) {
        EXPECT_LT((map.column(head, key) - whole.col(key)).cwiseAbs().maxCoeff(), 1e-5)
            << layer.name;
      }
      EXPECT_EQ((map.row(head, queries - 1) - whole.row(queries - 1).transpose()).norm(), 0)
          << layer.name;
    }
  }
}

TEST_P(GoldenLibrariesTest, SaysWhatItIsAndGuessesOnlyWhatNothingTells) {
  expectSummary(Golden(path()), GetParam().family, GetParam().guesses);
}

std::string libraryCaseName(const ::testing::TestParamInfo<LibraryCase>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Libraries, GoldenLibrariesTest, ::testing::ValuesIn(libraryCases()),
                         libraryCaseName);

TEST(GoldenLibraries, HaveEveryCase) {
  std::vector<std::string> listed;
  for (const LibraryCase& one : libraryCases()) listed.emplace_back(one.name);
  const std::set<std::string>& found = unpackedLibraries().cases();
  EXPECT_EQ(std::vector<std::string>(found.begin(), found.end()), listed);
}

}  // namespace
}  // namespace softscope
