//! What runs on a resource: installed applications and antivirus products.

pub mod antivirus;
pub mod applications;
