// Addresses that texts and alerts bring along. A link leads to a page of the service or away from it; it never leads
// into the interface, since whoever follows it would call it with the rights that they signed in with.

/** Where links may lead within the service. */
const PAGES = ["/console/", "/docs/"];

/**
 * May a link have this address? What may not be one is shown as text. Away from the service leads only what is written
 * in full.
 * @param {string} address
 */
export function mayLink(address) {
  if (!/^(https?:\/\/|mailto:|\/|#)/i.test(address) || !URL.canParse(address, location.origin)) return false;
  const url = new URL(address, location.origin + location.pathname);
  if (url.protocol === "mailto:") return true;
  if (url.origin === location.origin) return PAGES.some((page) => url.pathname.startsWith(page));
  return /^https?:/i.test(address);
}
