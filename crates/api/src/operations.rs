//! Operations, and how their handlers are found.
//!
//! actix-web asks its routes one after the other, each by a regular expression. The guard has found the operation of a
//! request in one tree by then, with the parameters of its path: here the handler is called that has the number of that
//! operation.

use std::collections::HashMap;

use actix_web::{
    Error, HttpMessage as _, Route,
    dev::{Service, ServiceFactory, ServiceRequest, ServiceResponse, always_ready},
    http::{Method, StatusCode},
};
use futures_util::future::{LocalBoxFuture, try_join_all};
use utoipa::openapi::HttpMethod;
use utoipa_actix_web::OpenApiFactory;

use crate::{error, metrics};

/// An operation: what the document says of it, and the handler that answers it. [`get`](crate::get),
/// [`post`](crate::post) and [`delete`](crate::delete) make one of a function.
pub trait Operation: OpenApiFactory + utoipa::Path {
    /// Its handler.
    fn route() -> Route;
}

/// The number of the operation that a request is for, as the guard has found it.
#[derive(Clone, Copy)]
pub(crate) struct OperationNumber(pub(crate) usize);

/// The handlers of a server, before it runs.
pub struct Handlers {
    numbers: HashMap<metrics::Route, usize>,
    routes: Vec<(usize, Route)>,
}

impl Handlers {
    /// For these operations, whose numbers are their places, from 1.
    pub(crate) fn for_operations(operations: &[metrics::Route]) -> Self {
        Self { numbers: operations.iter().cloned().zip(1..).collect(), routes: Vec::new() }
    }

    /// Adds the handler of an operation below this path.
    pub(crate) fn add<O: Operation>(&mut self, below: &str) {
        for method in O::methods() {
            let method = match method {
                HttpMethod::Post => Method::POST,
                HttpMethod::Put => Method::PUT,
                HttpMethod::Delete => Method::DELETE,
                _ => Method::GET,
            };
            let route = metrics::Route { method, pattern: format!("{below}{}", O::path()) };
            if let Some(number) = self.numbers.get(&route) {
                self.routes.push((*number, O::route()));
            }
        }
    }
}

impl ServiceFactory<ServiceRequest> for Handlers {
    type Response = ServiceResponse;
    type Error = Error;
    type Config = ();
    type Service = Dispatcher;
    type InitError = ();
    type Future = LocalBoxFuture<'static, Result<Dispatcher, ()>>;

    fn new_service(&self, (): ()) -> Self::Future {
        let most = self.numbers.len();
        let each = self.routes.iter().map(|(number, route)| {
            let number = *number;
            let made = route.new_service(());
            async move { made.await.map(|service| (number, service)) }
        });
        let all = try_join_all(each);
        Box::pin(async move {
            let mut handlers: Vec<_> = std::iter::repeat_with(|| None).take(most + 1).collect();
            for (number, service) in all.await? {
                handlers[number] = Some(service);
            }
            Ok(Dispatcher(handlers))
        })
    }
}

/// The handlers of a worker, by the numbers of their operations.
pub struct Dispatcher(Vec<Option<<Route as ServiceFactory<ServiceRequest>>::Service>>);

impl Service<ServiceRequest> for Dispatcher {
    type Response = ServiceResponse;
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<ServiceResponse, Error>>;

    always_ready!();

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let operation = request.extensions().get::<OperationNumber>().copied();
        match operation.and_then(|OperationNumber(number)| self.0.get(number)?.as_ref()) {
            Some(handler) => handler.call(request),
            None => Box::pin(async {
                Ok(request.into_response(error::problem_response(&error::from_status(StatusCode::NOT_FOUND))))
            }),
        }
    }
}
