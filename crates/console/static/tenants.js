// Tenants in words: what a partner calls its clients, and whose a record is where those of all are listed.

import { session } from "./api.js";

const names = new Map();

/** Remembers the names of the clients of a partner. */
export const nameTenants = (clients) => clients.forEach(({ uniqueId, name }) => names.set(uniqueId, name));

/** What a tenant is called. */
export const tenantName = (id = "") => names.get(id) || (id.startsWith("msp_") ? "the partner" : id);

/** The tenant of a record; some machines have the number of their client alone. */
export const ownerOf = ({ clientUniqueId, tenantId, clientId }) =>
  clientUniqueId ?? tenantId ?? (clientId ? `client_${clientId}` : "");

/** The columns of a list; at a partner, which sees the records of its clients too, with one that says whose each is. */
export const withClient = (columns) =>
  names.size && session.tenant === session.home
    ? [...columns, { title: "Client", keep: 2, cell: (row) => names.get(ownerOf(row)) || "" }]
    : columns;
