-- Accounts of issuers of OpenID Connect, and whose they are. Whom one belongs to is known by issuer and subject alone.
CREATE TABLE user_identities (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    user_id TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, issuer, subject),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE UNIQUE INDEX user_identities_by_subject ON user_identities (issuer, subject);
CREATE UNIQUE INDEX user_identities_of_user ON user_identities (tenant_id, user_id, issuer);
CREATE INDEX users_by_email ON users (email_fold);
