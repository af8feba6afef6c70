//! What is sent: pages, in the order in which they are due, by the contact methods and limits of the recipients.

pub mod link;
pub mod messages;
pub mod pages;
pub mod reminders;
pub mod sender;
