#include "models/identify/OtherNetworks.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace softscope {

namespace {

enum class Looks { Attention, None };

/// A network recognised by parts of names: each of `has` occurs in some name, and none of `lacks`
/// in any. `#` stands for a number, `^` for the beginning of a name.
struct OtherNetwork {
  std::string_view name;
  std::vector<std::string_view> has;
  std::vector<std::string_view> lacks = {};
  Looks looks = Looks::Attention;
  /// True for names that people give to networks of their own as well.
  bool isCommon = false;
};

constexpr bool commonNames = true;

/// Networks whose names include those of others come first.
const std::vector<OtherNetwork>& otherNetworks() {
  static const std::vector<OtherNetwork> all{
      // Networks with windows.
      {"a relative of Swin Transformer V2", {"continuous_position_bias_mlp."}},
      {"a relative of Swin Transformer V2", {".attn.cpb_mlp."}},
      {"timm's own Swin Transformer V2 (swinv2_cr)", {".attn.meta_mlp."}},
      {"MaxViT", {".attn_grid."}},
      {"MaxViT", {".partition_attention."}},
      {"GC ViT", {".global_block."}},
      {"CoAtNet", {".attn.rel_pos.", ".conv2_kxk."}},
      {"BEiT or Data2Vec", {"encoder.layer.#.lambda_1", "attention.attention.query."}},
      {"BEiT or Data2Vec", {"layer.#.lambda_1", "attention.q_proj."}, {"projection_layer."}},
      {"a relative of Swin Transformer", {"layers.#.blocks.#.", "relative_position_bias_table"}},
      {"a relative of Swin Transformer", {"features.#.#.attn.relative_position_bias_table"}},
      {"MViT", {".attn.pool_q."}},
      {"MViT", {".attn.norm_pool_q."}},
      {"Segment Anything's image encoder", {"neck.", "rel_pos_h"}},
      {"ViTDet", {".attn.rel_pos_h"}},
      {"ViTDet", {"encoder.layer.#.attention.qkv.", "embeddings.projection."}},
      {"Hiera", {"blocks.#.proj.", "blocks.#.attn.qkv."}, {}, Looks::Attention, commonNames},
      {"Hiera", {"^pos_embed_win"}},
      {"Hiera", {"stages.#.layers.#.attn.qkv.", "layernorm_before."}},
      // Pyramids.
      {"SegFormer", {"attention.self.sr."}},
      {"PVT", {"attention.self.sequence_reduction."}},
      {"Twins", {"pos_block.#.proj."}},
      {"PVT", {"block#.#.attn.sr."}},
      {"TinyViT", {"attention_biases", "local_conv."}},
      {"EfficientFormer V2", {"talking_head#."}},
      {"EfficientFormer", {"token_mixer.attention_biases"}},
      {"EfficientViT of Microsoft", {".attn.dws.", "attention_biases"}},
      {"LeViT", {"attention_biases"}},
      {"CoaT", {"serial_blocks"}},
      {"CrossViT", {"blocks.#.fusion.#."}},
      {"CrossViT", {"multi_scale_encoder."}},
      {"PiT", {"transformers.#.blocks.#.", "transformers.#.pool."}},
      {"NesT", {"levels.#.transformer_encoder."}},
      {"Visformer", {"stage#.#.attn.qkv.", "patch_embed#."}, {}, Looks::Attention, commonNames},
      {"DaViT", {"blocks.#.#.cpe#."}},
      {"EdgeNeXt", {".xca."}},
      {"Next-ViT", {".mhca."}},
      {"MobileViTv2", {".attn.qkv_proj.", ".mlp.fc1."}, {"blocks."}, Looks::Attention, commonNames},
      {"MobileViTv2", {"attention.qkv_proj."}},
      {"MobileViT", {"stages.#.#.transformer.#.attn.qkv."}},
      {"CAFormer", {"token_mixer.qkv.", "res_scale#."}},
      {"BoTNet or HaloNet", {"self_attn.pos_embed."}},
      {"LambdaNet", {"conv_lambda"}},
      {"FastViT", {"token_mixer.qkv."}},
      {"VOLO", {"network.#.#.attn.v."}},
      {"TNT", {"blocks.#.attn_in."}},
      // Relatives of the plain vision transformer.
      {"CaiT under other names", {"mix_heads_pre_attn"}},
      {"DeepViT", {"reattn_weights"}},
      {"DeepViT", {"reatten_matrix"}},
      {"CCT", {"classifier.attention_pool.", "tokenizer.conv_layers."}},
      {"EVA-02 under its authors' names", {"blocks.#.attn.q_proj.", ".attn.inner_attn_ln."}},
      {"a vision transformer with rotary positions", {"blocks.#.gamma_1"}, {"gamma_3"}},
      {"a vision transformer with rotary positions", {"rope.freqs"}},
      {"a vision transformer with differential attention", {"lambda_q1"}},
      {"a vision transformer whose attention and mlp run side by side",
       {"blocks.#.in_proj."},
       {},
       Looks::Attention,
       commonNames},
      {"a vision transformer with relative positions", {".attn.rel_pos."}},
      {"a vision transformer with relative positions", {"shared_rel_pos."}},
      {"AIMv2", {".mlp.fc1_g.", "patch_embed.norm."}},
      {"AIMv2", {"embeddings.rms_norm.", ".ffn.gate_proj."}},
      {"a vision transformer behind a convolutional network", {"patch_embed.backbone."}},
      {"NaFlexViT", {"embeds.proj."}, {}, Looks::Attention, commonNames},
      {"Perception Encoder", {"^norm_pre.", "^attn_pool."}},
      {"Perception Encoder", {"^norm_pre."}, {"^norm.", "^fc_norm."}},
      {"YOLOS", {"embeddings.detection_tokens"}},
      {"ViLT", {"embeddings.text_embeddings."}},
      {"TimeSformer", {"time_embeddings"}},
      {"VideoMAE", {"attention.attention.q_bias"}},
      {"V-JEPA", {"encoder.layer.#.attention.proj.", "predictor."}},
      {"ImageGPT", {".attn.c_attn.", "^wte."}, {}, Looks::Attention, commonNames},
      {"GroupViT", {"downsample.assign."}},
      {"InternViT under Hugging Face's names", {"attention.projection_layer.", "lambda_1"}},
      {"X-CLIP", {".message_attn."}},
      {"CLIP's ResNet", {"attnpool.", "layer1.0.conv1."}},
      {"the network for texts of CLIP", {"^transformer.resblocks.", "token_embedding."}},
      {"BLIP", {"embeddings.class_embedding", "self_attn.qkv."}},
      {"Pixtral's image encoder",
       {"patch_conv.", "transformer.layers.#.attention."},
       {},
       Looks::Attention,
       commonNames},
      {"DETR", {"conv_encoder."}},
      {"DETR", {"class_embed.", "bbox_embed."}},
      {"a state-space network of Mamba's kind", {".mixer.A_log"}},
      // Networks without attention.
      {"FocalNet", {".modulation."}, {}, Looks::None},
      {"gMLP", {"mlp_channels.gate."}, {}, Looks::None},
      {"MLP-Mixer", {"mlp_tokens.", "mlp_channels."}, {}, Looks::None},
      {"ResMLP", {"linear_tokens."}, {}, Looks::None},
      {"Sequencer", {"rnn_tokens."}, {}, Looks::None},
      {"ConvNeXt",
       {".conv_dw.", ".mlp.fc1.", "stem.#."},
       {"attn", "qkv", "xca", "token_mixer."},
       Looks::None},
      {"ConvNeXt", {"dwconv.", "pwconv1."}, {"attn", "attention"}, Looks::None},
      {"ConvNeXt", {"depthwise_conv.", "pointwise_conv1."}, {"attn", "attention"}, Looks::None},
      {"PoolFormer", {"before_norm.", "layer_scale_1"}, {"attention"}, Looks::None},
      {"PoolFormer", {".layer_scale1.scale", "stages.#.blocks.#."}, {"token_mixer."}, Looks::None},
      {"DenseNet", {"denselayer#."}, {}, Looks::None},
      {"EfficientNet or MobileNet", {"blocks.#.#.conv_pw.", "conv_stem."}, {"attn"}, Looks::None},
      {"EfficientNet or MobileNet", {"features.#.#.block.#."}, {}, Looks::None},
      {"RegNet", {"s#.b#.conv#."}, {}, Looks::None},
      {"a network of ResNet's kind",
       {"layer1.0.conv1.", "bn1."},
       {"attn", "nonlocal", "nl", "transition"},
       Looks::None},
      {"ResNet or RegNet", {"embedder.embedder.", "stages.#.layers.#."}, {"attn"}, Looks::None},
      {"VGG", {"^features.0.weight", "^classifier.0.weight"}, {"bn"}, Looks::None, commonNames},
  };
  return all;
}

bool isDigit(char character) {
  return std::isdigit(static_cast<unsigned char>(character)) != 0;
}

/// Returns true if `text` begins with `part`, in which `#` stands for a number.
bool beginsWith(std::string_view text, std::string_view part) {
  std::size_t at = 0;
  for (const char wanted : part) {
    if (wanted != '#') {
      if (at == text.size() || text[at] != wanted) return false;
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && isDigit(text[at])) ++at;
    if (at == begin) return false;
  }
  return true;
}

bool holds(std::string_view name, std::string_view part) {
  if (part.starts_with('^')) return beginsWith(name, part.substr(1));
  for (std::size_t at = name.find(part.front()); at != std::string_view::npos;
       at = name.find(part.front(), at + 1)) {
    if (beginsWith(name.substr(at), part)) return true;
  }
  return false;
}

bool anyHolds(const StateDict& state, std::string_view part) {
  return std::ranges::any_of(state.entries(),
                             [&](const auto& entry) { return holds(entry.name, part); });
}

/// Longer names than any network's are not searched.
bool hasNamesOfANetwork(const StateDict& state) {
  constexpr std::size_t mostLetters = 1 << 20;
  std::size_t letters = 0;
  for (const StateDict::Entry& entry : state.entries()) letters += entry.name.size();
  return letters <= mostLetters;
}

bool isOf(const StateDict& state, const OtherNetwork& network) {
  const auto there = [&](std::string_view part) { return anyHolds(state, part); };
  return std::ranges::all_of(network.has, there) && std::ranges::none_of(network.lacks, there);
}

}  // namespace

std::string otherNetworkText(const StateDict& state, NamesOfOthers names) {
  if (!hasNamesOfANetwork(state)) return {};
  const auto& all = otherNetworks();
  const auto found = std::ranges::find_if(all, [&](const OtherNetwork& network) {
    return !(network.isCommon && names == NamesOfOthers::Unmistakable) && isOf(state, network);
  });
  if (found == all.end()) return {};
  const std::string name(found->name);
  if (found->looks == Looks::None) {
    return name + ", a network without attention, so there is nothing to look at";
  }
  return name + ", which Softscope does not open yet; " + recordingAdvice();
}

std::string recordingAdvice() {
  return "record its attention with the Python package softscope (docs/python.md), and open the "
         "recording";
}

}  // namespace softscope
