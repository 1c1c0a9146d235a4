//! Why a connection could not be made secure, in words: what is wrong, and what to do.

use rustls::{CertificateError, Error, OtherError};

/// The sentence after "the connection could not be made secure:".
pub(super) fn in_words(error: &Error) -> String {
    match error {
        Error::InvalidCertificate(why) => certificate(why),
        Error::InvalidMessage(_) => {
            "what answers there does not speak TLS: is the address one of `http`, not `https`?".to_owned()
        }
        Error::PeerIncompatible(_) => {
            "it speaks no version and no cipher of TLS in common with us: it has to offer TLS 1.2 or 1.3"
                .to_owned()
        }
        Error::AlertReceived(alert) => format!(
            "it broke off ({}): does the address name the right server, and does it ask for a certificate of the client?",
            words(&format!("{alert:?}"))
        ),
        Error::NoCertificatesPresented => "it has no certificate: give it one".to_owned(),
        other => other.to_string(),
    }
}

fn certificate(why: &CertificateError) -> String {
    use CertificateError as E;
    const CLOCK: &str = "or the clock of this machine is wrong";
    match why {
        E::UnknownIssuer => "its certificate is signed by nobody whom this system trusts: add its authority to the \
                             certificates that the system trusts"
            .to_owned(),
        E::Expired | E::ExpiredContext { .. } => {
            format!("its certificate has expired: it has to be renewed, {CLOCK}")
        }
        E::NotValidYet | E::NotValidYetContext { .. } => {
            format!("its certificate does not hold yet: it begins later, {CLOCK}")
        }
        E::NotValidForNameContext { expected, presented } => format!(
            "its certificate is not for `{}` but for {}: use that name in the address, or have a certificate made for \
             this one",
            expected.to_str(),
            match presented.as_slice() {
                [] => "no name at all".to_owned(),
                names => format!("`{}`", names.join("`, `")),
            }
        ),
        E::NotValidForName => {
            "its certificate is for another name than that in the address: use that name, or have one made for this one"
                .to_owned()
        }
        E::Revoked => "its certificate was revoked: it needs another one".to_owned(),
        E::BadEncoding => "its certificate is damaged: it needs another one".to_owned(),
        E::BadSignature => "its certificate is not signed by whom it says: it needs another one".to_owned(),
        E::InvalidPurpose | E::InvalidPurposeContext { .. } => {
            "its certificate is not one for servers: it needs another one".to_owned()
        }
        // What checks certificates for the SDK does not offer these as types.
        E::Other(OtherError(inner)) => match format!("{inner:?}").as_str() {
            "CaUsedAsEndEntity" => "its certificate is that of an authority, as of a self-signed one that says so of \
                                    itself: have one signed for the server that is no authority (`CA:FALSE`), and add \
                                    its authority to the certificates that the system trusts"
                .to_owned(),
            "UnsupportedCertVersion" => {
                "its certificate is of an old version: it needs one of version 3 (X.509)".to_owned()
            }
            other => format!("its certificate cannot be used: {}", words(other)),
        },
        other => format!("its certificate cannot be used: {}", words(&format!("{other:?}"))),
    }
}

/// The name of a variant as words, without what it holds: `CaUsedAsEndEntity` is `ca used as end entity`.
fn words(name: &str) -> String {
    let end = name
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(name.len());
    let mut words = String::new();
    for c in name.get(..end).unwrap_or_default().chars() {
        if c.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(c.to_ascii_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn no_name_of_a_type_is_shown() {
        #[derive(Debug)]
        #[expect(dead_code, reason = "what it holds is not to be shown")]
        struct MaximumPathDepthExceeded(u8);
        impl std::fmt::Display for MaximumPathDepthExceeded {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{self:?}")
            }
        }
        impl std::error::Error for MaximumPathDepthExceeded {}
        let other = OtherError(Arc::new(MaximumPathDepthExceeded(1)));
        assert_eq!(
            in_words(&Error::InvalidCertificate(CertificateError::Other(other))),
            "its certificate cannot be used: maximum path depth exceeded"
        );
        for error in [
            Error::InvalidCertificate(CertificateError::UnknownIssuer),
            Error::InvalidCertificate(CertificateError::Expired),
            Error::InvalidCertificate(CertificateError::UnhandledCriticalExtension),
            Error::AlertReceived(rustls::AlertDescription::HandshakeFailure),
            Error::PeerIncompatible(rustls::PeerIncompatible::NoCipherSuitesInCommon),
            Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType),
        ] {
            let words = in_words(&error);
            // As `CaUsedAsEndEntity` is written, and `TLS` is not.
            let names_a_type = words.split_whitespace().any(|word| {
                let mut pairs = word.chars().zip(word.chars().skip(1));
                pairs.any(|(one, next)| one.is_ascii_lowercase() && next.is_ascii_uppercase())
            });
            assert!(!names_a_type, "{words}");
        }
    }
}
