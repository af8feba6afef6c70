//! The software of a resource: installed applications and antivirus products.

pub mod antivirus;
pub mod applications;
