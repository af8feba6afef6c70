//! Secret values, which logs and debug output never show.

use std::fmt;

use subtle::ConstantTimeEq;

/// A value that can be neither serialised nor printed: the compiler refuses the one, and `Debug`
/// prints `[secret]` for the other. [`Secret::expose`] is the only way to it, and easy to search for.
///
/// ```compile_fail
/// let text = format!("{}", base::Secret::new("key"));
/// ```
/// ```compile_fail
/// let text = serde_json::to_string(&base::Secret::new("key"));
/// ```
#[derive(Clone)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Hides a value.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// The value itself, for the one place that needs it.
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// The value itself, taken out.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T: AsRef<[u8]>> Secret<T> {
    /// Compares in a time that depends on the lengths only, not on where the two differ.
    pub fn ct_eq(&self, other: &Self) -> bool {
        self.0.as_ref().ct_eq(other.0.as_ref()).into()
    }
}

impl PartialEq for Secret<String> {
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other)
    }
}

impl Eq for Secret<String> {}

impl PartialEq for Secret<Vec<u8>> {
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other)
    }
}

impl Eq for Secret<Vec<u8>> {}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_never_printed() {
        let secret = Secret::new("hunter2".to_owned());
        assert_eq!(format!("{secret:?} {:#?}", Some(&secret)), "[secret] Some(\n    [secret],\n)");
        assert_eq!(secret.expose(), "hunter2");
        assert_eq!(secret.into_inner(), "hunter2");
    }

    #[test]
    fn compares_by_value() {
        let secret = |text: &str| Secret::new(text.to_owned());
        assert!(secret("one") == secret("one"));
        assert!(secret("one") != secret("two"));
        assert!(secret("one") != secret("one more"));
        assert!(Secret::new(vec![1_u8]).ct_eq(&Secret::new(vec![1_u8])));
        assert!(Secret::new(Vec::<u8>::new()) != Secret::new(vec![0_u8]));
    }
}
