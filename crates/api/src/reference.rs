//! The reference page at `/docs`.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use actix_web::{HttpRequest, HttpResponse, web};
use base::problem::Problem;
use bytes::Bytes;
use utoipa_swagger_ui::Config;

use crate::{Result, files::File, spec};

/// What the page may load: its own files, the icons within them, and styles that its scripts write.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The files of the page, from the first time that somebody asks for them.
pub(crate) struct Reference {
    config: Arc<Config<'static>>,
    files: Mutex<HashMap<String, Arc<File>>>,
}

impl Default for Reference {
    fn default() -> Self {
        Self { config: Arc::new(config()), files: Mutex::default() }
    }
}

/// The page reads the document in 3.0: a later one takes it three times as long, and so does the first operation that
/// somebody opens. Schemas are drawn when somebody asks for them.
fn config() -> Config<'static> {
    Config::from(spec::PATH_IN_3_0).filter(true).persist_authorization(true).default_models_expand_depth(0)
}

impl Reference {
    /// A file that the page has: there are some ten.
    fn find(&self, name: &str) -> Result<Option<Arc<File>>> {
        let mut files = base::lock(&self.files);
        if let Some(file) = files.get(name) {
            return Ok(Some(Arc::clone(file)));
        }
        let found = utoipa_swagger_ui::serve(name, Arc::clone(&self.config));
        let found = found.map_err(|error| db::Error::Fault(format!("the reference page: {error}")))?;
        Ok(found.map(|found| {
            let file = File::new(found.content_type, Bytes::from_owner(found.bytes));
            files.insert(name.to_owned(), Arc::clone(&file));
            file
        }))
    }
}

/// `GET /docs/{file}`.
pub(crate) async fn show(
    request: HttpRequest,
    name: web::Path<String>,
    reference: web::Data<Reference>,
) -> Result<HttpResponse> {
    let file = reference.find(&name)?;
    let file = file.ok_or_else(|| Problem::not_found("The path was not found. The reference is at /docs."))?;
    file.answer(&request, &[("Content-Security-Policy", POLICY)]).await
}
