//! The words of answers: how values, turns, points and pairs appear in JSON.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::board::Point;
use crate::coach::review::Grade;
use crate::index::Pair;
use crate::probe::Source;
use crate::rules::position::{Phase, Side};
use crate::rules::turns::Turn;
use crate::value::{Dtw, Value, Wdl};

/// Types that appear as their names.
macro_rules! named {
    ($($type:ty),*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    )*};
}

named!(Wdl, Side, Phase, Source, Point, Grade);

/// Types that appear as their texts, which are written without allocating strings.
macro_rules! written {
    ($($type:ty),*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )*};
}

written!(Turn, Pair);

impl Serialize for Dtw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u16(self.0)
    }
}

/// A value is the two fields `wdl` and `dtw`; `dtw` is null for a draw and for an unknown depth.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Value", 2)?;
        fields.serialize_field("wdl", &self.wdl())?;
        fields.serialize_field("dtw", &self.dtw())?;
        fields.end()
    }
}

impl<'de> Deserialize<'de> for Side {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Side, D::Error> {
        let name = String::deserialize(deserializer)?;
        let side = Side::named(&name);
        side.ok_or_else(|| de::Error::custom(format_args!("'{name}' is not white or black")))
    }
}
