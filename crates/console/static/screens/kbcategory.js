// What can be done with a category of the knowledge base.

import { call, tag } from "../api.js";

/** How the forms of a category are laid out. */
export const CATEGORY_LAYOUT = {
  order: ["name", "description", "parentCategory"],
  more: ["state"],
  labels: { parentCategory: "Below" },
  fields: { parentCategory: { about: "Without one, at the top" } },
};

/** Edit, move and delete; `gone` is called when it is in the trash. */
export function categoryActions(category, gone) {
  const path = { categoryId: category.id };
  const read = () => call("getKbCategory", path);
  return [
    {
      label: "Edit…",
      title: `Edit category “${category.name}”`,
      operation: /** @type {const} */ ("updateKbCategory"),
      path,
      edits: category,
      read,
      layout: { ...CATEGORY_LAYOUT, omit: ["parentCategory"] },
      message: "Saved.",
    },
    {
      label: "Move…",
      title: `Move category “${category.name}”`,
      operation: /** @type {const} */ ("moveKbCategory"),
      path,
      form: true,
      match: async () => tag(await read()),
      values: { parentCategory: category.parentCategory },
      layout: CATEGORY_LAYOUT,
      send: "Move",
      message: "Moved.",
    },
    {
      label: "Delete…",
      title: `Delete category “${category.name}”?`,
      operation: /** @type {const} */ ("deleteKbCategory"),
      path,
      removes: category,
      read,
      question: "It moves to the trash with all categories and articles below it, and can be restored.",
      danger: true,
      message: "Moved to the trash.",
      done: gone,
    },
  ];
}
