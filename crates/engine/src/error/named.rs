//! Enums whose values have names.
//!
//! One table declares the values, their names and their order, so that neither can lack a value.

/// Declares an enum from its variants with their names, as in `Gzip = "gzip"`. It gets `ALL` of its
/// values, the `name` of each, and shows a value by its name.
macro_rules! named {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $type:ident {
            $($(#[$detail:meta])* $variant:ident = $name:expr,)+
        }
    ) => {
        $(#[$attribute])*
        $visibility enum $type {
            $($(#[$detail])* $variant,)+
        }

        impl $type {
            /// All values, in the order of their definition.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

pub(crate) use named;
