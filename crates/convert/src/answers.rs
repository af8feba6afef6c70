//! Answers of a product, from a folder or from the product itself.

use std::{fs, path::Path};

use anyhow::{Context as _, bail, ensure};
use base::{Secret, Timestamp};
use cli::write_files;

use crate::{
    export::Export,
    netbox, oncall,
    online::Client,
    opsgenie,
    options::{AnswerOptions, Product},
    pagerduty,
};

impl AnswerOptions {
    /// The answers, and the paths that the product did not show with their status. Without a folder the product is
    /// asked.
    ///
    /// # Errors
    /// When they cannot be had.
    pub(crate) fn read(
        &self,
        product: Product,
        folder: Option<&Path>,
        now: Timestamp,
    ) -> anyhow::Result<(Export, Vec<(String, String)>)> {
        if let Some(folder) = folder {
            return Ok((Export::read(folder)?, Vec::new()));
        }
        let url = self.url.clone().context("name a folder with the product's answers, or --url")?;
        let token = self.token.as_deref().map(str::trim).filter(|token| !token.is_empty());
        let token = token.context("--url needs a token: set MUSTER_CONVERT_TOKEN, or give --token")?;
        self.save.as_deref().map(prepare).transpose()?;
        let mut client = Client::new(url, product.headers(token))?;
        let export = product.fetch(&mut client, now)?;
        if let Some(save) = &self.save {
            write_files(save, &export.files()).map_err(anyhow::Error::msg)?;
        }
        Ok((export, client.missing))
    }
}

/// Makes a folder for files; it has to be new or empty, so that nothing of an earlier conversion stays behind.
///
/// # Errors
/// When it is not.
pub fn prepare(folder: &Path) -> anyhow::Result<()> {
    let shown = folder.display();
    fs::create_dir_all(folder).with_context(|| format!("{shown} cannot be made"))?;
    let first = fs::read_dir(folder).with_context(|| format!("{shown} cannot be read"))?.next();
    ensure!(
        first.is_none(),
        "{shown} is not empty; take a new folder, so that nothing of an earlier conversion stays in it"
    );
    Ok(())
}

impl Product {
    /// How the product is told who asks.
    fn headers(self, token: &str) -> Vec<(&'static str, Secret<String>)> {
        match self {
            Self::Opsgenie => vec![("authorization", Secret::new(format!("GenieKey {token}")))],
            Self::Pagerduty => vec![
                ("authorization", Secret::new(format!("Token token={token}"))),
                ("accept", Secret::new("application/vnd.pagerduty+json;version=2".to_owned())),
            ],
            Self::Oncall => vec![("authorization", Secret::new(token.to_owned()))],
            Self::Goalert => Vec::new(),
            Self::Netbox => vec![("authorization", Secret::new(format!("Token {token}")))],
        }
    }

    fn fetch(self, client: &mut Client, now: Timestamp) -> anyhow::Result<Export> {
        match self {
            Self::Opsgenie => opsgenie::fetch(client),
            Self::Pagerduty => pagerduty::fetch(client, now),
            Self::Oncall => oncall::fetch(client),
            Self::Netbox => netbox::fetch(client),
            Self::Goalert => bail!("a key of GoAlert is for one query: send the queries of docs/moving-in.md by hand"),
        }
    }
}
