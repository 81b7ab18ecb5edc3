//! Codecs by their names; decoders and encoders against each other and against other programs.
