// The board of a game that has no drawing: its position as text.

import { capital, el } from "../dom.js";

/** Shows the view's text where the page gave one, else its values one below the other. */
export const textBoard = {
  settings: (options) =>
    Object.entries(options)
      .filter(([, value]) => typeof value !== "object")
      .map(([key, value]) => `${key.replaceAll("_", " ")} ${value}`),
  status: (view, { frame }) => (frame.to_act ? `${capital(frame.to_act)} to act` : "Over"),
  draw: (view, { text }) => el("pre", { class: "pl-pre pl-text-board", tabindex: "0" }, text ?? outline(view, "")),
};

function outline(value, indent) {
  if (value === null || typeof value !== "object") return `${value}`;
  const entries = Array.isArray(value) ? value.map((item) => ["-", item]) : Object.entries(value);
  if (!entries.length) return "none";
  if (Array.isArray(value) && value.every((item) => item === null || typeof item !== "object")) return value.join(" ");
  return entries.map(([key, item]) => {
    const nested = outline(item, `${indent}  `);
    return `${indent ? "\n" : ""}${indent}${key}${key === "-" ? " " : ": "}${nested}`;
  }).join(indent ? "" : "\n");
}
