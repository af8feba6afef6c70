//! One-tap answers: what a person does by the link of a page, signed in nowhere else.
//!
//! `GET` shows and changes nothing, since anyone who looks through mails follows links; a button acts.

pub mod console;
pub mod http;
mod jobs;
mod markdown;
pub mod page;
