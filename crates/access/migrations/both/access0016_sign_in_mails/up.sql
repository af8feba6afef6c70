-- Until when an address gets no further mail with sign-in links, for each tenant that has a user with it. Its id is the
-- SHA-256 of the mailbox, in hex.
CREATE TABLE sign_in_mails (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    id TEXT NOT NULL,
    until_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
-- An address is looked up before its tenants are known.
CREATE INDEX sign_in_mails_by_address ON sign_in_mails (id, until_ms);
CREATE INDEX sign_in_mails_age ON sign_in_mails (tenant_id, until_ms);
