//! The bytes that skewed keys begin with, one row for each skew index from 0 to 128.
//!
//! Data only: which row a record takes, and how many bits of it, is decided in `skew`. The rows are
//! facts of the benchmark and cannot be computed: a single changed bit changes every skewed file.

/// Skew bytes of binary records: six bytes, most significant first in the lower 48 bits.
#[rustfmt::skip]
pub(crate) const BINARY: [u64; 129] = [
    0x4a69_6d47_7261, 0x95e0_e482_62b3, 0x4597_9353_dbed, 0x882a_02c3_1536,
    0x5c90_ab38_ae52, 0x72dc_0ca5_1e33, 0x1043_1af6_a0d8, 0x5efc_4abf_aca2,
    0x44f7_8c8b_40bf, 0x84c0_992f_3b94, 0xb3e9_689d_e16b, 0xf8f6_4263_fd0b,
    0xda7a_45a1_82de, 0x9b6b_4825_e251, 0xdc68_2a00_647e, 0xf25b_d154_39d1,
    0xf2fa_42ed_1872, 0x6a59_451b_e8d0, 0x2729_b977_1471, 0x879b_2fb7_bb35,
    0x68d0_cc3c_1999, 0x27d8_0879_d79e, 0xb079_5011_b782, 0x464f_b84a_b848,
    0x21f0_3ee8_ac41, 0xe796_1c0d_827f, 0x84d9_0445_7a61, 0x5359_d35d_a884,
    0x4e38_5466_525c, 0x870f_a645_9011, 0xff00_463a_dfc8, 0x89ca_67c2_9c93,
    0x7550_90c0_177d, 0xeb4d_81a5_c9ea, 0x8a85_68b3_086f, 0x5da6_9a3d_8667,
    0x6a97_4359_eaab, 0x63b6_044b_8e78, 0x3341_4912_cb67, 0x226d_f2b7_9c9b,
    0x1e58_396c_599a, 0x4d67_6091_dcfe, 0xc98f_259b_150d, 0xa827_dc9a_ff7e,
    0x0696_c9a1_ba3b, 0x6d16_e338_d777, 0xac35_a43b_a662, 0x7ee1_e400_7163,
    0xa16b_6fa9_f1ea, 0x2cb7_a1bb_9362, 0x2f4b_0826_7ce7, 0x86d1_92c5_4184,
    0xf6e4_143f_deaa, 0x4583_69e8_3cb9, 0x6c15_f70f_8176, 0xc0b4_8702_6b7f,
    0xae90_31f8_7d14, 0x6b25_dc59_e09e, 0x8838_2362_424b, 0xafb9_6f95_d32b,
    0xc1d4_fcf5_77db, 0xc68d_66d1_8453, 0x74fe_19dc_5268, 0x8b6a_e036_713b,
    0x33d5_b5b1_5c70, 0x5e46_f543_2f2c, 0x2655_4625_dd68, 0xf6ed_f4e3_bafd,
    0xcf9f_b78a_a3ca, 0x0814_098c_2d9a, 0xea1c_fc70_fb3f, 0x68ed_e828_d4c5,
    0x8667_c9b9_bb8c, 0xe7af_a512_6f3d, 0xd001_02a1_c510, 0xf954_9b14_3a9e,
    0xda0f_7554_e79e, 0xca16_ea9b_71f0, 0xf95a_035a_6be8, 0xf3f0_378f_7043,
    0xbb4d_8a4f_d76c, 0xc94a_0475_3dfc, 0x309a_8971_8829, 0xdda5_7075_df7a,
    0xa661_cdc3_1622, 0xc596_9315_258c, 0x3a16_93ac_953b, 0xe90e_587d_f69f,
    0x8fc9_4745_b2fd, 0xa76f_d6fc_7178, 0x4c67_4ce2_3a86, 0xf005_c406_1558,
    0x2a90_a67e_8c6c, 0x5adc_ee8c_a709, 0xff81_ed50_d578, 0xed44_536c_4416,
    0x648e_4856_641a, 0xa447_3f64_f9d0, 0x6e45_fb3d_1c2c, 0x3cb4_46e3_070c,
    0x0a25_a99a_f439, 0x2cb5_a1dc_ef47, 0x0e4d_9cd4_57ae, 0x3b86_6f4a_1aef,
    0x3e98_bee5_fdf5, 0x999a_6d40_a43f, 0xf7e8_b48b_aaf9, 0xefe5_0820_541e,
    0xf7d1_9823_5367, 0x21a5_8bdd_2020, 0xed59_b723_b16e, 0x20d1_ef94_2f79,
    0x8f23_46a3_2af7, 0xb098_61cc_8b8a, 0xb5e2_6333_3a0d, 0x63c1_b7e7_2b41,
    0xaf90_859b_1ca9, 0x9a52_5e2f_33bf, 0xc283_ea63_f300, 0x020d_e560_00f6,
    0x55cf_e9d4_3d64, 0xb5d7_6982_3639, 0xe629_cab5_3ca1, 0x9cbf_eb07_9dde,
    0xa0ba_1ed1_ea79, 0x0be5_49a5_12d3, 0x7870_de1f_c561, 0x98a2_542f_d23d,
    0xe1dc_46b6_45c4,
];

/// Skew bytes of ASCII records: six printable characters.
#[rustfmt::skip]
pub(crate) const ASCII: [&[u8; 6]; 129] = [
    b"AsfAGH", b"~sHd0j", b"uI^EYm", b"Q)JN)R", b"o4FoBk", b"*}-Wz1", b"0fssx}", b"mz4VCN",
    b"my+=5r", b"5HA\\z%", b"`PkXQ<", b"GLSnlm", b"swBzQ#", b"9SC<z ", b"o7~drs", b"K~%q4]",
    b"gj<m5S", b"&~2Ch{", b"B]az'~", b",2K,DK", b"}[v>zy", b"kXrG^e", b"v%^RG^", b"vi@>8j",
    b"}dA7*<", b">Y$Kc)", b"uF?T;*", b"~%.@@,", b"JPrAKc", b"*i@lF3", b"9UH>%F", b"-^1~=a",
    b".\\KqT&", b"9RtsPa", b"Fqy~]O", b"Wj-%?e", b"Rv]QHo", b"1 e!og", b"N,gk>3", b"s.72Y.",
    b"j*0`gc", b"R+Sh=K", b"x]w]=D", b"maU!Uo", b"smN$i ", b"T}# `9", b"G2oMVH", b"(tv1'>",
    b"RE%Z{o", b"'%:YY?", b"N(JuG%", b"`E$,xR", b"jzu$Fn", b"|xaPO\\", b"GCU4gf", b"JU9s03",
    b"D@v9\"\"", b"OffB8(", b"-_) R'", b"'z4P|n", b"[!Nbx&", b"p?\"\\\\6", b"+2A^xP", b"-cuJvy",
    b"ix^T<S", b"EvtL^`", b"\\E=uj=", b"CU7l~\"", b",vWe=|", b"k|M.el", b"u<#x_G", b"K &>Q-",
    b"E(g$5-", b"~\\ptsn", b"YhlPk`", b"WBzul,", b"q)epJs", b"`WVkW&", b"HXg#Z^", b"-&8$lc",
    b"^Spqwo", b"P-6Ybw", b"a`:;yd", b"dO]G~-", b"WM^;rv", b"-WwU4B", b"y'w/PZ", b"#jA`l-",
    b":!W.=v", b"\"!r4ug", b"O?(|_d", b"xwWRjk", b"Te (9@", b"(cb621", b"hg5x s", b"w5nn`w",
    b"qeQNoB", b"6n>iMb", b"uGz7S=", b"rd)x<>", b"xEwa^:", b"':]$}b", b"vZl\"Ji", b"o%,!fS",
    b"*+o@+t", b"(CoKUh", b"I>:9JQ", b"eSzU!X", b"[QZ{a&", b"?:Yp4%", b"'_>/ 4", b"KrNW.!",
    b"j17a3a", b")o-QLH", b"al;:OE", b"I@L*`H", b"<!pSWF", b"1w@TZu", b"Vh%|Ki", b"h{ydAP",
    b"]V9hCo", b".TK[[l", b"FktHsd", b"Ki|$-M", b"\\gWC3[", b".\"^}, ", b"k VC?n", b"}]Kk&:",
    b"12NSK|",
];
