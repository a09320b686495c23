//! The names of variants, as programs write them.

/// Gives an enumeration a name for each variant; with `all`, a list of the variants; with `by name`, also the variant of a
/// name, and the name as its text.
macro_rules! names {
    ($type:ident { $($variant:ident: $name:literal),+ $(,)? }) => {
        impl $type {
            #[doc = concat!("The name, one of", $(" `", $name, "`"),+, ".")]
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }
        }
    };
    ($type:ident all $(by $name:ident)? { $($variant:ident: $text:literal),+ $(,)? }) => {
        names! { $type $(by $name)? { $($variant: $text),+ } }

        impl $type {
            /// All variants.
            pub const ALL: [$type; [$($text),+].len()] = [$($type::$variant),+];
        }
    };
    ($type:ident by name { $($variant:ident: $name:literal),+ $(,)? }) => {
        names! { $type { $($variant: $name),+ } }

        impl $type {
            /// The variant with this name, or `None`.
            pub fn named(name: &str) -> Option<$type> {
                match name {
                    $($name => Some($type::$variant),)+
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

pub(crate) use names;
