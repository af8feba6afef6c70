//! The HTTP side of every domain, written once.
//!
//! A handler reads in order: [`RequestContext`] (who asks, for which tenant, when), the query or the [`Body`], one
//! [`db::Db::read`] or [`db::Db::write`], and an [`answer`]. Authentication, roles and tenancy have happened before it
//! runs ([`guard`]), from what its OpenAPI operation declares; an error it returns becomes a problem response
//! ([`Error`]).

pub mod access;
pub mod address;
mod admission;
pub mod aliases;
pub mod answer;
pub mod body;
pub mod chunks;
mod connection;
pub mod context;
pub mod cpu;
pub mod credentials;
pub mod domain;
pub mod drain;
mod empty_line;
pub mod error;
pub mod extras;
pub mod feed;
pub mod files;
mod goaway;
pub mod guard;
pub mod harness;
mod ignored;
pub mod inbound;
pub mod limits;
pub mod list;
mod listen;
pub mod metrics;
pub mod notice;
pub mod operations;
pub mod paths;
pub mod recent;
mod reference;
pub mod request_id;
pub mod resource;
pub mod restore;
pub mod sending;
pub mod serve;
pub mod session;
pub mod shed;
pub mod sockets;
pub mod spec;
pub mod spool;
pub mod stream;
pub mod tls;
mod trace;
mod upgrade;
mod worker;
pub mod write;
mod write_position;

pub use db::clock;

pub use api_derive::{Parameters, Request, delete, get, post, put, without_none};

pub use crate::{
    access::{Access, Caller, Role, SessionLimit, Subject, Tenant},
    admission::Admission,
    aliases::Alias,
    body::{Body, ListOf, OptionalBody},
    context::{FromQuery, HomeContext, PathIds, RequestContext, RequestScope},
    domain::{Domain, Routes, Tag},
    error::{Error, Result},
    extras::{Extras, Need},
    guard::Guard,
    list::{List, PageQuery},
    resource::Resource,
    restore::{Restorer, Restorers},
    write::Answer,
};
