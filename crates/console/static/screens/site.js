// A site: its address and its machines.

import { call, tag } from "../api.js";
import { html } from "../elements.js";
import { Members } from "../members.js";
import { RecordPage, deleteAction, editAction } from "../records.js";
import { link } from "../route.js";
import { LAYOUT } from "./sites.js";

export default function Site({ id }) {
  const path = { siteId: id };
  const read = () => call("getSite", path);
  return html`<${RecordPage}
    back=${["Sites", link("sites")]}
    of=${`site ${id}`}
    read=${read}
    facts=${(site) => [
      ["Description", site.description],
      ["Address", site.address],
      ["City", site.city],
      ["Country", site.country],
    ]}
    actions=${(site, again) => [
      editAction(site, again, { operation: "updateSite", path, layout: LAYOUT, what: `site “${site.name}”` }),
      deleteAction(site, again, {
        operation: "deleteSite",
        path,
        what: `site “${site.name}”`,
        question: "A site that has machines is refused: move them away first.",
      }),
    ]}
  >
    ${(site, again) => html`<${Members}
      title="Machines"
      what="machines"
      list="listSiteMembers"
      add="addSiteMembers"
      remove="removeSiteMembers"
      path=${path}
      columns=${[
        { title: "Name", cell: (row) => row.hostName || row.name, class: "grow" },
        { title: "Type", cell: (row) => row.type, keep: 2 },
        { title: "IP address", cell: (row) => row.ipAddress, keep: 2 },
      ]}
      href=${(row) => link(["resources", row.id])}
      refer=${(row) => ({ id: row.id })}
      match=${async () => tag(await read())}
      within=${{ tenant: site.tenantId }}
      onDone=${again.reload}
    />`}
  <//>`;
}
