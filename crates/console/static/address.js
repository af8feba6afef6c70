// Addresses in texts and alerts. A link leads to a page of the service or to another site, never into the interface: a
// person who follows it would call an operation with their own rights.

/** Paths of the service that links may lead to. */
const PAGES = ["/console/", "/docs/"];

/**
 * Whether a link may have this address. Other addresses are shown as text. Addresses of other sites have to be
 * absolute.
 * @param {string} address
 */
export function mayLink(address) {
  if (!/^(https?:\/\/|mailto:|\/|#)/i.test(address) || !URL.canParse(address, location.origin)) return false;
  const url = new URL(address, location.origin + location.pathname);
  if (url.protocol === "mailto:") return true;
  if (url.origin === location.origin) return PAGES.some((page) => url.pathname.startsWith(page));
  return /^https?:/i.test(address);
}
