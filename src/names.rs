//! The names of variants, as programs write them.

/// Gives an enumeration a name for each variant; with `by name`, also the variant of a name, and the name as its text.
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
