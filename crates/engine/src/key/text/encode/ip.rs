//! Addresses of the Internet protocol: the version, then the bytes of the address.
//!
//! ```text
//!     192.0.2.7            04 c0 00 02 07
//!     2001:db8::7          06 20 01 0d b8 ... 07
//! ```
//!
//! All of version 4 come before all of version 6; an address of version 4 that is written as one of
//! version 6 (`::ffff:192.0.2.7`) is one of version 6. Networks (`192.0.2.0/24`) and zones
//! (`fe80::1%eth0`) are no addresses.

use std::net::IpAddr;

use super::{Class, Detail, KeySink, KeyType, Traits, TypeNames, Typed};

/// An address of the Internet protocol; all of version 4 before all of version 6.
#[derive(Debug)]
pub struct Ip;

impl KeyType for Ip {
    const NAMES: TypeNames = &[("ip", Detail::None)];
    const EXPECTED: &'static str = "an IP address";
    const TRAITS: Traits = Traits::of(Class::Strict).spares_ends().is_suggested();

    #[inline]
    fn append<S: KeySink>(text: &[u8], _: &Typed, out: &mut S) -> Option<()> {
        let (version, octets): (u8, &[u8]) = match std::str::from_utf8(text).ok()?.parse().ok()? {
            IpAddr::V4(address) => (4, &address.octets()),
            IpAddr::V6(address) => (6, &address.octets()),
        };
        out.push(version);
        out.extend(octets);
        Some(())
    }
}
