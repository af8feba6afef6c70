//! A browser in which somebody is signed in: it has a cookie, and says which page sent a request.

use serde_json::Value;

use crate::{client::Request, response::Response, server::Server};

/// A browser with the cookie of a session.
pub struct Browser<'s> {
    server: &'s Server,
    /// `name=value`
    pub cookie: String,
}

impl<'s> Browser<'s> {
    /// Presses the button of a sign-in link; the cookie that the answer sets.
    #[track_caller]
    pub fn sign_in(server: &'s Server, url: &str) -> Self {
        let answer = redeem(server, &code_of(url)).send();
        assert_eq!(answer.status, 303, "{answer}");
        Self::of(server, &answer)
    }

    /// With the cookie that an answer sets.
    #[track_caller]
    pub fn of(server: &'s Server, answer: &Response) -> Self {
        let set = answer.header("Set-Cookie").unwrap_or_else(|| panic!("no cookie: {answer}"));
        Self { server, cookie: set.split(';').next().unwrap_or_default().to_owned() }
    }

    /// What the cookie holds.
    pub fn token(&self) -> &str {
        self.cookie.split_once('=').map_or("", |(_, token)| token)
    }

    /// A request that carries the cookie, and nothing that says who sent it.
    pub fn bare(&self, method: &str, path: &str) -> Request {
        self.server.request(method, path).header("Cookie", &self.cookie)
    }

    /// A request as a page of the service sends it.
    pub fn request(&self, method: &str, path: &str) -> Request {
        self.bare(method, path).header("Origin", self.server.base()).header("Sec-Fetch-Site", "same-origin")
    }

    /// `GET` of an absolute path.
    pub fn get(&self, path: &str) -> Response {
        self.request("GET", path).send()
    }

    /// `POST` of a JSON body.
    pub fn post(&self, path: &str, body: &Value) -> Response {
        self.request("POST", path).json(body).send()
    }

    /// `DELETE` of an absolute path.
    pub fn delete(&self, path: &str) -> Response {
        self.request("DELETE", path).send()
    }
}

/// The code in the address of a sign-in link.
#[track_caller]
pub fn code_of(url: &str) -> String {
    url.split_once("/auth/sign-in?code=").unwrap_or_else(|| panic!("no sign-in link: {url}")).1.to_owned()
}

/// What the button of a link sends.
pub fn redeem(server: &Server, code: &str) -> Request {
    let form = server.request("POST", "/auth/session").header("Origin", server.base());
    form.body("application/x-www-form-urlencoded", format!("code={code}"))
}
